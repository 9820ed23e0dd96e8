//! The instructions of a module taken apart: what each defines, what it names, and its text.

use rustc_hash::FxHashMap;

use crate::dis::decode::{Decoder, Nothing, Sink, string_bytes};
use crate::dis::namer::{Reach, friendly};
use crate::dis::names::Names;
use crate::dis::print::{Out, Printer};
use crate::dis::{Failure, Options};
use crate::grammar::Grammar;
use crate::grammar::rows::*;
use crate::instructions::Instructions;
use crate::number::{NumberType, print};
use crate::places::Places;

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Id(u32),
    /// A number, a string or a name of the grammar.
    Value(String),
}

/// An instruction.
#[derive(Debug)]
pub(super) struct Row {
    /// Index of its first word.
    pub(super) at: usize,
    pub(super) words: Vec<u32>,
    pub(super) opcode: u16,
    pub(super) op: String,
    pub(super) text: String,
    pub(super) result: Option<u32>,
    pub(super) sources: Vec<Source>,
    /// Words that a case label takes, if this is an `OpSwitch`.
    pub(super) label_words: usize,
}

/// A module taken apart.
pub(super) struct Taken {
    pub(super) rows: Vec<Row>,
    /// How texts call the ids.
    pub(super) names: FxHashMap<u32, String>,
    /// What is wrong.
    pub(super) failures: Vec<Failure>,
}

/// Takes one instruction apart.
struct Taker<'g> {
    grammar: Grammar<'g>,
    result: Option<u32>,
    sources: Vec<Source>,
}

impl Taker<'_> {
    fn value(&mut self, text: impl Into<String>) {
        self.sources.push(Source::Value(text.into()));
    }
}

impl Sink for Taker<'_> {
    fn id(&mut self, kind: u8, id: u32) {
        match kind {
            ID_RESULT => self.result = Some(id),
            _ => self.sources.push(Source::Id(id)),
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

/// Takes a module apart. What is wrong has no operands.
pub(super) fn rows(words: &[u32], raw_imports: bool, options: &Options<'_>) -> Taken {
    let grammar = options.grammar;
    let places = Places::new(words, grammar);
    let names = match options.raw_id {
        true => Names::none(words, &places, grammar),
        false => friendly(words, &places, grammar, Reach::All),
    };
    let mut decoder = Decoder::new(words, &places, grammar, raw_imports);
    let mut failures = Vec::new();
    // Everything is defined before anything is printed, as a line may speak of what comes later.
    for (index, i) in Instructions::new(words).enumerate() {
        if let Err(bad) = decoder.instruction(i.offset, true, &mut Nothing)
            && failures.len() < isaglot_source::limits::MAX_DIAGNOSTICS
        {
            failures.push(Failure { status: bad.status, index: index + 1, word: i.offset, message: bad.message });
        }
    }
    let mut printer = Printer::<false> {
        grammar,
        names: &names,
        wide: options.wide_numbers,
        out: Out::new(None),
        hidden: 0,
        scratch: Vec::new(),
    };
    let mut rows = Vec::new();
    for i in Instructions::new(words) {
        let mut taker = Taker { grammar, result: None, sources: Vec::new() };
        let bad = failures.binary_search_by_key(&i.offset, |f| f.word).is_ok()
            || decoder.instruction(i.offset, false, &mut taker).is_err();
        if bad {
            (taker.result, taker.sources) = (None, Vec::new());
        }
        printer.out.clear();
        let printed = !bad && printer.line(&mut decoder, i.offset, 0, 0, false).is_ok();
        let text = if printed { String::from_utf8_lossy(printer.out.text()).into_owned() } else { String::new() };
        rows.push(Row {
            at: i.offset,
            words: i.words.to_vec(),
            opcode: i.opcode,
            op: grammar.op(i.opcode).map_or("OpUnknown", |o| grammar.str(o.name)).to_owned(),
            text,
            result: taker.result,
            sources: taker.sources,
            label_words: decoder.label_words(i.operands().first().copied().unwrap_or(0)),
        });
    }
    let mut called = FxHashMap::default();
    for row in &rows {
        let sources = row.sources.iter().filter_map(|s| if let Source::Id(id) = s { Some(*id) } else { None });
        for id in sources.chain(row.result) {
            called.entry(id).or_insert_with(|| {
                let mut name = b"%".to_vec();
                names.push(&mut name, id);
                String::from_utf8_lossy(&name).into_owned()
            });
        }
    }
    Taken { rows, names: called, failures }
}
