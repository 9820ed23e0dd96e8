//! The shape of a line that a tool prints: texts, and placeholders between them.
//!
//! Blanks at both ends of a line do not count. A blank of a template is one blank or more, and `\t` is a tab with any blanks around it. A
//! placeholder goes up to the first place where the text after it stands; the last one takes the rest.

use crate::limits::MAX_LENGTH_BYTES;
use crate::tool;

/// What a line is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The address of the instruction.
    pub address: Option<u64>,
    /// The bytes of the instruction, in the order in which they are written.
    pub bytes: Option<Vec<u8>>,
    /// Which text it is about, counted from 1.
    pub number: Option<u64>,
    /// Which line of the input it is about, counted from 1.
    pub line: Option<u64>,
    /// Its text.
    pub text: String,
}

/// The shape of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Hole(Hole),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hole {
    Text,
    Bytes,
    Address,
    Number,
    Line,
    Any,
}

const HOLES: [(&str, Hole); 6] = [
    ("{text}", Hole::Text),
    ("{bytes}", Hole::Bytes),
    ("{address}", Hole::Address),
    ("{number}", Hole::Number),
    ("{line}", Hole::Line),
    ("{_}", Hole::Any),
];

impl Template {
    /// From its text. `None` if two placeholders have nothing between them.
    #[must_use]
    pub fn new(text: &str) -> Option<Template> {
        let text = squeezed(&text.replace("\\t", "\t"));
        let mut parts: Vec<Part> = Vec::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let next =
                HOLES.iter().filter_map(|(name, hole)| rest.find(name).map(|at| (at, name, *hole))).min_by_key(|n| n.0);
            let Some((at, name, hole)) = next else {
                parts.push(Part::Literal(rest.to_owned()));
                break;
            };
            let (before, after) = rest.split_at(at);
            if !before.is_empty() {
                parts.push(Part::Literal(before.to_owned()));
            } else if matches!(parts.last(), Some(Part::Hole(_))) {
                return None;
            }
            parts.push(Part::Hole(hole));
            rest = after.get(name.len()..).unwrap_or_default();
        }
        Some(Template { parts })
    }

    fn has(&self, hole: Hole) -> bool {
        self.parts.contains(&Part::Hole(hole))
    }

    pub(crate) fn has_address(&self) -> bool {
        self.has(Hole::Address)
    }

    pub(crate) fn has_text(&self) -> bool {
        self.has(Hole::Text)
    }

    pub(crate) fn has_bytes(&self) -> bool {
        self.has(Hole::Bytes)
    }

    /// Whether a line of this shape says which text it is about.
    pub(crate) fn has_number(&self) -> bool {
        self.has(Hole::Number) || self.has(Hole::Line)
    }

    /// What a line says, if it has this shape.
    #[must_use]
    pub fn line(&self, line: &str) -> Option<Line> {
        let line = squeezed(line);
        let mut rest = line.as_str();
        let mut found = Line::default();
        let mut parts = self.parts.iter().peekable();
        while let Some(part) = parts.next() {
            let hole = match part {
                Part::Literal(text) => {
                    // A blank at the end may be cut off, where nothing follows it.
                    rest = match rest.strip_prefix(text.as_str()) {
                        Some(after) => after,
                        None if rest == text.trim_end() => "",
                        None => return None,
                    };
                    continue;
                }
                Part::Hole(hole) => *hole,
            };
            let end = match parts.peek() {
                Some(Part::Literal(text)) => match rest.find(text.as_str()) {
                    Some(at) => at,
                    None => rest.strip_suffix(text.trim_end()).filter(|_| text.trim_end() != text)?.len(),
                },
                _ => rest.len(),
            };
            let (value, after) = rest.split_at(end);
            rest = after;
            match hole {
                Hole::Any => {}
                Hole::Text => found.text = value.trim().to_owned(),
                Hole::Address => found.address = Some(hex(value.trim())?),
                Hole::Bytes => found.bytes = Some(bytes(value)?),
                Hole::Number => found.number = Some(value.trim().parse().ok()?),
                Hole::Line => found.line = Some(value.trim().parse().ok()?),
            }
        }
        rest.is_empty().then_some(found)
    }
}

/// A line without blanks at its ends, with one blank for several, and without blanks around tabs.
fn squeezed(line: &str) -> String {
    let pieces: Vec<String> =
        line.trim().split('\t').map(|piece| piece.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    // A blank that a template has at an end is kept, since it parts placeholders.
    pieces.join("\t")
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

/// The bytes that are written here, as digits with anything of `0x`, blanks and commas between them.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let pieces = text.split([' ', ',', '\t']).filter(|piece| !piece.is_empty());
    let digits = pieces.map(|piece| tool::bytes(piece.strip_prefix("0x").unwrap_or(piece)));
    let bytes = digits.collect::<Option<Vec<Vec<u8>>>>()?.concat();
    (1..=MAX_LENGTH_BYTES).contains(&(bytes.len() as u64)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::Template;

    #[test]
    fn lines() {
        let of = |template: &str, line: &str| Template::new(template).expect("a template").line(line);
        let said = |template, line| of(template, line).map(|l| (l.address, l.bytes.map(|bytes| bytes.len()), l.text));
        let llvm = "{text} # encoding: [{bytes}]";
        assert_eq!(
            said(llvm, "\tlui\tzero, 1  # encoding: [0x37,0x10,0x00,0x00]"),
            Some((None, Some(4), "lui\tzero, 1".into()))
        );
        assert_eq!(said(llvm, "\t.text"), None);
        let gnu = "{address}:\\t{bytes}\\t{text}";
        assert_eq!(said(gnu, "   1c:\t00 11 \tmovw\tr2, r2"), Some((Some(0x1c), Some(2), "movw\tr2, r2".into())));
        assert_eq!(said(gnu, "   1c:\t00 11 x\tmovw"), None);
        assert_eq!(said(gnu, "00000000 <.text>:"), None);
        assert_eq!(said("{_}: {text}", "0: nop"), Some((None, None, "nop".into())));
        assert!(Template::new("{text}{bytes}").is_none());
        let listing = of("{number} {_} {bytes}\\t{_}", "  17 0040 13050500 \taddi a0, a0, 0").expect("a line");
        assert_eq!((listing.number, listing.bytes), (Some(17), Some(vec![0x13, 5, 5, 0])));
        assert_eq!(of("{line} {bytes}", "x1 13"), None);
    }
}
