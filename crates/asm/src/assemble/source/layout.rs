//! The two passes: where everything stands, then what it is.
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

use isaglot_bits::{Word, limbs};
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::ByteOrder;
use isaglot_source::{Diagnostic, Diagnostics, FileId};
use rustc_hash::FxHashMap;

use super::branches::{AFTER, nops};
use super::directive::{self, Directive};
use super::link::{self, Contents, Extent};
use super::relax::{Item, Kinds};
use super::report::report;
use super::statement::{Statement, StatementKind, TextSlice};
use super::symbols::{Place, Symbols};
use super::{Image, Label, Listed, Section, Setup};
use crate::assemble::assembler::{Assembler, Made, Met, Recalled};
use crate::assemble::limits::MAX_OUTPUT;
use crate::assemble::symbol::{Site, Symbol};
use crate::names::Names;

/// A program being laid out.
pub(super) struct Layout<'x, 'p, 'a> {
    pub(super) assembler: &'x mut Assembler<'p, 'a>,
    file: FileId,
    pub(super) text: &'x [u8],
    pub(super) setup: &'x Setup,
    out: &'x mut Diagnostics,
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
fn short(word: &Word) -> Option<u64> {
    let bits = word.width();
    (bits <= 64 && bits.is_multiple_of(8)).then(|| word.low_u64())
}

