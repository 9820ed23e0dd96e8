//! The two passes: where everything stands, then what it is.

use isaglot_bits::Word;
use isaglot_model::ByteOrder;
use isaglot_source::{Diagnostic, Diagnostics, FileId};
use rustc_hash::FxHashMap;

use super::directive::{self, Directive};
use super::report::report;
use super::statement::{Kind, Piece, Statement};
use super::symbols::Symbols;
use super::{Image, Listed, Section};
use crate::assemble::limits::MAX_OUTPUT;
use crate::assemble::{Assembler, Site, Symbol};
use crate::names::Names;

/// A program being laid out.
pub(super) struct Layout<'x, 'p, 'a> {
    assembler: &'x mut Assembler<'p, 'a>,
    file: FileId,
    text: &'x [u8],
    out: &'x mut Diagnostics,
    symbols: Symbols<'x>,
    sections: Vec<Part>,
    by_name: FxHashMap<&'x [u8], usize>,
    section: usize,
    /// Where instructions differ in length: the width in bits of each instruction, in order.
    widths: Vec<Option<u32>>,
    /// The word of `nop`, if there is one.
    nop: Option<Word>,
}

struct Part {
    name: String,
    /// Size in bytes after the first pass.
    size: u64,
    bytes: Vec<u8>,
}

impl<'x, 'p, 'a> Layout<'x, 'p, 'a> {
    pub(super) fn new(
        assembler: &'x mut Assembler<'p, 'a>,
        file: FileId,
        text: &'x [u8],
        out: &'x mut Diagnostics,
    ) -> Self {
        let symbols = Symbols::new(file, text, assembler.place_bytes());
        let nop = assembler.assemble(b"nop").ok();
        let mut layout = Layout {
            assembler,
            file,
            text,
            out,
            symbols,
            sections: Vec::new(),
            by_name: FxHashMap::default(),
            section: 0,
            widths: Vec::new(),
            nop,
        };
        layout.enter(b"");
        layout
    }

    /// Bytes of an instruction, if all have one length.
    fn fixed(&self) -> Option<u64> {
        let format = self.assembler.plan().isa().format();
        format.lengths.is_empty().then_some(u64::from(format.max_bits / 8))
    }

    fn enter(&mut self, name: &'x [u8]) {
        self.section = match self.by_name.get(name) {
            Some(&section) => section,
            None => {
                let section = self.sections.len();
                self.by_name.insert(name, section);
                self.symbols.add_section();
                let name = String::from_utf8_lossy(name).into_owned();
                self.sections.push(Part { name, size: 0, bytes: Vec::new() });
                section
            }
        };
    }

    fn size(&self) -> u64 {
        self.sections.get(self.section).map_or(0, |part| part.size)
    }

    /// The first pass: how long everything is, and so where the labels are.
    pub(super) fn place(&mut self, statements: &[Statement]) {
        let fixed = self.fixed();
        for statement in statements {
            let here = self.size();
            let name = statement.piece.of(self.text);
            let span = statement.piece.span(self.file);
            let size = match statement.kind {
                Kind::Label => self.symbols.label(self.section, name, span, here).map(|()| 0),
                Kind::Define => self.symbols.define(self.section, name, span, statement.rest, here).map(|()| 0),
                Kind::Data | Kind::NoMatch | Kind::Raw => Ok(self.unit()),
                Kind::Instruction => Ok(fixed.unwrap_or_else(|| self.measure(statement.piece))),
                Kind::Directive => self.measure_directive(statement),
            };
            match size {
                Ok(size) => self.grow(size, statement),
                Err(d) => self.out.push(d),
            }
        }
    }

    fn grow(&mut self, size: u64, statement: &Statement) {
        let total: u64 = self.sections.iter().map(|part| part.size).sum();
        if total.saturating_add(size) > MAX_OUTPUT {
            if total <= MAX_OUTPUT {
                let d = Diagnostic::error("asm-too-large", format!("the program exceeds {MAX_OUTPUT} bytes"));
                self.out.push(d.label(statement.piece.span(self.file), "here"));
            }
            return;
        }
        if let Some(part) = self.sections.get_mut(self.section) {
            part.size += size;
        }
    }

    /// Bytes of a data word: of an instruction, or of the shortest one.
    fn unit(&self) -> u64 {
        self.fixed().unwrap_or(u64::from(self.assembler.plan().isa().format().parcel_bits / 8))
    }

    /// How long an instruction is, whatever its symbols turn out to be.
    fn measure(&mut self, piece: Piece) -> u64 {
        let later = |_: &[u8]| Some(Symbol::Later);
        let site = Site { symbol: &later, here: self.size(), place_bytes: 1 };
        let width = self.assembler.assemble_at(piece.of(self.text), site, None).ok().map(|word| word.width());
        self.widths.push(width);
        u64::from(width.unwrap_or(self.assembler.plan().isa().format().parcel_bits) / 8)
    }

    fn measure_directive(&mut self, statement: &Statement) -> Result<u64, Diagnostic> {
        let directive = self.directive(statement)?;
        Ok(match directive {
            Directive::Section(name) => {
                self.enter(name);
                0
            }
            Directive::Data { bytes, values } => u64::from(bytes) * values.len() as u64,
            Directive::Align(to) => self.size().next_multiple_of(to.max(1)) - self.size(),
            Directive::JumpTable(entries) => entries * directive::ENTRY_BYTES,
        })
    }

