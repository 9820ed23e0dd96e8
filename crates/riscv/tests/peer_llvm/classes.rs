//! What differs between two texts, and of which class of the ledger it is.
//!
//! A row of the ledger is `KIND:NAMES`: `only-theirs`, `only-shipped` or `text`, and the names of instructions, in which one `*` is
//! any text. After them, `@+FEATURE` says that both sides have that feature on, `@rv32` that registers have this width, and
//! `@HIGH:LOW=VALUE,VALUE` that these bits of the word have one of the values. The first row that fits counts.

use std::path::Path;

use isaglot_bits::Word;
use isaglot_source::Glob;

/// The rows of a ledger.
pub(crate) struct Classes(Vec<Class>);

struct Class {
    /// The row as it is written.
    id: String,
    kind: String,
    names: Glob,
    feature: Option<String>,
    xlen: Option<u32>,
    /// High bit, low bit, values.
    bits: Vec<(u32, u32, Vec<u64>)>,
}

impl Classes {
    /// Reads a ledger, which may be absent.
    pub(crate) fn read(path: &Path) -> Result<Classes, String> {
        let text =
            if path.exists() { std::fs::read_to_string(path).map_err(|e| e.to_string())? } else { String::new() };
        let rows = text.lines().filter_map(|line| line.split('\t').next()).filter(|id| !id.is_empty());
        let all = rows.map(|id| class(id).ok_or_else(|| format!("{}: `{id}` is no class", path.display())));
        all.collect::<Result<_, _>>().map(Classes)
    }

    /// The class of a difference; one of its own if no row fits.
    pub(crate) fn of(&self, kind: &str, name: &str, word: &Word, xlen: u32, on: &[&str]) -> String {
        let value = |high: u32, low: u32| word.low_u64() >> low & ((1 << (high - low + 1)) - 1);
        let fits = |class: &&Class| {
            class.kind == kind
                && class.names.matched(name).is_some()
                && class.feature.as_deref().is_none_or(|f| on.contains(&f))
                && class.xlen.is_none_or(|x| x == xlen)
                && class.bits.iter().all(|(high, low, values)| values.contains(&value(*high, *low)))
        };
        self.0.iter().find(fits).map_or_else(|| format!("{kind}:{name}"), |class| class.id.clone())
    }
}

fn class(id: &str) -> Option<Class> {
    let (kind, rest) = id.split_once(':')?;
    let mut parts = rest.split('@');
    let mut class = Class {
        id: id.to_owned(),
        kind: kind.to_owned(),
        names: Glob::new(parts.next()?),
        feature: None,
        xlen: None,
        bits: Vec::new(),
    };
    for part in parts {
        if let Some(feature) = part.strip_prefix('+') {
            class.feature = Some(feature.to_owned());
            continue;
        }
        if let Some(xlen) = part.strip_prefix("rv") {
            class.xlen = Some(xlen.parse().ok()?);
            continue;
        }
        let (bits, values) = part.split_once('=')?;
        let (high, low) = bits.split_once(':')?;
        let values = values.split(',').map(|v| v.parse().ok()).collect::<Option<_>>()?;
        class.bits.push((high.parse().ok()?, low.parse().ok()?, values));
    }
    Some(class)
}

/// The kind of a difference, and the instruction.
pub(crate) fn kind<'a>(ours: &'a str, theirs: &'a str) -> Option<(&'static str, &'a str)> {
    let name = |text: &'a str| text.split(' ').next().unwrap_or_default();
    match (ours.is_empty(), theirs.is_empty()) {
        (true, true) => None,
        (true, false) => Some(("only-theirs", name(theirs))),
        (false, true) => Some(("only-shipped", name(ours))),
        (false, false) if plain(ours) == plain(theirs) => None,
        (false, false) => Some(("text", name(ours))),
    }
}

/// A text without blanks, with decimal numbers, and without the rounding mode that the texts of GNU leave out.
fn plain(text: &str) -> String {
    let text = text.replace(' ', "");
    let text = text.strip_suffix(",dyn").unwrap_or(&text);
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let (before, after) = rest.split_at(at);
        let digits = &after[2..];
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let value = u64::from_str_radix(&digits[..end], 16).map_or_else(|_| "?".to_owned(), |n| n.to_string());
        out.push_str(before);
        out.push_str(&value);
        rest = &digits[end..];
    }
    out + rest
}
