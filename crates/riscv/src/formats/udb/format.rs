//! The bits of an instruction by its type (`format`): opcodes with values, and variables with kinds.
//!
//! Everything comes from building blocks in other files, so a fault is mostly there. The invariant is that of `encoding`: opcodes
//! and variables partition the word.

use isaglot_bits::{Pattern, Word};
use isaglot_source::{Diagnostic, Span};

use super::encoding::{location_bits, partition};
use super::faults::Faults;
use super::tree::{Document, Tree};
use crate::formats::yaml::{Node, Value};
use crate::formats::{Encoding, Field};

/// Reads `format` of an instruction, where its references are resolved.
pub(super) fn read(node: &Node, tree: &Tree, faults: &mut Faults) -> Option<Encoding> {
    if !matches!(node.value, Value::Map(_)) {
        faults.error("udb-bad-type", node.span, format!("expected a mapping, found {}", node.what()));
        return None;
    }
    let width = width(node, tree, faults)?;
    let (mut value, mut care) = (Word::zero(width), Word::zero(width));
    let mut owners: Vec<(String, Span)> = Vec::new();
    let mut owner: Vec<Option<usize>> = vec![None; width as usize];
    let opcodes = node.get("opcodes").map_or(&[][..], Node::map);
    for (key, opcode) in opcodes.iter().filter(|(key, _)| !key.text.starts_with('$')) {
        if opcode.get("value").is_none() && opcode.get("location").is_some() {
            let message = format!("opcode `{}` of the type gets no value", key.text);
            match node.get("opcodes").filter(|own| own.span.file != opcode.span.file) {
                Some(own) => faults.missing("udb-opcode-without-value", own, &key.text, message),
                None => faults.error("udb-opcode-without-value", opcode.span, message),
            }
            continue;
        }
        let Some((bits, number, place)) = self::opcode(&key.text, opcode, width, tree, faults) else { continue };
        if let Some(&bit) = bits.iter().find(|&&bit| care.bit(bit)) {
            let (other, span) = owner[bit as usize].and_then(|at| owners.get(at)).cloned().unwrap_or_default();
            let message = format!("opcodes `{}` and `{other}` both have bit {bit}", key.text);
            faults.push(
                Diagnostic::error("udb-opcode-overlap", message).label(place, "").secondary(span, "the other one"),
            );
        }
        for (at, &bit) in bits.iter().rev().enumerate() {
            care.set_bit(bit, true);
            value.set_bit(bit, number >> at & 1 == 1);
            owner[bit as usize] = Some(owners.len());
        }
        owners.push((key.text.to_string(), place));
    }
    let mut fields = Vec::new();
    let variables = node.get("variables").map_or(&[][..], Node::map);
    for (key, variable) in variables.iter().filter(|(key, _)| !key.text.starts_with('$')) {
        let Some(location) = variable.get("location") else {
            faults.missing("udb-missing-key", variable, "location", format!("variable `{}` has no location", key.text));
            continue;
        };
        let Some(bits) = location_bits(location, Some(width), faults) else { continue };
        let kind = reference(variable.get("type"), tree);
        let is_register = kind.and_then(|k| k.root.get("type")?.scalar()) == Some("register_reference");
        let of = |name: &str| kind.filter(|_| is_register)?.root.get(name)?.scalar().map(str::to_owned);
        let field = Field {
            name: key.text.to_string(),
            bits: bits.into_iter().map(Some).collect(),
            signed: variable.get("sign_extend").and_then(Node::bool).unwrap_or(false),
            not: Vec::new(),
            file: of("register_file"),
            access: of("access"),
            alias: variable.get("alias").and_then(Node::scalar).map(str::to_owned),
            span: key.span,
        };
        fields.push((field, location.span));
    }
    let pattern = Pattern::new(&value, care);
    partition(&pattern, None, &fields, node.span, faults);
    Some(Encoding { width, pattern, fields: fields.into_iter().map(|(f, _)| f).collect(), except: Vec::new() })
}

/// The length of the word is that of the type.
fn width(node: &Node, tree: &Tree, faults: &mut Faults) -> Option<u32> {
    let Some(kind) = node.get("type") else {
        faults.missing("udb-missing-key", node, "type", "the length of the word comes from the type");
        return None;
    };
    // A reference that leads nowhere is reported with all others.
    let document = reference(Some(kind), tree)?;
    let Some(length) = document.root.get("length") else {
        let message = format!("`{}` is not the type of an instruction: it has no length", document.path);
        faults.error("udb-bad-value", kind.span, message);
        return None;
    };
    match length.int() {
        Some(width @ (16 | 32 | 48)) => Some(width as u32),
        _ => {
            faults.error("udb-bad-value", length.span, "expected 16, 32 or 48");
            None
        }
    }
}

/// The bits of an opcode, its value, and the place of its location.
fn opcode(name: &str, node: &Node, width: u32, tree: &Tree, faults: &mut Faults) -> Option<(Vec<u32>, u64, Span)> {
    let Some(location) = node.get("location") else {
        let message = format!("the type of the instruction has no opcode `{name}`, so this has no place");
        faults.push(Diagnostic::error("udb-opcode-without-location", message).label(node.span, ""));
        return None;
    };
    let value = node.get("value")?;
    let bits = location_bits(location, Some(width), faults)?;
    let inner = reference(Some(value), tree).and_then(|d| d.root.get("data")?.get("value")).unwrap_or(value);
    let number = match (inner.int(), inner.scalar().and_then(quoted_number)) {
        (Some(n), _) | (None, Some(n)) => n,
        _ => {
            faults.error("udb-bad-type", inner.span, format!("expected an integer, found {}", inner.what()));
            return None;
        }
    };
    if number < 0 || (bits.len() < 64 && number >= 1 << bits.len()) {
        let message = format!("{number} does not fit the {} bits of `{name}`", bits.len());
        let fault = Diagnostic::error("udb-value-too-wide", message);
        faults.push(fault.label(inner.span, "").secondary(location.span, "these bits"));
        return None;
    }
    Some((bits, number as u64, location.span))
}

/// Integers are accepted as text too: `"0b101"`, `"0x1f"`.
fn quoted_number(text: &str) -> Option<i128> {
    let (digits, radix) = match text.strip_prefix("0b") {
        Some(digits) => (digits, 2),
        None => (text.strip_prefix("0x")?, 16),
    };
    i128::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with(['+', '-']))
}

/// The file that `$ref` of a node names.
fn reference<'t, 'a>(node: Option<&Node>, tree: &'t Tree<'a>) -> Option<&'t Document<'a>> {
    let target = node?.get("$ref")?.scalar()?;
    tree.get(target.split('#').next().unwrap_or_default())
}
