//! Operands by their program: ids, literals, strings, enumerants with their parameters, and the kinds whose meaning
//! depends on what came before (typed numbers, extended instructions, nested opcodes).
//!
//! The program of an instruction is a row of items of the grammar; enumerants and masks have programs of their own, which are
//! run where such a value was read:
//!
//! ```text
//! OpLoad: IdResultType IdResult IdRef MemoryAccess?
//! %8 = OpLoad %2 %5 Aligned 4
//!             │  │  │       └ the parameter of Aligned: its program is LiteralInteger
//!             │  │  └ MemoryAccess: optional; the mask 0x2
//!             │  └ IdRef
//!             └ IdResultType; IdResult was read before the `=` and is put after it
//! ```

use isaglot_invariant::Impossible as _;

use super::documented::lower_p;
use super::failure::shown;
use super::lex::{at, is_assignment, is_name, is_opcode, is_stop, skip, word_end};
use super::types::Import;
use super::{Assembler, Fail, Failure, Reason, Status};
use crate::grammar::opcode;
use crate::grammar::rows::*;
use crate::limits;
use crate::meaning;
use crate::number::parse::{Refusal, number};
use crate::number::{Encoding, NumberType};

/// How an operand, or a program of them, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// As it should; the next operand follows.
    Next,
    /// The instruction is over.
    End,
    /// A `!` word was met: from here on there is no grammar.
    Raw,
}

/// A literal that the grammar expected and did not get.
enum Literal {
    Done,
    /// An optional operand that is not there.
    Absent,
}

