//! Literals, blanks, and where words end.

use isaglot_invariant::Impossible as _;

use crate::assemble::number::is_word;
use crate::assemble::program::{FieldOp, FieldSyntax, Program};

/// Whether `text` begins with `literal`; literals are short, so bytes are compared in place.
#[inline]
pub(super) fn begins(text: &[u8], literal: &[u8]) -> bool {
    text.len() >= literal.len() && text.iter().zip(literal).all(|(a, b)| a == b)
}

/// Whether a text begins with a number, which may have a sign or be in parentheses.
fn begins_number(text: &[u8]) -> bool {
    let signs = text.iter().take_while(|byte| matches!(byte, b'-' | b'+' | b'~' | b'(' | b' ')).count();
    text.get(signs).is_some_and(u8::is_ascii_digit)
}

/// Whether a reading that ends here leaves a part of a number, or of the name of a register.
pub(super) fn splits_word(program: &Program, text: &[u8], field: &FieldOp, end: usize) -> bool {
    let next = text.get(end).copied();
    let last = end.checked_sub(1).and_then(|i| text.get(i)).copied();
    match &field.syntax {
        FieldSyntax::Number(_) => {
            next.is_some_and(|b| b.is_ascii_digit()) && last.is_some_and(|b| b.is_ascii_alphanumeric())
        }
        FieldSyntax::Table(table) => {
            let words = program.tables.get(*table as usize).is_some_and(|table| table.words);
            words && next.is_some_and(is_word) && last.is_some_and(is_word)
        }
        FieldSyntax::Float | FieldSyntax::Custom(_) | FieldSyntax::Constant(_) => false,
    }
}

/// The position after blanks.
pub(crate) fn skip_blanks(text: &[u8], from: usize) -> usize {
    from + text.get(from..).or_impossible(&[]).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The position after blanks that may stand here: anywhere but within a word.
pub(super) fn skip_between(text: &[u8], from: usize) -> usize {
    let end = skip_blanks(text, from);
    let before = from.checked_sub(1).and_then(|i| text.get(i)).copied();
    let splits_word = end > from && before.is_some_and(is_word) && text.get(end).copied().is_some_and(is_word);
    if splits_word { from } else { end }
}

/// The position after a literal that people may space as they like, and without the mark in it where a number follows; or where the
/// text stops being it.
pub(super) fn relaxed_literal(
    text: &[u8],
    from: usize,
    literal: &[u8],
    mark: Option<u8>,
    any_case: bool,
) -> Result<usize, usize> {
    let mut position = from;
    for (i, &byte) in literal.iter().enumerate() {
        if byte == b' ' {
            let end = skip_blanks(text, position);
            let before = position.checked_sub(1).and_then(|i| text.get(i)).copied();
            let glued = end == position
                && before.is_some_and(is_word)
                && text.get(end).copied().is_some_and(is_word)
                && literal.get(i + 1).is_none_or(|&next| is_word(next));
            if glued {
                return Err(position);
            }
            position = end;
            continue;
        }
        let end = skip_between(text, position);
        if !text.get(end).is_some_and(|this| *this == byte || any_case && this.to_ascii_lowercase() == byte) {
            if mark == Some(byte) && begins_number(text.get(end..).or_impossible(&[])) {
                position = end;
                continue;
            }
            return Err(end);
        }
        position = end + 1;
    }
    Ok(position)
}
