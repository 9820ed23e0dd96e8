//! The instructions of a module taken apart, one at a time: what each defines, what it names, and its text.

use std::borrow::Cow;

use crate::dis::decode::{Decoder, Nothing, Sink, string_bytes};
use crate::dis::namer::{Reach, friendly};
use crate::dis::names::Names;
use crate::dis::print::{Out, Printer};
use crate::dis::{Failure, Options};
use crate::grammar::Grammar;
use crate::grammar::rows::*;
use crate::instructions::{Instruction, Instructions};
use crate::number::{NumberType, print};
use crate::places::Places;

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Id(u32),
    /// A number, a string or a name of the grammar.
    Value(String),
}

/// What an instruction defines and names.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// The id that it defines; 0 for none.
    pub(super) result: u32,
    pub(super) sources: Vec<Source>,
}

/// Takes one instruction apart.
struct Taker<'g> {
    grammar: Grammar<'g>,
    row: Row,
}

impl Taker<'_> {
    fn value(&mut self, text: impl Into<String>) {
        self.row.sources.push(Source::Value(text.into()));
    }
}

impl Sink for Taker<'_> {
    fn id(&mut self, kind: u8, id: u32) {
        match kind {
            ID_RESULT => self.row.result = id,
            _ => self.row.sources.push(Source::Id(id)),
        }
    }
    fn number(&mut self, words: &[u32], ty: NumberType) {
        let mut text = Vec::new();
        print::number(&mut text, words, ty);
        self.value(String::from_utf8_lossy(&text));
    }
    fn string(&mut self, words: &[u32]) {
        let text: Vec<u8> = string_bytes(words).collect();
        self.value(format!("{:?}", String::from_utf8_lossy(&text)));
    }
    fn name(&mut self, name: Str) {
        let text = self.grammar.str(name);
        self.value(text);
    }
    fn mask(&mut self, _: &GroupRow, value: u32) {
        self.value(format!("0x{value:x}"));
    }
    fn nested(&mut self, name: Option<Str>, number: u32) {
        match name {
            Some(name) => self.name(name),
            None => self.value(number.to_string()),
        }
    }
}

/// The names of a module's ids.
pub(super) fn names<'a>(words: &'a [u32], places: &'a Places<'a>, options: &Options<'a>) -> Names<'a> {
    match options.raw_id {
        true => Names::none(words, places, options.grammar),
        false => friendly(words, places, options.grammar, Reach::All),
    }
}

/// A module whose instructions can be taken apart.
pub(super) struct Rows<'a> {
    decoder: Decoder<'a>,
    printer: Printer<'a, false>,
    /// What is wrong.
    pub(super) failures: Vec<Failure>,
}

impl<'a> Rows<'a> {
    /// Everything is defined before anything is printed, as a line may speak of what comes later.
    pub(super) fn new(
        words: &'a [u32],
        places: &'a Places<'a>,
        names: &'a Names<'a>,
        raw_imports: bool,
        options: &Options<'a>,
    ) -> Rows<'a> {
        let grammar = options.grammar;
        let mut decoder = Decoder::new(words, places, grammar, raw_imports);
        let mut failures = Vec::new();
        for (index, i) in Instructions::new(words).enumerate() {
            if let Err(bad) = decoder.instruction(i.offset, true, &mut Nothing)
                && failures.len() < isaglot_source::limits::MAX_DIAGNOSTICS
            {
                failures.push(Failure {
                    reason: bad.reason,
                    status: bad.status,
                    index: index + 1,
                    word: i.offset,
                    message: bad.message,
                });
            }
        }
        let wide = options.wide_numbers;
        let printer = Printer { grammar, names, wide, out: Out::new(None), hidden: 0, scratch: Vec::new() };
        Rows { decoder, printer, failures }
    }

    /// Whether an instruction is known to be wrong.
    fn failed(&self, at: usize) -> bool {
        self.failures.binary_search_by_key(&at, |f| f.word).is_ok()
    }

    /// The instruction at a word; a bad one defines and names nothing.
    pub(super) fn row(&mut self, at: usize) -> Row {
        let mut taker = Taker { grammar: self.printer.grammar, row: Row::default() };
        if self.failed(at) || self.decoder.instruction(at, false, &mut taker).is_err() {
            return Row::default();
        }
        taker.row
    }

    /// The text of an instruction; none for a bad one.
    pub(super) fn text(&mut self, at: usize) -> Cow<'_, str> {
        self.printer.out.clear();
        let printed = !self.failed(at) && self.printer.line(&mut self.decoder, at, 0, 0, false).is_ok();
        if printed { String::from_utf8_lossy(self.printer.out.text()) } else { "".into() }
    }

    /// The name of an instruction.
    pub(super) fn op(&self, instruction: &Instruction<'_>) -> &'a str {
        let grammar = self.printer.grammar;
        grammar.op(instruction.opcode).map_or("OpUnknown", |op| grammar.str(op.name))
    }

    /// Words that a case label of a switch on this selector takes.
    pub(super) fn label_words(&self, selector: u32) -> usize {
        self.decoder.label_words(selector)
    }
}