impl<'t> Assembler<'t, '_> {
    /// Encodes the operands of a program.
    pub(super) fn operands(&mut self, program: Program) -> Result<Step, Fail> {
        let items = self.grammar.program(program);
        let mut i = 0;
        while let Some(item) = items.get(i) {
            i += 1;
            let step = match item.quantifier {
                ONE => self.operand(item.kind, false)?,
                OPTIONAL => self.operand(item.kind, true)?,
                REPEAT => loop {
                    let step = self.operand(item.kind, true)?;
                    if step != Step::Next {
                        break step;
                    }
                },
                _ => {
                    let second = items.get(i).map_or(ID_REF, |s| s.kind);
                    i += 1;
                    loop {
                        let step = self.operand(item.kind, true)?;
                        if step != Step::Next {
                            break step;
                        }
                        let step = self.operand(second, false)?;
                        if step != Step::Next {
                            break step;
                        }
                    }
                }
            };
            if step != Step::Next {
                return Ok(step);
            }
        }
        Ok(Step::Next)
    }

    /// Writes an id.
    #[inline]
    fn push_id(&mut self, kind: u8, id: u32) {
        match kind {
            ID_RESULT_TYPE => self.now.result_type = id,
            ID_RESULT => self.now.result = id,
            _ => {}
        }
        if self.mark_ids {
            self.mark();
        }
        self.words.push(id);
    }

    fn mark(&mut self) {
        let word = self.words.len();
        if self.id_words.len() <= word / 64 {
            self.id_words.resize(word / 64 + 1, 0);
        }
        if let Some(bits) = self.id_words.get_mut(word / 64) {
            *bits |= 1 << (word % 64);
        }
    }

    /// The id named at `start + 1`, and the end of the name; `None` if the word is not a clean name.
    #[inline]
    fn name(&mut self, start: usize) -> Option<(u32, usize)> {
        let text = self.text;
        let mut i = start + 1;
        let first = at(text, i);
        if first.is_ascii_digit() && first != b'0' {
            let mut n = u32::from(first - b'0');
            loop {
                i += 1;
                let b = at(text, i);
                if b.is_ascii_digit() && i < start + 10 {
                    n = n * 10 + u32::from(b - b'0');
                } else if is_stop(b) {
                    return Some((self.ids.decimal(n, start + 1, i - start - 1), i));
                } else {
                    break;
                }
            }
        }
        while is_name(at(text, i)) {
            i += 1;
        }
        (is_stop(at(text, i)) && i > start + 1).then(|| (self.ids.named(start + 1, i - start - 1), i))
    }

    /// The result's id, from the token left of `=`.
    fn left_side(&mut self) -> Result<Step, Fail> {
        self.now.pending = false;
        let left = self.now.left;
        match self.name(left.0) {
            Some((id, _)) => {
                self.push_id(ID_RESULT, id);
                Ok(Step::Next)
            }
            None => {
                let name = shown(self.token((left.0 + 1, left.1))).into_owned();
                self.fail(self.last, Reason::InvalidId, format!("Invalid ID {name}"))
            }
        }
    }

    /// One operand.
    #[inline]
    pub(super) fn operand(&mut self, kind: u8, optional: bool) -> Result<Step, Fail> {
        if kind == ID_RESULT && self.now.pending {
            return self.left_side();
        }
        let start = self.pos;
        let first = at(self.text, start);
        if first == b'%' {
            // The most frequent token. Names are interned by first mention, so first see whether it starts the next
            // instruction.
            let end = word_end(self.text, start);
            let next = skip(self.text, end);
            if at(self.text, next) == b'=' && is_assignment(self.text, next) {
                return self.ended(optional, start, true);
            }
            if kind <= ID_SEMANTICS
                && let Some((id, end)) = self.name(start)
            {
                self.push_id(kind, id);
                self.last = end;
                self.pos = next;
                return Ok(Step::Next);
            }
        } else if start >= self.text.len() {
            return self.ended(optional, start, false);
        } else if is_opcode(self.text, start) && kind != SPEC_OP {
            return self.ended(optional, start, true);
        }
        self.other_operand(kind, optional, start)
    }

    /// The instruction is over where an operand was looked for.
    #[inline]
    fn ended(&mut self, optional: bool, start: usize, next: bool) -> Result<Step, Fail> {
        // What is wrong with the instruction as a whole is then said to be here.
        self.last = start;
        if optional { Ok(Step::End) } else { self.missing(start, next) }
    }

    #[cold]
    fn missing(&self, start: usize, next: bool) -> Result<Step, Fail> {
        let name = shown(self.token(self.now.name));
        let found = if next { "next instruction instead" } else { "end of the stream" };
        self.fail(
            start,
            Reason::MissingOperand,
            format!("Expected operand for {name} instruction, but found the {found}."),
        )
    }

    /// An operand that is not a well-formed id.
    fn other_operand(&mut self, kind: u8, optional: bool, start: usize) -> Result<Step, Fail> {
        let end = word_end(self.text, start);
        let word = self.token((start, end));
        if word.first() == Some(&b'!') {
            if optional && self.begins_documented(start) {
                return self.ended(optional, start, true);
            }
            self.immediate(word, start)?;
            self.now.raw_ids = kind <= ID_SEMANTICS || kind == EXT_SET;
            self.doubt(word, start, self.now.raw_ids, optional);
            self.consume(end);
            return Ok(Step::Raw);
        }
        let done = match kind {
            ..=ID_SEMANTICS => return self.bad_id(kind, word, start),
            EXT_SET => return self.import_id(optional, start),
            LITERAL_INTEGER => self.literal(word, NumberType::U32, optional, start)?,
            LITERAL_FLOAT => {
                let ty = NumberType::Float { width: 32, encoding: Encoding::Ieee };
                self.literal(word, ty, optional, start)?
            }
            TYPED_NUMBER => {
                let ty = self.types.number(self.now.result_type);
                if let Some(step) = self.number_words(ty)? {
                    return Ok(step);
                }
                let Some(ty) = ty else {
                    let name = shown(self.token((self.now.name.0 + 2, self.now.name.1)));
                    let message = format!("Type for {name} must be a scalar floating point or integer type");
                    let what =
                        "a type that OpTypeInt or OpTypeFloat made before; `--documented` reads words of any type";
                    return self
                        .fail(start, Reason::UntypedNumber, message)
                        .map_err(|f| expecting(f, Some(what.to_owned())));
                };
                self.literal(word, ty, optional, start)?
            }
            CASE_LABEL => {
                let selector = self.words.get(self.now.first + 1).copied().unwrap_or(0);
                let Some(ty @ NumberType::Int { .. }) = self.types.number_of_value(selector) else {
                    return self.fail(
                        start,
                        Reason::UntypedNumber,
                        "The selector operand for OpSwitch must be the result of an instruction that generates an \
                         integer scalar",
                    );
                };
                if let Some(step) = self.number_words(Some(ty))? {
                    return Ok(step);
                }
                self.literal(word, ty, optional, start)?
            }
            LITERAL_STRING => self.string(word, optional, start)?,
            EXT_INST => return self.extended(word, start, end),
            SPEC_OP => return self.nested_opcode(word, start, end),
            _ => return self.enumerant(kind, optional, word, start, end),
        };
        match done {
            Literal::Done => {
                self.consume(end);
                Ok(Step::Next)
            }
            Literal::Absent => Ok(Step::End),
        }
    }

    #[cold]
    fn bad_id(&self, kind: u8, word: &[u8], start: usize) -> Result<Step, Fail> {
        if let Some(name) = word.strip_prefix(b"%") {
            return self.fail(start, Reason::InvalidId, format!("Invalid ID {}", shown(name)));
        }
        let what = match meaning::number(self.grammar, kind, word) {
            Some(n) => format!(
                "the id of a constant: `{}` is {n}, so define `%name = OpConstant %uint {n}` and write `%name`",
                shown(word)
            ),
            None => "an id, such as `%name`".to_owned(),
        };
        self.fail(start, Reason::InvalidId, "Expected id to start with %.").map_err(|f| expecting(f, Some(what)))
    }

    /// A number of a type.
    fn literal(&mut self, word: &[u8], ty: NumberType, optional: bool, start: usize) -> Result<Literal, Fail> {
        let lower = if self.documented { lower_p(word) } else { None };
        match number(lower.as_deref().unwrap_or(word), ty) {
            Ok((bits, words)) => {
                self.words.push(bits as u32);
                if words > 1 {
                    self.words.push((bits >> 32) as u32);
                }
                Ok(Literal::Done)
            }
            Err(Refusal::Usage(message)) => self.fail(start, Reason::InvalidNumber, message),
            Err(_) if optional => Ok(Literal::Absent),
            Err(Refusal::Invalid(message)) => {
                let what = "`p` in lower case, as in `0x1.8p+1`; `--documented` reads `P` too";
                self.fail(start, Reason::InvalidNumber, message)
                    .map_err(|f| expecting(f, lower_p(word).map(|_| what.to_owned())))
            }
            Err(Refusal::Unsupported(message)) => {
                let what = "its words with `!`, the low one first; `--documented` reads them without";
                self.fail_as(Status::Internal, start, Reason::UnsupportedNumber, message)
                    .map_err(|f| expecting(f, Some(what.to_owned())))
            }
        }
    }

    /// A string.
    fn string(&mut self, word: &[u8], optional: bool, start: usize) -> Result<Literal, Fail> {
        let Some(inner) = quoted(word) else {
            if optional {
                return Ok(Literal::Absent);
            }
            let found = shown(word);
            let message = if is_plain_number(word) {
                format!("Expected literal string, found literal number '{found}'.")
            } else {
                format!("Invalid literal string '{found}'.")
            };
            return self.fail(start, Reason::InvalidString, message);
        };
        let from = self.words.len();
        push_string(&mut self.words, inner);
        if self.words.len() - from > limits::INSTRUCTION_WORDS {
            return self.fail(start, Reason::TooLong, "Instruction too long: more than 65535 words.");
        }
        if self.now.opcode == opcode::OpExtInstImport {
            self.import(from, start)?;
        }
        Ok(Literal::Done)
    }

    /// Notes which set an import chose; its name lies in the words from `from` on.
    fn import(&mut self, from: usize, start: usize) -> Result<(), Fail> {
        let mut name: Vec<u8> =
            self.words.get(from..).or_impossible(&[]).iter().flat_map(|w| w.to_le_bytes()).collect();
        name.truncate(name.iter().position(|&b| b == 0).unwrap_or(name.len()));
        let import = match self.grammar.set_by_import(&name) {
            Some(set) => Import::Set(set),
            None if name.starts_with(b"NonSemantic.") => Import::Unknown,
            None => {
                let name = shown(&name);
                return self.fail(
                    start,
                    Reason::UnknownExtendedSet,
                    format!("Invalid extended instruction import '{name}'"),
                );
            }
        };
        let id = self.words.get(self.now.first + 1).copied().unwrap_or(0);
        if !self.types.add_import(id, import) {
            return self.fail(start, Reason::Redefined, "Import Id is being defined a second time");
        }
        Ok(())
    }

    /// The id of an import, which must be known by now.
    fn import_id(&mut self, optional: bool, start: usize) -> Result<Step, Fail> {
        let step = self.operand(ID_REF, optional)?;
        let set = self.words.last().copied().or_impossible(0);
        if step == Step::Next && self.types.import(set).is_none() {
            let id = self.words.get(self.now.first + 2).copied().unwrap_or(0);
            return self.fail(
                start,
                Reason::UnknownExtendedSet,
                format!("Invalid extended instruction import Id {id}"),
            );
        }
        Ok(step)
    }

    /// The parameters of what was just encoded.
    pub(super) fn nested(&mut self, program: Program) -> Result<Step, Fail> {
        if program.len == 0 {
            return Ok(Step::Next);
        }
        if self.depth >= limits::PARAMETER_DEPTH {
            return self.fail_as(Status::Internal, self.last, Reason::TooDeep, "Parameters are nested too deeply.");
        }
        self.depth += 1;
        let step = self.operands(program);
        self.depth -= 1;
        step
    }
}

