//! Words → operands: one instruction at a time by its program, checked as the reference checks, handed to a [`Sink`].
//!
//! The sink is a type parameter, so that printing, naming and listing share this walk at no cost. Nothing is allocated
//! per instruction. An instruction that fails may have handed on some operands; the sink drops them.

use isaglot_invariant::Impossible as _;
use rustc_hash::FxHashMap;

use super::Reason;
use crate::asm::Status;
use crate::grammar::rows::*;
use crate::grammar::{Grammar, opcode};
use crate::limits;
use crate::number::{Encoding, NumberType};
use crate::places::{Facts, Places};

/// What takes the operands of an instruction, in the order of the words.
pub(crate) trait Sink {
    /// An id; `kind` says which.
    fn id(&mut self, kind: u8, id: u32);
    /// A number.
    fn number(&mut self, words: &[u32], ty: NumberType);
    /// A string: its words, the NUL included.
    fn string(&mut self, words: &[u32]);
    /// A named value.
    fn name(&mut self, name: Str);
    /// A named value of a kind.
    #[inline]
    fn enumerant(&mut self, group: &GroupRow, row: &ValueRow) {
        let _ = group;
        self.name(row.name);
    }
    /// A mask.
    fn mask(&mut self, group: &GroupRow, value: u32);
    /// An instruction of an extended set or inside `OpSpecConstantOp`; a name, or a number if there is none.
    fn nested(&mut self, name: Option<Str>, number: u32);
    /// The set and the name of an instruction of an extended set, before it is [`Sink::nested`].
    #[inline]
    fn extended(&mut self, set: &GroupRow, name: Str) {
        let _ = (set, name);
    }
}

/// Takes nothing.
pub(crate) struct Nothing;

impl Sink for Nothing {
    fn id(&mut self, _: u8, _: u32) {}
    fn number(&mut self, _: &[u32], _: NumberType) {}
    fn string(&mut self, _: &[u32]) {}
    fn name(&mut self, _: Str) {}
    fn mask(&mut self, _: &GroupRow, _: u32) {}
    fn nested(&mut self, _: Option<Str>, _: u32) {}
}

/// Why an instruction cannot be decoded.
#[derive(Debug)]
pub(crate) struct Bad {
    pub(crate) reason: Reason,
    pub(crate) status: Status,
    pub(crate) message: String,
    /// A newer grammar might know it: an opcode, enumerant or extended instruction.
    pub(crate) unknown: bool,
}

type Result<T> = std::result::Result<T, Box<Bad>>;

#[cold]
fn bad<T>(status: Status, reason: Reason, message: String) -> Result<T> {
    Err(Box::new(Bad { reason, status, message, unknown: false }))
}

#[cold]
fn binary<T>(reason: Reason, message: String) -> Result<T> {
    bad(Status::InvalidBinary, reason, message)
}

#[cold]
fn unknown<T>(reason: Reason, message: String) -> Result<T> {
    Err(Box::new(Bad { reason, status: Status::InvalidBinary, message, unknown: true }))
}

/// An id that is defined but has no type.
const UNTYPED: u32 = 0x7fff_ffff;
/// An id that is a type; the rest is the word index of its instruction, 0 if that is bad.
const TYPE: u32 = 0x8000_0000;

/// What an import chose: a set of the grammar, or [`UNKNOWN_SET`].
const UNKNOWN_SET: u8 = 255;

/// A walk over a module; the facts about ids so far.
pub(crate) struct Decoder<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) grammar: Grammar<'a>,
    /// The names of imports lie in the words the other way round: the reference's mistake with the other byte order.
    pub(crate) raw_imports: bool,
    /// An instruction without the operands that it may have counts as unknown, as it does for the reference when it
    /// prints unknown instructions.
    pub(crate) bare_is_unknown: bool,
    /// Id → 0, [`UNTYPED`], [`TYPE`] with an index, or the id of its type.
    defs: Facts<'a, 'a>,
    imports: FxHashMap<u32, u8>,
}

