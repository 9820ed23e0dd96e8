//! What the texts of an instruction name: operands and pseudo-instructions.
//!
//! The problem: `assembly` and `pseudoinstructions` were never checked by the database's tools, so they name what is not there. Words
//! do not depend on them, so all this is warnings; those that come by the dozen are told in detail only where details are asked for.

use isaglot_source::{Diagnostic, Span};

use super::faults::Faults;
use super::tree::Document;
use crate::formats::roles::{is_made, names};
use crate::formats::yaml::Node;
use crate::formats::{Encoding, Instruction};

/// Operands that mean a field of another name, over the whole tree.
#[derive(Default)]
pub(super) struct ByRole {
    count: usize,
    first: Option<(String, Span)>,
}

impl ByRole {
    /// Says once for all of them that there are such operands.
    pub(super) fn summary(self, faults: &mut Faults) {
        if let Some((message, place)) = self.first {
            let more =
                if self.count > 1 { format!(", and {} more operands like it", self.count - 1) } else { String::new() };
            faults.warning("udb-operand-by-role", place, message + &more);
        }
    }
}

/// Reports operands that mean no field, and those that mean one of another name.
pub(super) fn operands(i: &Instruction, details: bool, others: &mut ByRole, faults: &mut Faults) {
    let (Some((text, span)), Some(encoding)) = (&i.operands, i.encodings.iter().flatten().next()) else { return };
    for (at, name) in names(text) {
        let place = Span::new(span.file, span.start as usize + at, span.start as usize + at + name.len());
        match field(i, name) {
            Some(field) if field == name => {}
            None if is_made(&i.name, name) => {}
            None => {
                let near = isaglot_source::closest(name, encoding.fields.iter().map(|f| f.name.as_str()));
                let fault = Diagnostic::warning("udb-assembly-unknown-operand", format!("no field is called `{name}`"));
                faults.push(fault.label(place, "").did_you_mean(near));
            }
            Some(field) => {
                let message = format!("`{name}` is taken for the field `{field}`");
                if details {
                    faults.warning("udb-operand-by-role", place, message.clone());
                }
                others.count += 1;
                others.first.get_or_insert((message, place));
            }
        }
    }
}

/// The name of the field that an operand means, for either base.
fn field<'i>(i: &'i Instruction, name: &str) -> Option<&'i str> {
    let of = |e: &'i Encoding| e.operand(name).map(|f| f.name.as_str());
    i.encodings.iter().flatten().find_map(of)
}

/// Reports pseudo-instructions whose condition or text names what is not a field.
pub(super) fn pseudo(document: &Document, i: &Instruction, faults: &mut Faults) {
    for entry in document.root.get("pseudoinstructions").map_or(&[][..], Node::list) {
        let condition = entry.get("when").and_then(|n| Some((n, n.scalar()?)));
        // The first word of the text is the name of the pseudo-instruction.
        let text = entry.get("to").and_then(|n| Some((n, n.scalar()?)));
        let operands = text.map(|(node, text)| (node, text.split_once(' ').map_or("", |(_, operands)| operands)));
        for (node, text) in condition.into_iter().chain(operands) {
            let unknown = |name: &&str| field(i, name) != Some(name) && !is_made(&i.name, name);
            for name in names(text).into_iter().map(|(_, name)| name).filter(unknown) {
                faults.warning("udb-pseudo-unknown-name", node.span, format!("no field is called `{name}`"));
            }
        }
        if let Some((node, text)) = condition.filter(|(_, text)| !is_expression(text)) {
            faults.warning("udb-pseudo-syntax", node.span, format!("`{text}` is not an expression"));
        }
    }
}

/// Whether operands and operators alternate, and parentheses match. What operators mean is not looked at.
fn is_expression(text: &str) -> bool {
    let (mut depth, mut wants_operand) = (0_usize, true);
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '$');
        let length = match first {
            c if part(c) => {
                let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
                // A call has its arguments in parentheses.
                let called = rest[length..].starts_with('(');
                if !wants_operand {
                    return false;
                }
                wants_operand = called;
                if called && rest[length..].starts_with("()") {
                    wants_operand = false;
                    length + 2
                } else {
                    length
                }
            }
            '(' if wants_operand => {
                depth += 1;
                1
            }
            ')' if !wants_operand && depth > 0 => {
                depth -= 1;
                1
            }
            '-' | '~' | '!' if wants_operand => 1,
            _ if !wants_operand => {
                let operators =
                    ["&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^"];
                let Some(operator) = operators.iter().find(|o| rest.starts_with(**o)) else { return false };
                wants_operand = true;
                operator.len()
            }
            _ => return false,
        };
        rest = rest[length..].trim_start();
    }
    depth == 0 && !wants_operand
}
