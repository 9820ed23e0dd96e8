//! The shape of a line that a tool prints: texts, and placeholders between them.
//!
//! Blanks at both ends of a line do not count. A blank of a template is one blank or more, and `\t` is a tab with any blanks around it. A
//! placeholder goes up to the first place where the text after it stands; the last one takes the rest.

use crate::limits::MAX_LENGTH_BYTES;

/// What a line is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The address of the instruction.
    pub address: Option<u64>,
    /// How many bytes the instruction has.
    pub bytes: Option<u64>,
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
    Any,
}

const HOLES: [(&str, Hole); 4] =
    [("{text}", Hole::Text), ("{bytes}", Hole::Bytes), ("{address}", Hole::Address), ("{_}", Hole::Any)];

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

/// How many bytes are written here, as digits with anything of `0x`, blanks and commas between them.
fn bytes(text: &str) -> Option<u64> {
    let mut digits = 0_u64;
    for piece in text.split([' ', ',', '\t']).filter(|piece| !piece.is_empty()) {
        let piece = piece.strip_prefix("0x").unwrap_or(piece);
        if !piece.chars().all(|c| c.is_ascii_hexdigit()) || piece.len() % 2 == 1 {
            return None;
        }
        digits += piece.len() as u64;
    }
    let bytes = digits / 2;
    (1..=MAX_LENGTH_BYTES).contains(&bytes).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::Template;

    #[test]
    fn lines() {
        let of = |template: &str, line: &str| Template::new(template).expect("a template").line(line);
        let said = |template, line| of(template, line).map(|l| (l.address, l.bytes, l.text));
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
    }
}
