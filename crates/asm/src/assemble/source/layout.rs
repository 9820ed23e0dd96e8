//! The first pass: where everything stands. `emit` is the second, which makes the bytes.
//!
//! Example, where instructions have 2 or 4 bytes:
//!
//! ```text
//! statement              first pass            second pass
//! start:                 start = 0
//!   addi a0, a0, 1       2 bytes, word known   the word of the first pass
//!   beqz a0, end         4 bytes, form known   `end` is 10 now: distance 8
//!   j start              4 bytes, form known   `start` is 0: distance -6
//! end:                   end = 10
//!   .word end - start    4 bytes               10
//! ```
//!
//! In the first pass every symbol is [`Symbol::Later`]: a branch takes the longest of the encodings that its text may be,
//! so that its distance, whatever it turns out to be, changes no length. The second pass tries the same form again. Where
//! lengths are to be chosen ([`Setup::relax`]), the branches are kept as items and decided after the first pass.

use isaglot_bits::Word;
use isaglot_model::Spelling;
use isaglot_source::{Diagnostic, Diagnostics, FileId};
use rustc_hash::FxHashMap;

use super::Setup;
use super::branches::nops;
use super::contexts::Contexts;
use super::directive::{self, Directive};
use super::link::{self, Contents, Extent};
use super::relax::{Item, Kinds};
use super::statement::{Statement, StatementKind, TextSlice};
use super::symbols::{Place, Symbols};
use crate::assemble::assembler::{Assembler, Made, Met, Recalled};
use crate::assemble::limits::MAX_OUTPUT;
use crate::assemble::symbol::{Site, Symbol};

/// A program being laid out.
pub(super) struct Layout<'x, 'p, 'a> {
    pub(super) assembler: &'x mut Assembler<'p, 'a>,
    pub(super) file: FileId,
    pub(super) text: &'x [u8],
    pub(super) setup: &'x Setup,
    pub(super) out: &'x mut Diagnostics,
    pub(super) symbols: Symbols<'x>,
    pub(super) sections: Vec<SectionPart>,
    by_name: FxHashMap<&'x [u8], usize>,
    pub(super) section: usize,
    /// The width that instructions must have from here on.
    pub(super) bits: Option<u32>,
    /// Where instructions differ in length: what is known of each after the first pass, in order.
    pub(super) measured: Vec<Measured>,
    /// Bytes of all sections after the first pass.
    total: u64,
    /// The words of `nop`, the shortest first.
    pub(super) nops: Vec<Word>,
    /// The kinds of branches whose lengths are chosen.
    pub(super) kinds: Kinds,
    /// The contexts that instructions give to those after them.
    pub(super) contexts: Contexts<'p, 'a>,
}

/// What is known of an instruction before its symbols are.
#[derive(Clone, Copy)]
pub(super) enum Measured {
    /// The word: it does not depend on symbols.
    Word { word: u64, bits: u32 },
    /// Its width, and by which form it was read, if by one only.
    Width { bits: u32, form: Option<u32> },
    /// It is an item of its section, with this number.
    Item(u32),
    /// It cannot be assembled, or is too long.
    Failed,
}

/// What is noted of a line that was met: its length is not to be chosen; the index of its kind, from here on.
pub(super) const PLAIN: u32 = 0;
pub(super) const FIRST_KIND: u32 = 1;

/// The value of a word that [`Layout::append_value`] takes.
pub(super) fn short(word: &Word) -> Option<u64> {
    let bits = word.width();
    (bits <= 64 && bits.is_multiple_of(8)).then(|| word.low_u64())
}

/// A section in the making.
pub(super) struct SectionPart {
    pub(super) name: String,
    pub(super) contents: Contents,
    /// The largest alignment of what is in it.
    pub(super) align: u64,
    /// Where it lies.
    pub(super) base: u64,
    /// Size in bytes after the first pass.
    pub(super) measured: u64,
    /// Size in bytes so far.
    pub(super) size: u64,
    pub(super) bytes: Vec<u8>,
    /// What changes its size after the first pass.
    pub(super) items: Vec<Item>,
}

