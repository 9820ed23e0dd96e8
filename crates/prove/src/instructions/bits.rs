//! Bits of a word as terms: patterns, fields, operands.

use isaglot_bits::Pattern;
use isaglot_model::{EncodingId, FieldSource, Isa, Node, Piece};
use isaglot_semantics::BinaryOp;

use super::Reason;
use crate::symbolic::Binding;
use crate::term::{TermId, Terms};

/// One bit: the word matches.
pub(super) fn matches(terms: &mut Terms, word: TermId, pattern: &Pattern) -> TermId {
    let width = terms.width(word);
    let (care, value) = (terms.word(pattern.care().resized(width)), terms.word(pattern.value().resized(width)));
    let kept = terms.binary(BinaryOp::And, word, care);
    terms.binary(BinaryOp::Eq, kept, value)
}

/// Bits of the word, the most significant first; `None` is a zero.
pub(super) fn of_word(terms: &mut Terms, word: TermId, bits: &[Option<u32>]) -> TermId {
    let mut made: Option<TermId> = None;
    for bit in bits {
        let part = match bit {
            Some(at) => terms.slice(word, *at, 1),
            None => terms.number(0, 1),
        };
        made = Some(made.map_or(part, |upper| terms.concat(upper, part)));
    }
    made.unwrap_or_else(|| terms.number(0, 1))
}

/// What the operands of an encoding are; those that its text does not use are zero.
pub(super) fn operands(
    isa: &Isa,
    id: EncodingId,
    used: &[bool],
    terms: &mut Terms,
    word: TermId,
) -> Result<Vec<Binding>, Reason> {
    let encoding = &isa[id];
    let mut made = Vec::new();
    for (n, name) in isa.semantic_operands(encoding).into_iter().enumerate() {
        if !used.get(n).copied().unwrap_or(false) {
            made.push(Binding::Immediate(terms.number(0, 1)));
            continue;
        }
        let unclear =
            |why: &str| ("unclear-operand", format!("`{}` of `{}` {why}", isa.text(name), encoding.display_name));
        let case = encoding.cases.iter().find(|c| c.fields.iter().any(|f| f.name == name));
        let case = case.ok_or_else(|| unclear("is not defined"))?;
        if case.guard.is_some() {
            return Err(unclear("depends on a condition"));
        }
        let field = case.fields.iter().find(|f| f.name == name).ok_or_else(|| unclear("is not defined"))?;
        let pieces = match &field.source {
            FieldSource::Bits(pieces) => pieces,
            FieldSource::Derived(expr) => {
                let constant = match isa[*expr].nodes.as_slice() {
                    [Node::Const(n, _)] => *n,
                    _ => return Err(unclear("is computed")),
                };
                made.push(Binding::Immediate(terms.number(constant, field.width)));
                continue;
            }
        };
        let mut value: Option<TermId> = None;
        for piece in pieces {
            let part = match piece {
                Piece::Bits(range) => terms.slice(word, range.lo, range.width),
                Piece::Implied { width, value } => terms.number(*value, *width),
            };
            value = Some(value.map_or(part, |upper| terms.concat(upper, part)));
        }
        made.push(Binding::Immediate(value.ok_or_else(|| unclear("has no bits"))?));
    }
    Ok(made)
}
