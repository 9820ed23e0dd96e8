//! Whole programs: labels, sections, directives, data, and every error of a file.
//!
//! Two passes over the statements. The first finds how long each one is, and with that where every label stands; where
//! all instructions have one length it does not look into them. The second assembles, with all labels known. An
//! instruction never changes its length between the passes: it is fixed before labels are known, so there is no
//! relaxation and no dependence on order.
//!
//! The reading of one instruction is [`Assembler`]'s; this module knows nothing about instruction sets but the width of
//! a word and what `nop` is.

mod directive;
mod expression;
mod layout;
mod listing;
mod report;
mod statement;
mod symbols;

use isaglot_source::{Diagnostic, Diagnostics, FileId};

pub use listing::{Listed, listing};

use self::layout::Layout;
use super::Assembler;

/// A program in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// In the order in which they first appear; the nameless one is first.
    pub sections: Vec<Section>,
    /// What each statement became, in the order of the source.
    pub listed: Vec<Listed>,
}

/// A part of a program with places of its own, counted from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// As in `.section NAME`; empty for what stands before the first one.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Image {
    /// All sections, one after the other.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.sections.iter().flat_map(|section| &section.bytes).copied().collect()
    }
}

/// Assembles a program. `file` is the file that `text` is, for places in messages. Every problem is added to `out`;
/// with an error among them there is no program. What is listed is kept only with `list`.
pub fn assemble(
    assembler: &mut Assembler<'_, '_>,
    file: FileId,
    text: &[u8],
    list: bool,
    out: &mut Diagnostics,
) -> Option<Image> {
    let mut problems = Diagnostics::new();
    let statements = statement::split(file, text, &mut problems);
    let mut layout = Layout::new(assembler, file, text, &mut problems);
    layout.place(&statements);
    let image = layout.emit(&statements, list);
    let good = !problems.has_errors();
    // Both passes find some; people read from the top. Those that were dropped for their number are counted.
    let mut sorted: Vec<_> = problems.iter().cloned().collect();
    sorted.sort_by_key(|d| d.span().map_or(0, |span| span.start));
    let dropped = problems.dropped();
    sorted.into_iter().for_each(|d| out.push(d));
    if dropped > 0 {
        out.push(Diagnostic::error("asm-too-many", format!("{dropped} more problems are not shown")));
    }
    good.then_some(image)
}