impl SectionPart {
    fn extent(&self) -> Extent<'_> {
        Extent { name: &self.name, contents: self.contents, size: self.size, align: self.align }
    }
}

impl<'x, 'p, 'a> Layout<'x, 'p, 'a> {
    pub(super) fn new(
        assembler: &'x mut Assembler<'p, 'a>,
        file: FileId,
        text: &'x [u8],
        setup: &'x Setup,
        out: &'x mut Diagnostics,
    ) -> Self {
        let octal = assembler.plan().isa().spelling() >= Spelling::Mnemonics;
        let symbols = Symbols::new(file, text, assembler.place_bytes(), octal, setup.linked.is_some());
        let nops = nops(assembler);
        let contexts = Contexts::new(assembler.plan());
        let mut layout = Layout {
            assembler,
            file,
            text,
            setup,
            out,
            symbols,
            sections: Vec::new(),
            by_name: FxHashMap::default(),
            section: 0,
            bits: None,
            measured: Vec::new(),
            total: 0,
            nops,
            kinds: Kinds::default(),
            contexts,
        };
        layout.enter(layout.first(), None);
        layout
    }

    /// The name of the section that the program begins in.
    pub(super) fn first(&self) -> &'x [u8] {
        self.setup.linked.as_ref().map_or(&[][..], |linked| linked.first.as_bytes())
    }

    /// Bytes of an instruction, if all have one length.
    pub(super) fn fixed(&self) -> Option<u64> {
        let format = self.assembler.plan().isa().format();
        format.lengths.is_empty().then_some(u64::from(format.max_bits / 8))
    }

    /// Makes a section the current one.
    pub(super) fn enter(&mut self, name: &'x [u8], contents: Option<Contents>) {
        self.section = match self.by_name.get(name) {
            Some(&section) => section,
            None => {
                let section = self.sections.len();
                self.by_name.insert(name, section);
                self.symbols.add_section();
                let name = String::from_utf8_lossy(name).into_owned();
                let contents = contents.unwrap_or_else(|| Contents::of_name(&name));
                let align = u64::from(self.assembler.plan().isa().format().parcel_bits / 8).max(1);
                let align = if contents == Contents::Code { align } else { 1 };
                self.sections.push(SectionPart {
                    name,
                    contents,
                    align,
                    base: 0,
                    measured: 0,
                    size: 0,
                    bytes: Vec::new(),
                    items: Vec::new(),
                });
                section
            }
        };
    }

    /// Where the current section ends, in bytes.
    pub(super) fn size(&self) -> u64 {
        self.sections.get(self.section).map_or(0, |part| part.size)
    }

    /// The first pass: how long everything is, and so where the labels are. `false` if it is too much.
    pub(super) fn place(&mut self, statements: &[Statement]) -> bool {
        self.assembler.set_exact(false);
        let fixed = self.fixed();
        for statement in statements {
            let place = self.here();
            let name = statement.piece.of(self.text);
            let span = statement.piece.span(self.file);
            let size = match statement.kind {
                StatementKind::Label => self.symbols.label(place, name, span).map(|()| 0),
                StatementKind::Define => self.symbols.define(place, name, span, statement.rest).map(|()| 0),
                StatementKind::Data | StatementKind::NoMatch | StatementKind::Raw => Ok(self.unit()),
                StatementKind::Instruction => Ok(fixed.unwrap_or_else(|| self.measure(statement.piece))),
                StatementKind::Directive => self.measure_directive(statement),
            };
            match size {
                Ok(size) => {
                    self.total = self.total.saturating_add(size);
                    if self.total > MAX_OUTPUT {
                        let d = Diagnostic::error("asm-too-large", format!("the program exceeds {MAX_OUTPUT} bytes"));
                        self.out.push(d.label(statement.piece.span(self.file), "here"));
                        return false;
                    }
                    if let Some(part) = self.sections.get_mut(self.section) {
                        part.size += size;
                    }
                }
                Err(d) => self.out.push(d),
            }
        }
        self.contexts.leave(self.assembler);
        self.relax();
        self.lie()
    }

    /// Whether the lengths of branches are chosen here.
    pub(super) fn chooses(&self) -> bool {
        self.setup.relax.is_some() && !self.assembler.exact
    }

    /// The place of the next statement.
    fn here(&self) -> Place {
        let part = self.sections.get(self.section);
        let (offset, items) = part.map_or((0, 0), |part| (part.size, part.items.len() as u32));
        Place { section: self.section, offset, items }
    }

    /// Gives the sections their addresses.
    fn lie(&mut self) -> bool {
        let Some(linked) = &self.setup.linked else {
            self.symbols.settle();
            return true;
        };
        let extents: Vec<Extent<'_>> = self.sections.iter().map(SectionPart::extent).collect();
        match link::lay_out(linked, &extents) {
            Ok(bases) => {
                for (part, &base) in self.sections.iter_mut().zip(&bases) {
                    part.base = base;
                }
                let thread = self.sections.iter().filter(|part| part.contents.is_thread() && part.size > 0);
                self.symbols.lie_at(bases, thread.map(|part| part.base).min());
                self.symbols.settle();
                true
            }
            Err(d) => {
                self.out.push(d);
                false
            }
        }
    }

    /// Bytes of a data word: of an instruction, or of the shortest one.
    pub(super) fn unit(&self) -> u64 {
        self.fixed().unwrap_or(u64::from(self.assembler.plan().isa().format().parcel_bits / 8))
    }

    /// How long an instruction is, whatever its symbols turn out to be.
    #[inline]
    fn measure(&mut self, piece: TextSlice) -> u64 {
        let later = |_: &[u8]| Some(Symbol::Later);
        let site = Site { symbol: &later, here: self.size(), place_bytes: 1 };
        let in_context = self.contexts.enter(self.assembler);
        let (measured, bits) = match self.assembler.measure(piece.of(self.text), site, self.bits) {
            Ok(Met::Word(word)) => {
                let bits = word.width();
                self.contexts.pass(&word);
                (short(&word).map_or(Measured::Width { bits, form: None }, |word| Measured::Word { word, bits }), bits)
            }
            Ok(Met::Recalled(Recalled { form, bits, note }, at)) => match note.checked_sub(FIRST_KIND) {
                Some(kind) => {
                    self.contexts.pass_any();
                    return self.branch(piece, at, kind);
                }
                None => {
                    self.contexts.pass_any();
                    (Measured::Width { bits, form: Some(form) }, bits)
                }
            },
            Ok(Met::New { made: Made { word, form, .. }, symbol }) => {
                let bits = word.width();
                self.contexts.pass(&word);
                // The lengths of branches are chosen outside of contexts only.
                if let (Some(at), Some(form), false) = (symbol, form, in_context)
                    && let Some(kind) = self.meet(piece.of(self.text).trim_ascii(), at, (form, bits))
                {
                    return self.branch(piece, at, kind);
                }
                (Measured::Width { bits, form }, bits)
            }
            Err(_) => (Measured::Failed, self.assembler.plan().isa().format().parcel_bits),
        };
        self.measured.push(measured);
        u64::from(bits) / 8
    }

    /// How many bytes a directive takes.
    fn measure_directive(&mut self, statement: &Statement) -> Result<u64, Diagnostic> {
        let directive = self.directive(statement)?;
        Ok(match directive {
            Directive::Section(name, contents) => {
                self.enter(name, contents);
                0
            }
            Directive::Data { bytes, values } => u64::from(bytes) * values.len() as u64,
            Directive::Text(bytes) => bytes.len() as u64,
            Directive::Fill { bytes, .. } => bytes,
            Directive::Bits(bits) => {
                self.bits = bits;
                0
            }
            Directive::Exact(exact) => {
                self.assembler.set_exact(exact);
                0
            }
            Directive::Align { to, most, slack, .. } => self.measure_align(to, most, slack),
            Directive::JumpTable(entries) => entries * directive::ENTRY_BYTES,
            Directive::Insert { instruction, .. } => self.measure(instruction),
        })
    }

    /// The directive of a statement.
    pub(super) fn directive(&self, statement: &Statement) -> Result<Directive<'x>, Diagnostic> {
        directive::parse(self.file, self.text, statement, &mut |value| {
            self.symbols.evaluate(self.section, self.size(), value, 0)
        })
    }
}
