//! The second pass: the bytes of every statement, now that every label has its place.
//!
//! What the first pass knows of an instruction is not found out again: its word, or its length and the form that its text
//! has. Invariant: a statement takes as many bytes as the first pass gave it, also one that is wrong, so that labels stay
//! right for the errors to come.

use isaglot_bits::{Word, limbs};
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::ByteOrder;
use isaglot_source::Diagnostic;

use super::branches::AFTER;
use super::directive::{self, Directive};
use super::layout::{Layout, Measured, SectionPart, short};
use super::report::report;
use super::statement::{Statement, StatementKind, TextSlice};
use super::{Image, Label, Listed, Section};
use crate::assemble::limits::MAX_OUTPUT;
use crate::assemble::symbol::{Site, Symbol};
use crate::names::Names;

impl<'x> Layout<'x, '_, '_> {
    /// The second pass: the bytes.
    pub(super) fn emit(mut self, statements: &[Statement]) -> Image {
        let mut listed = Vec::new();
        self.enter(self.first(), None);
        self.bits = None;
        self.assembler.set_exact(false);
        self.contexts.restart();
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
                        self.contexts.pass(&Word::from_u64(word, bits));
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
        self.contexts.leave(self.assembler);
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
        self.contexts.enter(self.assembler);
        match self.assembler.make(text, site, width, form) {
            Ok(made) => {
                self.contexts.pass(&made.word);
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
                let others = self.contexts.others(self.assembler, text);
                if let Some(d) = others {
                    return Err(d.label(piece.span(self.file), "here"));
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
