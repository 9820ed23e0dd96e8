//! The bits of an instruction: a pattern and a list of fields (`encoding`).
//!
//! The invariant: fixed bits and fields partition the word. What breaks it is a fault at the field, or, where an overlay changed
//! the pattern and kept the fields, at the pattern: the newer text is at fault.

use isaglot_bits::{Pattern, Word};
use isaglot_source::{Diagnostic, Span};

use super::faults::Faults;
use crate::Xlen;
use crate::formats::yaml::{Core, Node, Value};
use crate::formats::{Encoding, Field};

/// Reads `encoding`: one for both bases, or one for each.
pub(super) fn read(node: &Node, faults: &mut Faults) -> [Option<Encoding>; 2] {
    if !matches!(node.value, Value::Map(_)) {
        faults.error("udb-bad-type", node.span, format!("expected a mapping, found {}", node.what()));
        return [None, None];
    }
    if node.get("RV32").is_none() && node.get("RV64").is_none() {
        let one = one(node, faults);
        return [one.clone(), one];
    }
    [("RV32", Xlen::Rv32), ("RV64", Xlen::Rv64)].map(|(base, _)| match node.get(base) {
        Some(encoding) => one(encoding, faults),
        None => {
            faults.missing("udb-base-missing", node, base, "the other base has words, this one has none");
            None
        }
    })
}

fn one(node: &Node, faults: &mut Faults) -> Option<Encoding> {
    let Some(place) = node.get("match") else {
        faults.missing("udb-missing-key", node, "match", "an encoding needs a pattern");
        return None;
    };
    let pattern = pattern(place, faults);
    let mut fields = Vec::new();
    for variable in node.get("variables").map_or(&[][..], Node::list) {
        if let Some(field) = field(variable, pattern.as_ref().map(Pattern::width), faults) {
            fields.push((field, variable.get("location").map_or(variable.span, |l| l.span)));
        }
    }
    let pattern = pattern?;
    let uncovered = node.get("variables").map_or(place.span, |v| v.span);
    partition(&pattern, Some(place.span), &fields, uncovered, faults);
    let width = pattern.width();
    Some(Encoding { width, pattern, fields: fields.into_iter().map(|(f, _)| f).collect(), except: Vec::new() })
}

/// Reads the pattern; its length agrees with the last bits.
fn pattern(node: &Node, faults: &mut Faults) -> Option<Pattern> {
    let Some(text) = node.scalar() else {
        faults.error("udb-bad-type", node.span, format!("expected a pattern, found {}", node.what()));
        return None;
    };
    if let Some((at, bad)) = text.char_indices().find(|(_, c)| !matches!(c, '0' | '1' | '-')) {
        let message = format!("expected 0, 1 or -, found `{}` at position {at}", bad.escape_default());
        faults.error("udb-match-charset", node.span, message);
        return None;
    }
    let expected = match text.len() {
        16 if ["00", "01", "10"].iter().any(|end| text.ends_with(end)) => None,
        16 => Some("expected 16 characters to end in 00, 01 or 10"),
        32 if text.ends_with("11") && !text.ends_with("11111") => None,
        32 => Some("expected 32 characters to end in 11, and not in 11111"),
        48 if text.ends_with("11111") => None,
        48 => Some("expected 48 characters to end in 11111"),
        _ => Some("expected 16, 32 or 48 characters"),
    };
    if let Some(expected) = expected {
        let found = match text.len() {
            length @ (16 | 32 | 48) => format!("`{}`", &text[length - 5..]),
            length => format!("{length} characters"),
        };
        faults.error("udb-match-length", node.span, format!("{expected}, found {found}"));
        return None;
    }
    Pattern::parse(text).ok()
}

/// Reads one field.
fn field(node: &Node, width: Option<u32>, faults: &mut Faults) -> Option<Field> {
    let name = node.get("name")?;
    let location = node.get("location")?;
    let mut bits: Vec<Option<u32>> = location_bits(location, width, faults)?.into_iter().map(Some).collect();
    let shift = match node.get("left_shift") {
        None => 0,
        Some(place) => shift(place, faults),
    };
    bits.extend(std::iter::repeat_n(None, shift));
    let given = node.get("not").map_or(&[][..], Node::one_or_more);
    let not = given.iter().filter_map(|value| excluded(value, bits.len(), shift, faults)).collect();
    Some(Field {
        name: name.scalar()?.to_owned(),
        bits,
        signed: node.get("sign_extend").and_then(Node::bool).unwrap_or(false),
        not,
        file: None,
        access: None,
        alias: node.get("alias").and_then(Node::scalar).map(str::to_owned),
        span: name.span,
    })
}

fn shift(place: &Node, faults: &mut Faults) -> usize {
    match place.int() {
        Some(n @ 0..=63) => n as usize,
        Some(n) => {
            faults.error("udb-bad-value", place.span, format!("expected 0 to 63, found {n}"));
            0
        }
        // The form of the file says what is expected.
        None => 0,
    }
}