/// A failure with what was expected.
pub(super) fn expecting(mut failure: Fail, what: Option<String>) -> Fail {
    failure.expected = what;
    failure
}

/// The nearest of some names.
pub(super) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    isaglot_source::closest(word, names).map(|n| format!("`{n}`?"))
}

/// The inside of a string token.
pub(super) fn quoted(word: &[u8]) -> Option<&[u8]> {
    match word {
        [b'"', inner @ .., b'"'] => Some(inner),
        _ => None,
    }
}

/// Whether a word is digits with at most one point, with or without minus.
fn is_plain_number(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let points = digits.iter().filter(|&&b| b == b'.').count();
    !digits.is_empty() && points <= 1 && digits.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

/// Packs a string's bytes, escapes resolved and NUL at the end, into words, low byte first.
pub(super) fn push_string(words: &mut Vec<u32>, inner: &[u8]) {
    if memchr::memchr(b'\\', inner).is_none() {
        let mut chunks = inner.chunks_exact(4);
        for c in &mut chunks {
            words.push(c.first_chunk().map_or(0, |c| u32::from_le_bytes(*c)));
        }
        words.push(chunks.remainder().iter().rev().fold(0, |w, &b| w << 8 | u32::from(b)));
        return;
    }
    let (mut word, mut used) = (0u32, 0);
    let mut escaping = false;
    for &b in inner {
        if b == b'\\' && !escaping {
            escaping = true;
            continue;
        }
        escaping = false;
        word |= u32::from(b) << (8 * used);
        used += 1;
        if used == 4 {
            words.push(word);
            (word, used) = (0, 0);
        }
    }
    words.push(word);
}

/// What the instruction takes, where a failure is that one of its operands is missing.
pub(super) fn expectation(a: &Assembler<'_, '_>, failure: &Failure) -> Option<String> {
    if !failure.message.starts_with("Expected operand for") {
        return None;
    }
    let op = a.grammar.op(a.now.opcode)?;
    let items = a.grammar.program(op.program).iter().enumerate();
    let names =
        items.filter(|(_, item)| item.kind > ID_RESULT).map(|(i, item)| match a.grammar.item_name(op.program, i) {
            "" => a.grammar.phrase(item.kind),
            name => name,
        });
    Some(format!("{} to take: {}", a.grammar.str(op.name), names.collect::<Vec<_>>().join(", ")))
}