/// A section in the making.
pub(super) struct SectionPart {
    name: String,
    pub(super) contents: Contents,
    /// The largest alignment of what is in it.
    pub(super) align: u64,
    /// Where it lies.
    base: u64,
    /// Size in bytes after the first pass.
    measured: u64,
    /// Size in bytes so far.
    pub(super) size: u64,
    bytes: Vec<u8>,
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
        let symbols = Symbols::new(file, text, assembler.place_bytes(), setup.linked.is_some());
        let nops = nops(assembler);
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
        };
        layout.enter(layout.first(), None);
        layout
    }

    /// The name of the section that the program begins in.
    fn first(&self) -> &'x [u8] {
        self.setup.linked.as_ref().map_or(&[][..], |linked| linked.first.as_bytes())
    }

    /// Bytes of an instruction, if all have one length.
    fn fixed(&self) -> Option<u64> {
        let format = self.assembler.plan().isa().format();
        format.lengths.is_empty().then_some(u64::from(format.max_bits / 8))
    }

    /// Makes a section the current one.
    fn enter(&mut self, name: &'x [u8], contents: Option<Contents>) {
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
    fn unit(&self) -> u64 {
        self.fixed().unwrap_or(u64::from(self.assembler.plan().isa().format().parcel_bits / 8))
    }

    /// How long an instruction is, whatever its symbols turn out to be.
    #[inline]
    fn measure(&mut self, piece: TextSlice) -> u64 {
        let later = |_: &[u8]| Some(Symbol::Later);
        let site = Site { symbol: &later, here: self.size(), place_bytes: 1 };
        let (measured, bits) = match self.assembler.measure(piece.of(self.text), site, self.bits) {
            Ok(Met::Word(word)) => {
                let bits = word.width();
                (short(&word).map_or(Measured::Width { bits, form: None }, |word| Measured::Word { word, bits }), bits)
            }
            Ok(Met::Recalled(Recalled { form, bits, note }, at)) => match note.checked_sub(FIRST_KIND) {
                Some(kind) => return self.branch(piece, at, kind),
                None => (Measured::Width { bits, form: Some(form) }, bits),
            },
            Ok(Met::New { made: Made { word, form, .. }, symbol }) => {
                let bits = word.width();
                if let (Some(at), Some(form)) = (symbol, form)
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
    fn directive(&self, statement: &Statement) -> Result<Directive<'x>, Diagnostic> {
        directive::parse(self.file, self.text, statement, &mut |value| {
            self.symbols.evaluate(self.section, self.size(), value, 0)
        })
    }

    /// The second pass: the bytes.
    pub(super) fn emit(mut self, statements: &[Statement]) -> Image {
        let mut listed = Vec::new();
        self.enter(self.first(), None);
        self.bits = None;
        self.assembler.set_exact(false);
        for part in &mut self.sections {
            part.bytes.reserve(usize::try_from(part.size).or_impossible(0));
            part.measured = std::mem::take(&mut part.size);
        }
        let mut measured = std::mem::take(&mut self.measured).into_iter();
        let fixed = self.fixed();
        for statement in statements {
            let start = self.size();
            let done = match statement.kind {
                StatementKind::Label | StatementKind::Define => continue,
                StatementKind::Instruction => match if fixed.is_some() { None } else { measured.next() } {
                    Some(Measured::Word { word, bits }) => {
                        self.append_value(word, bits);
                        Ok(())
                    }
                    Some(Measured::Width { bits, form }) => self.instruction(statement.piece, Some(bits), form),
                    Some(Measured::Item(item)) => self.emit_branch(statement.piece, item),
                    Some(Measured::Failed) | None => self.instruction(statement.piece, self.bits, None),
                },
                StatementKind::Data => self.data(statement.piece),
                StatementKind::NoMatch => self.digits(statement.piece, false),
                StatementKind::Raw => self.digits(statement.piece, true),
                StatementKind::Directive => self.run(statement, &mut measured),
            };
            if let Err(d) = done {
                self.out.push(d);
                // What is missing still has its place, so that labels stay right for the errors to come.
                let size = match statement.kind {
                    StatementKind::Instruction => fixed.unwrap_or(0),
                    StatementKind::Data | StatementKind::NoMatch | StatementKind::Raw => self.unit(),
                    _ => 0,
                };
                self.skip(size);
            }
            if self.setup.list && self.size() > start {
                let span = statement.piece.span(self.file);
                listed.push(Listed { span, section: self.section as u32, start, end: self.size() });
            }
        }
        // Every defined number must have a value, also one that is not used.
        for statement in statements.iter().filter(|statement| statement.kind == StatementKind::Define) {
            if let Some(d) = self.symbols.without_value(statement.piece.of(self.text))
                && d.code == "asm-expression"
            {
                self.out.push(d);
            }
        }
        let moved = self.sections.iter().find(|part| part.size != part.measured);
        if let Some(part) = moved.filter(|_| !self.out.has_errors()) {
            let message = format!("the size of section `{}` depends on where it lies", part.name);
            self.out.push(Diagnostic::error("asm-layout", message).note("a count of bytes is made of differences"));
        }
        let labels = if self.setup.symbols { self.labels() } else { Vec::new() };
        let numbers = self.setup.numbers.iter().map(|name| self.symbols.defined(name.as_bytes())).collect();
        let section = |part: SectionPart| Section {
            name: part.name,
            address: part.base,
            align: part.align,
            contents: part.contents,
            bytes: part.bytes,
        };
        Image { sections: self.sections.into_iter().map(section).collect(), listed, labels, numbers }
    }

    /// Every label, by section in the order of the source.
    fn labels(&self) -> Vec<Label> {
        let mut all = Vec::new();
        for section in 0..self.sections.len() {
            for (name, offset) in self.symbols.labels(section) {
                let name = String::from_utf8_lossy(name).into_owned();
                all.push(Label { name, section: section as u32, offset });
            }
        }
        all
    }

    /// Appends bytes to the current section.
    pub(super) fn append(&mut self, bytes: impl IntoIterator<Item = u8>) {
        if let Some(part) = self.sections.get_mut(self.section) {
            part.bytes.extend(bytes);
            part.size = part.bytes.len() as u64;
        }
    }

    /// Appends zeros.
    pub(super) fn skip(&mut self, bytes: u64) {
        let bytes = usize::try_from(bytes.min(MAX_OUTPUT)).or_impossible(0);
        self.append(std::iter::repeat_n(0, bytes));
    }

    /// Appends a word of whole bytes and at most 64 bits.
    #[inline]
    fn append_value(&mut self, value: u64, bits: u32) {
        let little = self.assembler.plan().isa().format().byte_order == ByteOrder::Little;
        let Some(part) = self.sections.get_mut(self.section) else { return impossible(()) };
        let count = (bits / 8) as usize;
        if little {
            part.bytes.extend_from_slice(value.to_le_bytes().get(..count).or_impossible(&[]));
        } else {
            part.bytes.extend(value.to_le_bytes().iter().take(count).rev());
        }
        part.size = part.bytes.len() as u64;
    }

    /// Appends a word in the byte order of the instruction set.
    pub(super) fn append_word(&mut self, word: &Word) {
        match self.assembler.plan().isa().format().byte_order {
            ByteOrder::Little => self.append(word.le_bytes()),
            ByteOrder::Big => self.append(word.le_bytes().rev()),
        }
    }

    /// Appends an instruction, of this width and read by this form if that is known.
    pub(super) fn instruction(
        &mut self,
        piece: TextSlice,
        width: Option<u32>,
        form: Option<u32>,
    ) -> Result<(), Diagnostic> {
        self.instruction_of(piece.of(self.text), piece, width, form, None)
    }

    /// Appends the instruction that `text` is, of the statement `piece`. With `after`, the name [`AFTER`] is the place so
    /// many bytes further on.
    pub(super) fn instruction_of(
        &mut self,
        text: &[u8],
        piece: TextSlice,
        width: Option<u32>,
        form: Option<u32>,
        after: Option<u64>,
    ) -> Result<(), Diagnostic> {
        let section = self.section;
        let symbols = &self.symbols;
        let here = self.sections.get(section).map_or(0, |part| part.base.wrapping_add(part.size));
        let only_targets = self.setup.only_targets;
        let lookup = |name: &[u8]| match after {
            Some(bytes) if name == AFTER => Some(Symbol::Place(here.wrapping_add(bytes))),
            _ => match symbols.operand(section, name) {
                Some(Symbol::Place(place)) if only_targets => Some(Symbol::Target(place)),
                symbol => symbol,
            },
        };
        let site = Site { symbol: &lookup, here, place_bytes: self.assembler.place_bytes() };
        match self.assembler.make(text, site, width, form) {
            Ok(made) => {
                match short(&made.word) {
                    Some(value) => self.append_value(value, made.word.width()),
                    None => self.append_word(&made.word),
                }
                Ok(())
            }
            Err(failure) => {
                // A number without a value is what is wrong, not the instruction that needs it.
                if let Some(d) = self.symbols.broken(text) {
                    return Err(d);
                }
                let names = self.symbols.names(section);
                Err(report(self.assembler, failure, self.file, piece.start as usize, text, names))
            }
        }
    }

    /// `[hex]` or `[#label]`.
    fn data(&mut self, piece: TextSlice) -> Result<(), Diagnostic> {
        let text = piece.of(self.text);
        let width = self.unit() as u32 * 8;
        let span = piece.span(self.file);
        let error = |message: String| Diagnostic::error("asm-data", message).label(span, "here");
        if !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit) {
            return self.digits(piece, false);
        }
        let value = self.symbols.evaluate(self.section, self.size(), piece, 0)?;
        let mut word = Word::zero(width);
        if text.first() == Some(&b'#') {
            // A header word that is run over: a `nop` that carries the number.
            word = self.nops.iter().find(|nop| nop.width() == width).cloned().unwrap_or(word);
        }
        let free = word.runs().first().map_or(width, |run| run.lo);
        let Ok(value) = u64::try_from(value) else {
            return Err(error(format!("{value} is negative")));
        };
        if free < 64 && value >> free != 0 {
            return Err(error(format!("{value} does not fit the {free} bits that are free")));
        }
        word.insert(0, 64.min(free), value);
        self.append_word(&word);
        Ok(())
    }

    /// A word in hexadecimal digits, the most significant first; or in groups of 8 digits, the least significant first.
    fn digits(&mut self, piece: TextSlice, groups: bool) -> Result<(), Diagnostic> {
        let text = piece.of(self.text);
        let width = self.unit() as u32 * 8;
        let error = |message: String| Diagnostic::error("asm-data", message).label(piece.span(self.file), "here");
        let mut word = Word::zero(width);
        if groups && text.len() as u32 != width / 4 {
            return Err(error(format!("a raw word has {} digits", width / 4)));
        }
        let digits = text.iter().position(|&byte| byte != b'0').map_or(&[][..], |at| text.get(at..).or_impossible(&[]));
        if digits.len() as u32 * 4 > width {
            return Err(error(format!("more than the {width} bits of a word")));
        }
        let digit = |byte: u8| u64::from(char::from(byte).to_digit(16).or_impossible(0));
        if groups {
            for (group, at) in text.chunks(8).zip((0..width).step_by(32)) {
                word.insert(at, 32, group.iter().fold(0, |value, &byte| value << 4 | digit(byte)));
            }
        } else {
            for (&byte, at) in digits.iter().rev().zip(0u32..) {
                word.insert(at * 4, 4, digit(byte));
            }
        }
        self.append_word(&word);
        Ok(())
    }

    fn run(&mut self, statement: &Statement, measured: &mut impl Iterator<Item = Measured>) -> Result<(), Diagnostic> {
        // A directive that cannot be read has been reported by the first pass.
        let Ok(directive) = self.directive(statement) else { return Ok(()) };
        match directive {
            Directive::Section(name, contents) => self.enter(name, contents),
            Directive::Text(bytes) => self.append(bytes),
            Directive::Fill { bytes, value } => {
                let count = usize::try_from(bytes.min(MAX_OUTPUT)).or_impossible(0);
                self.append(std::iter::repeat_n(value, count));
            }
            Directive::Bits(bits) => self.bits = bits,
            Directive::Exact(exact) => self.assembler.set_exact(exact),
            Directive::Insert { lo, width, value, instruction } => {
                return self.insert(lo, width, value, instruction, measured.next());
            }
            Directive::Data { bytes, values } => {
                for value in values {
                    let number = self.symbols.evaluate(self.section, self.size(), value, 0);
                    match number.and_then(|n| directive::in_range(n, bytes, value.span(self.file))) {
                        Ok(number) => self.append_word(&Word::from_u64(number as u64, bytes * 8)),
                        Err(d) => {
                            self.out.push(d);
                            self.skip(u64::from(bytes));
                        }
                    }
                }
            }
            Directive::Align { to, fill, most, slack } => self.align(to, fill, most, slack),
            Directive::JumpTable(entries) => {
                let table = self.jump_table(entries);
                for entry in table {
                    self.append_word(&Word::from_u64(entry, directive::ENTRY_BYTES as u32 * 8));
                }
            }
        }
        Ok(())
    }

    /// An instruction with a value in some of its bits.
    fn insert(
        &mut self,
        lo: u32,
        width: u32,
        value: TextSlice,
        instruction: TextSlice,
        measured: Option<Measured>,
    ) -> Result<(), Diagnostic> {
        let (mut word, bits) = match measured {
            Some(Measured::Word { word, bits }) => (word, bits),
            _ => {
                // If it cannot be assembled at all, that is the error.
                self.instruction(instruction, self.bits, None)?;
                let d = Diagnostic::error("asm-directive", "`.insert` takes an instruction without symbols");
                return Err(d.label(instruction.span(self.file), "this"));
            }
        };
        let number = self.symbols.evaluate(self.section, self.size(), value, 0);
        let number = number.and_then(|number| directive::in_width(number, width, value.span(self.file)));
        let mask = limbs::mask(width) << lo;
        // Without a value it still has its place.
        let inserted = number.as_ref().map_or(0, |number| (number.cast_unsigned() << lo) & mask);
        word = (word & !mask) | inserted;
        self.append_value(word, bits);
        number.map(|_| ())
    }

    /// The places of the labels of the section that name an entry.
    fn jump_table(&self, entries: u64) -> Vec<u64> {
        let mut table = vec![0; usize::try_from(entries).or_impossible(0)];
        let names: &Names = self.assembler.names;
        for (label, offset) in self.symbols.labels(self.section) {
            let Some(entry) = directive::entry(names, label) else { continue };
            if let Some(slot) = usize::try_from(entry).ok().and_then(|entry| table.get_mut(entry)) {
                *slot = offset / self.assembler.place_bytes().max(1);
            }
        }
        table
    }
}