/// A value that is not allowed: written without the implied zeros, kept with them.
fn excluded(value: &Node, width: usize, shift: usize, faults: &mut Faults) -> Option<u64> {
    let n = value.int()?;
    let own = width - shift;
    if n < 0 || own >= 64 || n >= 1 << own {
        let fault = Diagnostic::error("udb-not-out-of-range", format!("{n} does not fit the {own} bits of the field"));
        faults.push(fault.label(value.span, ""));
        return None;
    }
    Some((n as u64) << shift)
}

/// The bits of a location, most significant first: `31|7|30-25|11-8`, within a word of `width` bits.
pub(super) fn location_bits(node: &Node, width: Option<u32>, faults: &mut Faults) -> Option<Vec<u32>> {
    let text = match node.core() {
        Some(Core::Int(_) | Core::Text) => node.scalar().unwrap_or_default(),
        _ => {
            faults.error(
                "udb-bad-type",
                node.span,
                format!("expected a location such as 31-25, found {}", node.what()),
            );
            return None;
        }
    };
    let mut bits = Vec::new();
    for piece in text.split('|') {
        let number = |s: &str| s.parse::<u32>().ok().filter(|_| s.bytes().all(|b| b.is_ascii_digit()));
        let ends = match piece.split_once('-') {
            Some((high, low)) => number(high).zip(number(low)),
            None => number(piece).map(|bit| (bit, bit)),
        };
        let problem = match ends {
            None => Some(format!("expected bits such as 31-25 or 7, found `{piece}`")),
            Some((high, low)) if high < low => Some(format!("the higher bit comes first: {low}-{high}")),
            Some((high, _)) if high >= width.unwrap_or(48) => {
                Some(format!("bit {high} is outside of the {} bits of the word", width.unwrap_or(48)))
            }
            Some(_) => None,
        };
        if let Some(problem) = problem {
            faults.error("udb-field-range", node.span, problem);
            return None;
        }
        let (high, low) = ends.unwrap_or_default();
        bits.extend((low..=high).rev());
        if bits.len() > 64 {
            faults.error("udb-field-range", node.span, "a field has 64 bits at most");
            return None;
        }
    }
    Some(bits)
}

/// Checks that fixed bits and fields partition the word. Each field comes with the place of its location. Where both belong to one
/// object and the pattern is in a later file, that is an overlay, which is at fault.
pub(super) fn partition(
    pattern: &Pattern,
    fixed: Option<Span>,
    fields: &[(Field, Span)],
    uncovered: Span,
    faults: &mut Faults,
) {
    let width = pattern.width();
    let mut owner: Vec<Option<usize>> = vec![None; width as usize];
    for (at, (field, place)) in fields.iter().enumerate() {
        if let Some((other, _)) = fields[..at].iter().find(|(f, _)| f.name == field.name) {
            let fault = Diagnostic::error("udb-duplicate-field", format!("two fields have the name `{}`", field.name));
            faults.push(fault.label(field.span, "").secondary(other.span, "the other one"));
        }
        let bits = || field.bits.iter().flatten().copied();
        let on_fixed: Vec<u32> = bits().filter(|&bit| pattern.care().bit(bit)).collect();
        if !on_fixed.is_empty() {
            let message = format!("`{}` covers {}, which the pattern fixes", field.name, list(&on_fixed));
            let fault = Diagnostic::error("udb-field-overlaps-match", message);
            faults.push(match fixed {
                Some(fixed) if fixed.file > place.file => fault.label(fixed, "").secondary(*place, "the field"),
                Some(fixed) => fault.label(*place, "").secondary(fixed, "the pattern"),
                None => fault.label(*place, ""),
            });
        }
        let on_field: Vec<u32> = bits().filter(|&bit| owner[bit as usize].is_some()).collect();
        if let Some(&bit) = on_field.first() {
            let (other, second) =
                owner[bit as usize].map(|at| (&fields[at].0, fields[at].1)).unwrap_or((field, *place));
            let message = format!("`{}` covers {}, which is in `{}`", field.name, list(&on_field), other.name);
            faults.push(Diagnostic::error("udb-field-overlaps-field", message).label(*place, "").secondary(second, ""));
        }
        bits().for_each(|bit| owner[bit as usize] = owner[bit as usize].or(Some(at)));
    }
    let free: Vec<u32> =
        (0..width).rev().filter(|&bit| !pattern.care().bit(bit) && owner[bit as usize].is_none()).collect();
    if !free.is_empty() {
        let verb = if free.len() == 1 { "is" } else { "are" };
        let message = format!("{} {verb} neither fixed nor in a field", list(&free));
        faults.warning("udb-field-uncovered", uncovered, message);
    }
}

/// `bit 7` or `bits 31-25|7`.
fn list(bits: &[u32]) -> String {
    let mut word = Word::zero(64);
    bits.iter().for_each(|&bit| word.set_bit(bit, true));
    let pieces: Vec<String> = word.runs().iter().rev().map(|run| run.to_string().replace(':', "-")).collect();
    format!("{} {}", if bits.len() == 1 { "bit" } else { "bits" }, pieces.join("|"))
}