/// The instruction at hand.
struct Now<'g> {
    op: &'g OpRow,
    start: usize,
    end: usize,
    pos: usize,
    result_type: u32,
    result: u32,
    /// Its result was defined.
    defined: bool,
    depth: usize,
}

/// Whether more operands may follow.
#[derive(PartialEq, Eq)]
enum Step {
    Next,
    End,
}

/// The bytes of a string that lies in words, without NUL and padding.
pub(crate) fn string_bytes(words: &[u32]) -> impl Iterator<Item = u8> + Clone + '_ {
    words.iter().flat_map(|w| w.to_le_bytes()).take_while(|&b| b != 0)
}

#[inline]
fn has_zero_byte(w: u32) -> bool {
    w.wrapping_sub(0x0101_0101) & !w & 0x8080_8080 != 0
}

/// The number type that the instruction at a word makes.
pub(crate) fn scalar(words: &[u32], at: usize) -> Option<NumberType> {
    let count = (words.get(at)? >> 16) as usize;
    NumberType::made_by(words.get(at..at + count).filter(|_| at > 0)?)
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(
        words: &'a [u32],
        places: &'a Places<'a>,
        grammar: Grammar<'a>,
        raw_imports: bool,
    ) -> Decoder<'a> {
        Decoder {
            words,
            grammar,
            raw_imports,
            bare_is_unknown: false,
            defs: Facts::new(places),
            imports: FxHashMap::default(),
        }
    }

    /// The number type that a type id stands for, as far as the walk has come.
    fn number_type(&self, ty: u32) -> Result<NumberType> {
        match self.defs.get(ty) {
            def if def & TYPE != 0 => match scalar(self.words, (def ^ TYPE) as usize) {
                Some(number) => Ok(number),
                None => binary(Reason::UntypedNumber, format!("Type Id {ty} is not a scalar numeric type")),
            },
            _ => binary(Reason::UntypedNumber, format!("Type Id {ty} is not a type")),
        }
    }

    /// Words that each case label of a switch on this selector takes.
    pub(crate) fn label_words(&self, selector: u32) -> usize {
        self.number_type(self.defs.get(selector)).map_or(1, |ty| ty.words() as usize)
    }

    #[inline]
    fn define(&mut self, now: &mut Now<'_>) -> Result<()> {
        if self.defs.get(now.result) != 0 {
            return bad(Status::InvalidId, Reason::Redefined, format!("Id {} is defined more than once", now.result));
        }
        let def = if now.op.flags & MAKES_TYPE != 0 {
            TYPE | now.start as u32
        } else if now.result_type == 0 || now.result_type >= UNTYPED {
            UNTYPED
        } else {
            now.result_type
        };
        self.defs.set(now.result, def);
        now.defined = true;
        Ok(())
    }

    /// Decodes the instruction at word `start` and returns where the next one starts. With `fresh` its result is
    /// defined; without, it was already.
    #[inline]
    pub(crate) fn instruction<S: Sink>(&mut self, start: usize, fresh: bool, sink: &mut S) -> Result<usize> {
        let first = self.words.get(start).copied().unwrap_or(0);
        let count = (first >> 16) as usize;
        if count == 0 {
            return binary(Reason::WordCount, "Invalid instruction word count: 0".to_owned());
        }
        let opcode = first as u16;
        let Some(op) = self.grammar.op(opcode) else {
            return unknown(Reason::UnknownOpcode, format!("Invalid opcode: {opcode}"));
        };
        if self.bare_is_unknown && count == 1 && op.program.len > 0 {
            return unknown(Reason::UnknownOpcode, format!("Invalid opcode: {opcode}"));
        }
        let end = start + count;
        let mut now = Now { op, start, end, pos: start + 1, result_type: 0, result: 0, defined: false, depth: 0 };
        let done = self.body(&mut now, fresh, sink);
        if done.is_err() && now.defined && op.flags & MAKES_TYPE != 0 {
            // It is a type, but none that can be used.
            self.defs.set(now.result, TYPE);
        }
        done
    }

    /// The operands of an instruction.
    #[inline]
    fn body<S: Sink>(&mut self, now: &mut Now<'a>, fresh: bool, sink: &mut S) -> Result<usize> {
        let (op, start, end) = (now.op, now.start, now.end);
        let count = end - start;
        let step = self.program(op.program, now, fresh, sink)?;
        let name = || self.grammar.str(op.name);
        if step == Step::Next && now.pos < end {
            let used = now.pos - start;
            return binary(
                Reason::WordCount,
                format!(
                    "Invalid instruction {} starting at word {start}: expected no more operands after {used} words, but \
                 stated word count is {count}.",
                    name()
                ),
            );
        }
        if now.pos != end {
            let found = now.pos - start;
            return binary(
                Reason::WordCount,
                format!(
                    "Invalid word count: {} starting at word {start} says it has {count} words, but found {found} words \
                 instead.",
                    name()
                ),
            );
        }
        Ok(end)
    }

    fn program<S: Sink>(&mut self, program: Program, now: &mut Now<'a>, fresh: bool, sink: &mut S) -> Result<Step> {
        let items = self.grammar.program(program);
        let mut i = 0;
        while let Some(item) = items.get(i) {
            i += 1;
            let step = match item.quantifier {
                ONE => self.operand(item.kind, false, now, fresh, sink)?,
                OPTIONAL => self.operand(item.kind, true, now, fresh, sink)?,
                REPEAT => loop {
                    if self.operand(item.kind, true, now, fresh, sink)? == Step::End {
                        break Step::End;
                    }
                },
                _ => {
                    let second = items.get(i).map_or(ID_REF, |s| s.kind);
                    i += 1;
                    loop {
                        if self.operand(item.kind, true, now, fresh, sink)? == Step::End {
                            break Step::End;
                        }
                        self.operand(second, false, now, fresh, sink)?;
                    }
                }
            };
            if step == Step::End {
                return Ok(Step::End);
            }
        }
        Ok(Step::Next)
    }

    #[cold]
    fn exhausted<T>(&self, how: &str, kind: u8, now: &Now<'_>) -> Result<T> {
        let (name, start) = (self.grammar.str(now.op.name), now.start);
        let (phrase, offset) = (self.grammar.phrase(kind), now.pos - start);
        binary(
            Reason::WordCount,
            format!(
                "End of input reached while decoding {name} starting at word {start}: {how} {phrase} operand at word \
             offset {offset}."
            ),
        )
    }

    #[cold]
    fn too_few<T>(&self, now: &Now<'_>) -> Result<T> {
        let (name, start, count) = (self.grammar.str(now.op.name), now.start, now.end - now.start);
        binary(
            Reason::WordCount,
            format!(
                "End of input reached while decoding {name} starting at word {start}: expected more operands after \
             {count} words."
            ),
        )
    }

    #[inline]
    fn operand<S: Sink>(
        &mut self,
        kind: u8,
        optional: bool,
        now: &mut Now<'a>,
        fresh: bool,
        sink: &mut S,
    ) -> Result<Step> {
        if now.pos >= now.end {
            return if optional { Ok(Step::End) } else { self.too_few(now) };
        }
        let Some(&word) = self.words.get(now.pos) else {
            return self.exhausted("missing", kind, now);
        };
        match kind {
            ID_REF => {
                if word == 0 {
                    return bad(Status::InvalidId, Reason::InvalidId, "Id is 0".to_owned());
                }
            }
            ID_RESULT_TYPE => {
                if word == 0 {
                    return bad(Status::InvalidId, Reason::InvalidId, "Error: Type Id is 0".to_owned());
                }
                now.result_type = word;
            }
            ID_RESULT => {
                if word == 0 {
                    return bad(Status::InvalidId, Reason::InvalidId, "Error: Result Id is 0".to_owned());
                }
                now.result = word;
                if fresh {
                    self.define(now)?;
                }
            }
            LITERAL_INTEGER => {
                now.pos += 1;
                sink.number(&[word], NumberType::U32);
                return Ok(Step::Next);
            }
            _ => return self.other(kind, word, now, fresh, sink),
        }
        now.pos += 1;
        sink.id(kind, word);
        Ok(Step::Next)
    }

    /// The less frequent kinds of operands.
    fn other<S: Sink>(&mut self, kind: u8, word: u32, now: &mut Now<'a>, fresh: bool, sink: &mut S) -> Result<Step> {
        match kind {
            ID_SCOPE | ID_SEMANTICS => {
                if word == 0 {
                    return binary(Reason::InvalidId, format!("{} is 0", self.grammar.phrase(kind)));
                }
                sink.id(kind, word);
            }
            EXT_SET => {
                if word == 0 {
                    return bad(Status::InvalidId, Reason::InvalidId, "Id is 0".to_owned());
                }
                if !self.imports.contains_key(&word) {
                    let name = self.grammar.str(now.op.name);
                    let message = format!("{name} set Id {word} does not reference an OpExtInstImport result Id");
                    return bad(Status::InvalidId, Reason::UnknownExtendedSet, message);
                }
                sink.id(ID_REF, word);
            }
            LITERAL_FLOAT => sink.number(&[word], NumberType::Float { width: 32, encoding: Encoding::Ieee }),
            TYPED_NUMBER => {
                let ty = self.number_type(now.result_type)?;
                return self.wide(kind, ty, now, sink);
            }
            CASE_LABEL => {
                let ty = self.selector(now)?;
                return self.wide(kind, ty, now, sink);
            }
            LITERAL_STRING => return self.string(now, sink),
            EXT_INST => return self.extended(word, now, fresh, sink),
            SPEC_OP => {
                let op = u16::try_from(word).ok().and_then(|w| self.grammar.op(w)).filter(|o| o.flags & SPECIAL != 0);
                let Some(op) = op else {
                    return binary(Reason::NotInSpecConstantOp, format!("Invalid OpSpecConstantOp opcode: {word}"));
                };
                now.pos += 1;
                sink.nested(Some(Str { at: op.name.at + 2, len: op.name.len.saturating_sub(2) }), word);
                let outer = op.program.len.min(2);
                let rest = Program { at: op.program.at + outer, len: op.program.len - outer };
                return self.parameters(rest, now, fresh, sink);
            }
            _ => return self.enumerant(kind, word, now, fresh, sink),
        }
        now.pos += 1;
        Ok(Step::Next)
    }

    /// The type of an `OpSwitch`'s selector.
    fn selector(&self, now: &Now<'_>) -> Result<NumberType> {
        let id = self.words.get(now.start + 1).copied().unwrap_or(0);
        match self.defs.get(id) {
            0 | UNTYPED => binary(Reason::UntypedNumber, format!("Invalid OpSwitch: selector id {id} has no type")),
            def if def & TYPE != 0 => {
                binary(Reason::UntypedNumber, format!("Invalid OpSwitch: selector id {id} is a type, not a value"))
            }
            ty => match self.number_type(ty)? {
                number @ NumberType::Int { .. } => Ok(number),
                _ => {
                    binary(Reason::UntypedNumber, format!("Invalid OpSwitch: selector id {id} is not a scalar integer"))
                }
            },
        }
    }

    /// A number of one or more words.
    fn wide<S: Sink>(&mut self, kind: u8, ty: NumberType, now: &mut Now<'_>, sink: &mut S) -> Result<Step> {
        let end = now.pos + ty.words() as usize;
        let Some(words) = self.words.get(now.pos..end) else {
            return self.exhausted("truncated", kind, now);
        };
        sink.number(words, ty);
        now.pos = end;
        Ok(Step::Next)
    }

    fn string<S: Sink>(&mut self, now: &mut Now<'_>, sink: &mut S) -> Result<Step> {
        let rest = self.words.get(now.pos..).or_impossible(&[]);
        let rest = rest.get(..limits::INSTRUCTION_WORDS).unwrap_or(rest);
        let Some(last) = rest.iter().position(|&w| has_zero_byte(w)) else {
            return self.exhausted("truncated", LITERAL_STRING, now);
        };
        let words = rest.get(..=last).unwrap_or(rest);
        if now.op.opcode == opcode::OpExtInstImport {
            let turned = |w: &u32| if self.raw_imports { w.swap_bytes() } else { *w };
            let turned: Vec<u32> = words.iter().map(turned).collect();
            let name: Vec<u8> = string_bytes(&turned).collect();
            let set = match self.grammar.set_by_import(&name) {
                Some(set) => set,
                None if name.starts_with(b"NonSemantic.") => UNKNOWN_SET,
                None => {
                    let name = String::from_utf8_lossy(&name);
                    return binary(Reason::UnknownExtendedSet, format!("Invalid extended instruction import '{name}'"));
                }
            };
            self.imports.insert(now.result, set);
        }
        sink.string(words);
        now.pos += words.len();
        Ok(Step::Next)
    }

    fn extended<S: Sink>(&mut self, word: u32, now: &mut Now<'a>, fresh: bool, sink: &mut S) -> Result<Step> {
        let set = self.words.get(now.start + 3).and_then(|id| self.imports.get(id)).copied().unwrap_or(UNKNOWN_SET);
        let group = self.grammar.sets().get(usize::from(set));
        let row = group.and_then(|g| self.grammar.member(g, word));
        let open = group.is_none_or(|g| g.flags & OPEN != 0);
        if row.is_none() && !open {
            return unknown(Reason::UnknownExtendedInstruction, format!("Invalid extended instruction number: {word}"));
        }
        now.pos += 1;
        if let (Some(group), Some(row)) = (group, row) {
            sink.extended(group, row.name);
        }
        sink.nested(row.map(|r| r.name), word);
        if let Some(row) = row {
            let step = self.parameters(row.program, now, fresh, sink)?;
            if step == Step::End || !open {
                return Ok(step);
            }
        }
        while self.operand(ID_REF, true, now, fresh, sink)? == Step::Next {}
        Ok(Step::End)
    }

    fn enumerant<S: Sink>(
        &mut self,
        kind: u8,
        word: u32,
        now: &mut Now<'a>,
        fresh: bool,
        sink: &mut S,
    ) -> Result<Step> {
        let Some(group) = self.grammar.kind(kind) else {
            return bad(
                Status::Internal,
                Reason::Unsupported,
                format!("Internal error: Unhandled operand type: {kind}"),
            );
        };
        let phrase = || self.grammar.str(group.phrase);
        if group.flags & MASK == 0 {
            let Some(row) = self.grammar.member(group, word) else {
                let mut message = format!("Invalid {} operand: {word}", phrase());
                if phrase() == "source language" {
                    message.push_str(
                        ", if you are creating a new source language please use value 0 (Unknown) and when ready, add \
                         your source language to SPIRV-Headers",
                    );
                }
                return unknown(Reason::UnknownEnumerant, message);
            };
            now.pos += 1;
            sink.enumerant(group, row);
            return self.parameters(row.program, now, fresh, sink);
        }
        let mut bits = word;
        while bits != 0 {
            let bit = 1 << (31 - bits.leading_zeros());
            bits ^= bit;
            if self.grammar.member(group, bit).is_none() {
                return unknown(
                    Reason::UnknownEnumerant,
                    format!("Invalid {} operand: {word} has invalid mask component {bit}", phrase()),
                );
            }
        }
        now.pos += 1;
        sink.mask(group, word);
        let mut bits = word;
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits ^= bit;
            if let Some(row) = self.grammar.member(group, bit)
                && row.program.len != 0
                && self.parameters(row.program, now, fresh, sink)? == Step::End
            {
                return Ok(Step::End);
            }
        }
        Ok(Step::Next)
    }

    #[inline]
    fn parameters<S: Sink>(&mut self, program: Program, now: &mut Now<'a>, fresh: bool, sink: &mut S) -> Result<Step> {
        if program.len == 0 {
            return Ok(Step::Next);
        }
        if now.depth >= limits::PARAMETER_DEPTH {
            return bad(
                Status::Internal,
                Reason::TooDeep,
                "Internal error: parameters are nested too deeply".to_owned(),
            );
        }
        now.depth += 1;
        let step = self.program(program, now, fresh, sink);
        now.depth -= 1;
        step
    }
}
