//! Names that a program gives to the values of `custom` fields, read both ways.
//!
//! A description says only that a field is printed by the embedding program; this is the table with which our own
//! programs do so: `FIELD VALUE TEXT` lines, as in `CONTROLREG 16 @IB1_BASE`. A value without a name prints as `0x%03x`.

use isaglot_invariant::Impossible as _;
use rustc_hash::FxHashMap;

use crate::options::Hooks;
use crate::trie::Trie;

/// Names of values, by field.
#[derive(Clone, Debug, Default)]
pub struct Names {
    fields: FxHashMap<String, Table>,
}

#[derive(Clone, Debug, Default)]
struct Table {
    entries: Vec<(u64, Vec<u8>)>,
    by_value: FxHashMap<u64, usize>,
    texts: Trie,
}

/// A line of a names file that is not `FIELD VALUE TEXT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Byte offset of the line.
    pub start: usize,
    /// Its length in bytes.
    pub len: usize,
}

impl Names {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Reads `FIELD VALUE TEXT` lines; blank lines and lines that begin with `#` are skipped. VALUE is decimal
    /// or `0x` hexadecimal; TEXT is the rest of the line. Of several texts for a value the first prints, all are read.
    ///
    /// # Errors
    /// Every line that is not of this form.
    pub fn parse(text: &[u8]) -> Result<Names, Vec<BadLine>> {
        let mut entries: Vec<(String, u64, Vec<u8>)> = Vec::new();
        let mut bad = Vec::new();
        let mut start = 0;
        for line in text.split(|&byte| byte == b'\n') {
            let trimmed = line.trim_ascii();
            if !trimmed.is_empty() && !trimmed.starts_with(b"#") {
                match entry(trimmed) {
                    Some(entry) => entries.push(entry),
                    None => bad.push(BadLine { start, len: line.len() }),
                }
            }
            start += line.len() + 1;
        }
        if bad.is_empty() { Ok(Names::new(entries)) } else { Err(bad) }
    }

    /// The names of these (field, value, text) entries.
    #[must_use]
    pub fn new(entries: impl IntoIterator<Item = (String, u64, Vec<u8>)>) -> Names {
        let mut fields: FxHashMap<String, Table> = FxHashMap::default();
        for (field, value, text) in entries {
            let table = fields.entry(field).or_default();
            table.by_value.entry(value).or_insert(table.entries.len());
            table.entries.push((value, text));
        }
        for table in fields.values_mut() {
            table.texts = Trie::new(table.entries.iter().zip(0u32..).map(|((_, text), i)| (text.as_slice(), i)));
        }
        Names { fields }
    }

    /// Adds the names of another table; where both name a value, this one's is printed.
    pub fn extend(&mut self, other: &Names) {
        for (field, table) in &other.fields {
            let mine = self.fields.entry(field.clone()).or_default();
            for (value, text) in &table.entries {
                mine.by_value.entry(*value).or_insert(mine.entries.len());
                mine.entries.push((*value, text.clone()));
            }
            mine.texts = Trie::new(mine.entries.iter().zip(0u32..).map(|((_, text), i)| (text.as_slice(), i)));
        }
    }

    /// The name of a value of a field.
    #[must_use]
    pub fn text(&self, field: &str, value: u64) -> Option<&[u8]> {
        if self.fields.is_empty() {
            return None;
        }
        let table = self.fields.get(field)?;
        table.by_value.get(&value).and_then(|&at| table.entries.get(at)).map(|(_, text)| text.as_slice())
    }

    /// Calls `found` with length and value of every name of the field that `text` begins with, shorter ones first.
    pub fn prefixes(&self, field: &str, text: &[u8], mut found: impl FnMut(usize, u64)) {
        let Some(table) = self.fields.get(field) else { return };
        table.texts.prefixes(text, |len, at| {
            if let Some((value, _)) = table.entries.get(at as usize) {
                found(len, *value);
            }
        });
    }

    /// Every name of a field with its value, in the order in which they were given.
    pub fn entries(&self, field: &str) -> impl Iterator<Item = (u64, &[u8])> {
        self.fields.get(field).into_iter().flat_map(|t| t.entries.iter().map(|(value, text)| (*value, text.as_slice())))
    }

    /// Every name, in no order that means anything but always in the same one.
    pub(crate) fn all(&self) -> impl Iterator<Item = &[u8]> {
        let mut fields: Vec<(&String, &Table)> = self.fields.iter().collect();
        fields.sort_by_key(|(field, _)| *field);
        fields.into_iter().flat_map(|(_, table)| table.entries.iter().map(|(_, text)| text.as_slice()))
    }

    /// Appends a value as it prints.
    pub fn print(&self, field: &str, value: u64, out: &mut Vec<u8>) {
        match self.text(field, value) {
            Some(text) => out.extend_from_slice(text),
            None => {
                out.extend_from_slice(b"0x");
                // At least three digits: one 0 more below 0x100, and another below 0x10.
                for _ in [8, 4].into_iter().filter(|shift| value >> shift == 0) {
                    out.push(b'0');
                }
                crate::value::hex(value, out);
            }
        }
    }
}

/// Prints `custom` fields by their names.
impl Hooks for &Names {
    fn custom_is_fixed(&self) -> bool {
        true
    }

    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        // What follows a colon is padding, not part of the name.
        let field = reference.split(':').next().or_impossible(reference);
        self.print(field, value, out);
    }
}

fn entry(line: &[u8]) -> Option<(String, u64, Vec<u8>)> {
    let line = std::str::from_utf8(line).ok()?;
    let (field, rest) = line.split_once(char::is_whitespace)?;
    let (value, text) = rest.trim_start().split_once(char::is_whitespace)?;
    let value = match value.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => value.parse().ok()?,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| (field.to_owned(), value, text.as_bytes().to_vec()))
}
