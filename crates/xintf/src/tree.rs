//! Configuration files as one tree with places, whether they were TOML or JSON.
//!
//! Both formats are read because people write TOML and tools write JSON. Numbers may be strings such as `"0x12345"`,
//! since JSON has no hexadecimal ones. A file whose first character is `{` is JSON; no TOML file can start so.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};
use toml::de::{DeTable, DeValue};

use crate::limits;

/// A value with its place.
#[derive(Clone, Debug)]
pub struct ConfigItem {
    /// What it is.
    pub node: ConfigNode,
    /// Its place.
    pub span: Span,
}

/// A value.
#[derive(Clone, Debug)]
pub enum ConfigNode {
    /// A whole number that is not negative; `None` when it needs more than 64 bits.
    Int(Option<u64>),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<ConfigItem>),
    /// Keys in the order of the file.
    Table(Vec<ConfigEntry>),
    /// Anything that no file of ours has: floats, dates, booleans, null, negative numbers.
    Other,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct ConfigEntry {
    /// The key.
    pub key: String,
    /// Its place.
    pub key_span: Span,
    /// The value.
    pub value: ConfigItem,
}

impl ConfigItem {
    /// The number, also if it is written as a string; the inner `None` is one of more than 64 bits.
    pub fn int(&self) -> Option<Option<u64>> {
        match &self.node {
            ConfigNode::Int(n) => Some(*n),
            ConfigNode::Text(text) => {
                let (digits, radix) = text.strip_prefix("0x").map_or((text.as_str(), 10), |hex| (hex, 16));
                let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
                is_number.then(|| u64::from_str_radix(digits, radix).ok())
            }
            _ => None,
        }
    }

    /// The string.
    pub fn text(&self) -> Option<&str> {
        match &self.node {
            ConfigNode::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn list(&self) -> Option<&[ConfigItem]> {
        match &self.node {
            ConfigNode::List(list) => Some(list),
            _ => None,
        }
    }

    /// The entries of a table.
    pub fn table(&self) -> Option<&[ConfigEntry]> {
        match &self.node {
            ConfigNode::Table(entries) => Some(entries),
            _ => None,
        }
    }
}

/// Reads a file; every fault is reported as E-SYNTAX, and what could be read is given.
pub fn read(file: FileId, bytes: &[u8], out: &mut Diagnostics) -> Vec<ConfigEntry> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= limits::MAX_FILE_BYTES => text,
        Ok(_) => {
            syntax(file, 0, 0, "the file is too large", out);
            return Vec::new();
        }
        Err(e) => {
            syntax(file, e.valid_up_to(), e.valid_up_to() + 1, "expected UTF-8", out);
            return Vec::new();
        }
    };
    if text.trim_start().starts_with('{') { json(file, text, out) } else { from_toml(file, text, out) }
}

fn syntax(file: FileId, start: usize, end: usize, message: &str, out: &mut Diagnostics) {
    out.push(Diagnostic::error("E-SYNTAX", message).label(Span::new(file, start, end), ""));
}

fn from_toml(file: FileId, text: &str, out: &mut Diagnostics) -> Vec<ConfigEntry> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for e in errors {
        let span = e.span().unwrap_or(0..0);
        syntax(file, span.start, span.end, e.message(), out);
    }
    entries(file, table.get_ref(), 0, out)
}

fn entries(file: FileId, table: &DeTable<'_>, depth: usize, out: &mut Diagnostics) -> Vec<ConfigEntry> {
    let mut list: Vec<ConfigEntry> = table
        .iter()
        .map(|(key, value)| {
            let span = value.span();
            ConfigEntry {
                key: key.get_ref().to_string(),
                key_span: Span::new(file, key.span().start, key.span().end),
                value: ConfigItem {
                    node: node(file, value.get_ref(), depth + 1, out),
                    span: Span::new(file, span.start, span.end),
                },
            }
        })
        .collect();
    list.sort_by_key(|e| (e.key_span.start, e.key_span.end));
    list
}