    fn directive(&self, statement: &Statement) -> Result<Directive<'x>, Diagnostic> {
        directive::parse(self.file, self.text, statement, &mut |value| {
            self.symbols.evaluate(self.section, self.size(), value, 0)
        })
    }

    /// The second pass: the bytes.
    pub(super) fn emit(mut self, statements: &[Statement], list: bool) -> Image {
        let mut listed = Vec::new();
        self.enter(b"");
        for part in &mut self.sections {
            part.bytes.reserve(usize::try_from(part.size).unwrap_or(0));
            part.size = 0;
        }
        let mut widths = std::mem::take(&mut self.widths).into_iter();
        let fixed = self.fixed();
        for statement in statements {
            let start = self.size();
            let done = match statement.kind {
                Kind::Label | Kind::Define => continue,
                Kind::Instruction => {
                    let width = if fixed.is_some() { None } else { widths.next().flatten() };
                    self.instruction(statement.piece, width)
                }
                Kind::Data => self.data(statement.piece),
                Kind::NoMatch => self.digits(statement.piece, false),
                Kind::Raw => self.digits(statement.piece, true),
                Kind::Directive => self.run(statement),
            };
            if let Err(d) = done {
                self.out.push(d);
                // What is missing still has its place, so that labels stay right for the errors to come.
                let size = match statement.kind {
                    Kind::Instruction => fixed.unwrap_or(0),
                    Kind::Data | Kind::NoMatch | Kind::Raw => self.unit(),
                    _ => 0,
                };
                self.skip(size);
            }
            if list && self.size() > start {
                let span = statement.piece.span(self.file);
                listed.push(Listed { span, section: self.section as u32, start, end: self.size() });
            }
        }
        // Every defined number is to have a value, also where nobody asked for it.
        for statement in statements.iter().filter(|statement| statement.kind == Kind::Define) {
            if let Err(d) = self.symbols.evaluate(0, 0, statement.rest, 0)
                && d.code == "asm-expression"
            {
                self.out.push(d);
            }
        }
        let sections = self.sections.into_iter().map(|part| Section { name: part.name, bytes: part.bytes }).collect();
        Image { sections, listed }
    }

    fn append(&mut self, bytes: impl IntoIterator<Item = u8>) {
        if let Some(part) = self.sections.get_mut(self.section) {
            part.bytes.extend(bytes);
            part.size = part.bytes.len() as u64;
        }
    }

    fn skip(&mut self, bytes: u64) {
        let bytes = usize::try_from(bytes.min(MAX_OUTPUT)).unwrap_or(0);
        self.append(std::iter::repeat_n(0, bytes));
    }

    fn append_word(&mut self, word: &Word) {
        match self.assembler.plan().isa().format().byte_order {
            ByteOrder::Little => self.append(word.le_bytes()),
            ByteOrder::Big => self.append(word.le_bytes().rev()),
        }
    }

    fn instruction(&mut self, piece: Piece, width: Option<u32>) -> Result<(), Diagnostic> {
        let text = piece.of(self.text);
        let section = self.section;
        let symbols = &self.symbols;
        let lookup = |name: &[u8]| symbols.operand(section, name);
        let here = self.sections.get(section).map_or(0, |part| part.size);
        let site = Site { symbol: &lookup, here, place_bytes: self.assembler.place_bytes() };
        match self.assembler.assemble_at(text, site, width) {
            Ok(word) => {
                self.append_word(&word);
                Ok(())
            }
            Err(failure) => {
                let names = self.symbols.names(section);
                Err(report(self.assembler, failure, self.file, piece.start as usize, text, names))
            }
        }
    }

    /// `[hex]` or `[#label]`.
    fn data(&mut self, piece: Piece) -> Result<(), Diagnostic> {
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
            word = self.nop.clone().filter(|nop| nop.width() == width).unwrap_or(word);
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
    fn digits(&mut self, piece: Piece, groups: bool) -> Result<(), Diagnostic> {
        let text = piece.of(self.text);
        let width = self.unit() as u32 * 8;
        let error = |message: String| Diagnostic::error("asm-data", message).label(piece.span(self.file), "here");
        let mut word = Word::zero(width);
        if groups && text.len() as u32 != width / 4 {
            return Err(error(format!("a raw word has {} digits", width / 4)));
        }
        let digits = text.iter().position(|&byte| byte != b'0').map_or(&[][..], |at| text.get(at..).unwrap_or(&[]));
        if digits.len() as u32 * 4 > width {
            return Err(error(format!("more than the {width} bits of a word")));
        }
        let digit = |byte: u8| u64::from(char::from(byte).to_digit(16).unwrap_or(0));
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

    fn run(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        // A directive that cannot be read has been reported by the first pass.
        let Ok(directive) = self.directive(statement) else { return Ok(()) };
        match directive {
            Directive::Section(name) => self.enter(name),
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
            Directive::Align(to) => {
                let gap = self.size().next_multiple_of(to.max(1)) - self.size();
                let nop = self.nop.clone().filter(|nop| gap.is_multiple_of(u64::from(nop.width() / 8).max(1)));
                match nop {
                    Some(nop) => {
                        for _ in 0..gap / u64::from(nop.width() / 8).max(1) {
                            self.append_word(&nop);
                        }
                    }
                    None => self.skip(gap),
                }
            }
            Directive::JumpTable(entries) => {
                let table = self.jump_table(entries);
                for entry in table {
                    self.append_word(&Word::from_u64(entry, directive::ENTRY_BYTES as u32 * 8));
                }
            }
        }
        Ok(())
    }

    /// The places of the labels of the section that name an entry.
    fn jump_table(&self, entries: u64) -> Vec<u64> {
        let mut table = vec![0; usize::try_from(entries).unwrap_or(0)];
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
