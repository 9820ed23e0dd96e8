//! What an instruction does, from the row of the operand table: `{HIGH:LOW}` in a row is these bits of the word.
//!
//! So one row serves all instructions of a family, which the format tells apart by bits that are fixed. A row that names bits which
//! an instruction leaves open gives it no text.

use isaglot_isaspec::Text;
use isaglot_isaspec::syntax::SemanticsDecl;
use isaglot_source::{Diagnostic, Diagnostics};

use super::text::Scope;
use crate::formats::Encoding;

/// Whether a text has bits of the word in it.
pub(super) fn is_pattern(text: &str) -> bool {
    pieces(text).any(|piece| piece.bits.is_some())
}

/// A piece of a text, and the bits that come after it.
struct Piece<'a> {
    text: &'a str,
    bits: Option<(u32, u32)>,
}

fn bits(text: &str) -> Option<((u32, u32), &str)> {
    let (inside, rest) = text.split_once('}')?;
    let (high, low) = inside.split_once(':')?;
    Some(((high.parse().ok()?, low.parse().ok()?), rest))
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let all = rest?;
        for (at, _) in all.match_indices('{') {
            if let Some((bits, after)) = bits(&all[at + 1..]) {
                rest = Some(after);
                return Some(Piece { text: &all[..at], bits: Some(bits) });
            }
        }
        rest = None;
        Some(Piece { text: all, bits: None })
    })
}

/// The text for an instruction; `None` if bits that it names are open.
pub(super) fn of(row: &SemanticsDecl, encoding: &Encoding, out: &mut Diagnostics) -> Option<SemanticsDecl> {
    if !is_pattern(&row.text.value) {
        return Some(row.clone());
    }
    let mut text = String::new();
    for piece in pieces(&row.text.value) {
        text.push_str(piece.text);
        let Some((high, low)) = piece.bits else { continue };
        for bit in (low..=high).rev() {
            text.push(if encoding.pattern.bit(bit)? { '1' } else { '0' });
        }
    }
    // What is wrong with the text has no better place than the row.
    let mut found = Diagnostics::new();
    let tree = isaglot_semantics::parse(row.span.file, row.span.start as usize, &text, &mut found);
    for problem in found.iter() {
        out.push(Diagnostic::error("riscv-operands", problem.message.clone()).label(row.span, "in this row"));
    }
    Some(SemanticsDecl { text: Text::verbatim(&text, row.span), tree, span: row.span })
}

/// The same with what it says in short for people, as a comment at its end. `{b}` is the second operand as the instruction has it.
pub(super) fn with_comment(row: SemanticsDecl, said: Option<&Text>, scope: &Scope<'_>) -> SemanticsDecl {
    let Some(said) = said else { return row };
    const SECOND: [(&str, &str); 4] = [("vs1", "vs1[i]"), ("xs1", "xs1"), ("fs1", "fs1"), ("imm", "imm")];
    let second = SECOND.iter().find(|(field, _)| scope.field(field).is_some()).map_or("", |(_, text)| text);
    let text = format!("{} // {}", row.text.value.trim_end(), said.value.replace("{b}", second));
    SemanticsDecl { text: Text::verbatim(&text, row.span), ..row }
}