fn node(file: FileId, value: &DeValue<'_>, depth: usize, out: &mut Diagnostics) -> ConfigNode {
    match value {
        _ if depth > limits::MAX_DEPTH => ConfigNode::Other,
        DeValue::String(text) => ConfigNode::Text(text.to_string()),
        DeValue::Integer(n) if n.as_str().starts_with('-') => ConfigNode::Other,
        DeValue::Integer(n) => ConfigNode::Int(u64::from_str_radix(n.as_str().trim_start_matches('+'), n.radix()).ok()),
        DeValue::Array(list) => {
            let item = |v: &toml::Spanned<DeValue<'_>>, out: &mut Diagnostics| ConfigItem {
                node: node(file, v.get_ref(), depth + 1, out),
                span: Span::new(file, v.span().start, v.span().end),
            };
            ConfigNode::List(list.iter().map(|v| item(v, out)).collect())
        }
        DeValue::Table(table) => ConfigNode::Table(entries(file, table, depth, out)),
        _ => ConfigNode::Other,
    }
}

fn json(file: FileId, text: &str, out: &mut Diagnostics) -> Vec<ConfigEntry> {
    let mut reader = Json { file, bytes: text.as_bytes(), at: 0 };
    let read = reader.value(0).and_then(|item| {
        reader.blanks();
        if reader.at < reader.bytes.len() { Err("expected the end of the file") } else { Ok(item) }
    });
    match read {
        Ok(ConfigItem { node: ConfigNode::Table(entries), .. }) => entries,
        Ok(_) => Vec::new(),
        Err(message) => {
            syntax(file, reader.at, (reader.at + 1).min(text.len()), message, out);
            Vec::new()
        }
    }
}

/// A JSON reader that keeps places; it stops at the first fault.
struct Json<'a> {
    file: FileId,
    bytes: &'a [u8],
    at: usize,
}

impl Json<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// Takes `,` and says whether another element follows; takes `close` and says that none does.
    fn more(&mut self, close: u8) -> Result<bool, &'static str> {
        self.blanks();
        let byte = self.peek();
        if byte == b',' || byte == close {
            self.at += 1;
            return Ok(byte == b',');
        }
        Err(if close == b'}' { "expected `,` or `}`" } else { "expected `,` or `]`" })
    }

    fn value(&mut self, depth: usize) -> Result<ConfigItem, &'static str> {
        if depth > limits::MAX_DEPTH {
            return Err("values are nested too deeply");
        }
        self.blanks();
        let start = self.at;
        let node = match self.peek() {
            b'{' => ConfigNode::Table(self.list(b'}', |r| r.entry(depth + 1))?),
            b'[' => ConfigNode::List(self.list(b']', |r| r.value(depth + 1))?),
            b'"' => ConfigNode::Text(self.string()?),
            b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
                while matches!(self.peek(), b'0'..=b'9' | b'a'..=b'z' | b'E' | b'+' | b'-' | b'.') {
                    self.at += 1;
                }
                match self.bytes.get(start..self.at).unwrap_or(&[]) {
                    b"true" | b"false" | b"null" => ConfigNode::Other,
                    word if word.iter().all(u8::is_ascii_digit) => {
                        ConfigNode::Int(std::str::from_utf8(word).ok().and_then(|w| w.parse().ok()))
                    }
                    [b'-' | b'0'..=b'9', ..] => ConfigNode::Other,
                    _ => return Err("expected a JSON value"),
                }
            }
            _ => return Err("expected a JSON value"),
        };
        Ok(ConfigItem { node, span: Span::new(self.file, start, self.at) })
    }

    /// What stands between brackets, with commas.
    fn list<T>(
        &mut self,
        close: u8,
        one: impl Fn(&mut Self) -> Result<T, &'static str>,
    ) -> Result<Vec<T>, &'static str> {
        let mut list = Vec::new();
        self.at += 1;
        self.blanks();
        if self.peek() == close {
            self.at += 1;
            return Ok(list);
        }
        loop {
            list.push(one(self)?);
            if !self.more(close)? {
                return Ok(list);
            }
        }
    }

    fn entry(&mut self, depth: usize) -> Result<ConfigEntry, &'static str> {
        self.blanks();
        let start = self.at;
        if self.peek() != b'"' {
            return Err("expected a key in double quotes");
        }
        let key = self.string()?;
        let key_span = Span::new(self.file, start, self.at);
        self.blanks();
        if self.peek() != b':' {
            return Err("expected `:` after a key");
        }
        self.at += 1;
        Ok(ConfigEntry { key, key_span, value: self.value(depth)? })
    }

    fn string(&mut self) -> Result<String, &'static str> {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<String>();
        let read = stream.next();
        self.at = start + stream.byte_offset();
        match read {
            Some(Ok(text)) => Ok(text),
            _ => Err("expected a string"),
        }
    }
}
