//! Whole programs: labels, sections, directives, data, and every error of a file.
//!
//! Two passes over the statements. The first finds how long each one is, and with that where every label stands; where
//! all instructions have one length it does not look into them. The second assembles, with all labels known. Between
//! them, and only if the caller asks for it, the lengths of branches are chosen (`relax`); otherwise an instruction takes
//! the longest form that its text may be, whatever its symbols turn out to be.
//!
//! The reading of one instruction is [`Assembler`]'s; this module knows nothing about instruction sets but the width of
//! a word and what `nop` is.

mod branches;
mod careful;
mod contexts;
mod directive;
mod emit;
mod expression;
mod layout;
mod link;
mod listing;
mod relax;
mod report;
mod statement;
mod strings;
mod symbols;

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics, FileId};

pub use link::{Contents, Linked};
pub use listing::{Listed, listing};
pub use relax::Relax;

use self::layout::Layout;
use super::Assembler;
use super::limits::MAX_OUTPUT;

/// What is wanted of a program besides its bytes.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Keep what each statement became.
    pub list: bool,
    /// Keep the labels.
    pub symbols: bool,
    /// A text must be what the disassembler prints, but for symbols; a line that could be two things is an error.
    pub strict: bool,
    /// Defined numbers whose values are wanted.
    pub numbers: Vec<String>,
    /// Choose the lengths of branches by how far their labels are.
    pub relax: Option<Relax>,
    /// A label in an instruction is where a branch goes; as a number it is refused.
    pub only_targets: bool,
    /// Labels that another program may replace: branches to them take the longest form.
    pub weak: Vec<String>,
    /// The sections lie in one address space; otherwise each counts from 0 and has labels of its own.
    pub linked: Option<Linked>,
}

/// A program in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// In the order in which they first appear; the nameless one is first.
    pub sections: Vec<Section>,
    /// What each statement became, in the order of the source.
    pub listed: Vec<Listed>,
    /// The labels, by section and then in the order of the source.
    pub labels: Vec<Label>,
    /// The values of [`Setup::numbers`].
    pub numbers: Vec<Option<i64>>,
}

/// A part of a program with places of its own, counted from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// As in `.section NAME`; empty for what stands before the first one.
    pub name: String,
    /// Where it lies; 0 if sections have no addresses.
    pub address: u64,
    /// What its address is a multiple of, in bytes.
    pub align: u64,
    /// What it holds.
    pub contents: Contents,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Index of its section in [`Image::sections`].
    pub section: u32,
    /// Its place in bytes from the start of the section.
    pub offset: u64,
}

impl Image {
    /// All sections, one after the other.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.sections.iter().flat_map(|section| &section.bytes).copied().collect()
    }

    /// The memory from the first section to the last one by their addresses, with zeros in gaps; zeros at the end that a
    /// program has no bytes for are left out. With it comes the address of its first byte.
    ///
    /// # Errors
    /// If that is more than [`MAX_OUTPUT`] bytes: how many.
    pub fn memory(&self) -> Result<(u64, Vec<u8>), u64> {
        let is_there = |s: &&Section| !s.bytes.is_empty() && s.contents != Contents::Note && !s.contents.is_zero();
        let mut there: Vec<&Section> = self.sections.iter().filter(is_there).collect();
        there.sort_by_key(|section| section.address);
        let start = there.first().map_or(0, |section| section.address);
        let end = there.last().map_or(0, |section| section.address - start + section.bytes.len() as u64);
        if end > MAX_OUTPUT {
            return Err(end);
        }
        let mut out = Vec::with_capacity(usize::try_from(end).or_impossible(0));
        for section in there {
            out.resize(usize::try_from(section.address - start).or_impossible(0), 0);
            out.extend_from_slice(&section.bytes);
        }
        Ok((start, out))
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
    assemble_with(assembler, file, text, &Setup { list, ..Setup::default() }, out)
}

/// Assembles a program, with a choice of what is kept and where its sections lie.
pub fn assemble_with(
    assembler: &mut Assembler<'_, '_>,
    file: FileId,
    text: &[u8],
    setup: &Setup,
    out: &mut Diagnostics,
) -> Option<Image> {
    let mut problems = Diagnostics::new();
    assembler.set_strict(setup.strict);
    assembler.leaf_names = true;
    let suspects = assembler.suspects();
    let statements = if suspects.is_safe() && !setup.strict {
        statement::split(file, text, suspects.has_edges(), &mut problems)
    } else {
        careful::split(assembler, &suspects, file, text, &mut problems)
    };
    let mut layout = Layout::new(assembler, file, text, setup, &mut problems);
    let image = layout.place(&statements).then(|| layout.emit(&statements));
    let good = !problems.has_errors();
    // Both passes find some; people read from the top. Those that were dropped for their number are counted.
    let mut sorted: Vec<_> = problems.iter().cloned().collect();
    sorted.sort_by_key(|d| d.span().map_or(0, |span| span.start));
    let dropped = problems.dropped();
    sorted.into_iter().for_each(|d| out.push(d));
    if dropped > 0 {
        out.push(Diagnostic::error("asm-too-many", format!("{dropped} more problems are not shown")));
    }
    image.filter(|_| good)
}

/// The value of an expression of numbers, and of names that `lookup` knows; `None` if it has none. `010` is 10.
#[must_use]
pub fn constant(text: &[u8], lookup: &dyn Fn(&[u8]) -> Option<i64>) -> Option<i64> {
    let unknown = || Diagnostic::error("asm-undefined", "not known");
    let mut names = |name: &[u8], _| lookup(name).ok_or_else(unknown);
    expression::evaluate(FileId(0), text, (0, text.len()), false, &mut names).ok()
}
