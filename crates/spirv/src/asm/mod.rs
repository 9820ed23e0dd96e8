//! The assembler: text → words in one pass.
//!
//! Bytes are classified by a table, tokens are ranges of the text, opcodes and enumerants are found by precomputed
//! slots, operands follow the opcode's program, and words go straight to the module; an instruction's first word is
//! patched at its end. Nothing is allocated per instruction. Errors leave the fast path: only then are line and column
//! counted.

mod check;
mod documented;
mod doubt;
mod failure;
mod ids;
mod lex;
mod named;
mod names;
mod operand;
mod raw;
mod types;

pub(crate) use check::Check;
use doubt::Doubts;
pub use doubt::Warning;
use failure::shown;
pub use failure::{Failure, Reason, Status};
use ids::Ids;
use lex::{at, is_instruction, is_opcode, skip, word_end};
pub use names::NameList;
use types::Types;

use std::borrow::Cow;

use isaglot_invariant::Impossible as _;
use rustc_hash::FxHashSet;

use crate::grammar::rows::{ENABLED, HAS_RESULT, ID_SEMANTICS, MAKES_TYPE, OpRow};
use crate::grammar::{Grammar, compile, opcode};
use crate::limits;
use crate::number::{Encoding, NumberType};

/// First word of a module.
pub const MAGIC: u32 = 0x0723_0203;

/// The generator word of modules assembled from text.
pub const GENERATOR: u32 = 7 << 16;

/// How to assemble.
#[derive(Clone, Copy, Debug)]
pub struct Options<'g> {
    /// The grammar.
    pub grammar: Grammar<'g>,
    /// Minor of the core version 1.n; `None` takes it from the leading comments, else the newest.
    pub version: Option<u8>,
    /// Numeric ids keep their numbers; others fill the gaps.
    pub preserve_numeric_ids: bool,
    /// After an error go on with the next instruction and report all.
    pub keep_going: bool,
    /// Record where in the text each instruction stands.
    pub map: bool,
    /// Read also what the published syntax page has and the reference refuses: numbers of more than 64 bits, or of a type
    /// that the text does not define, as their words, the low one first; `P` in hexadecimal floats.
    pub documented: bool,
}

impl Default for Options<'static> {
    fn default() -> Options<'static> {
        Options {
            grammar: Grammar::builtin(),
            version: None,
            preserve_numeric_ids: false,
            keep_going: false,
            map: false,
            documented: false,
        }
    }
}

/// The newest core version, 1.n.
pub const NEWEST: u8 = 6;

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// The module; without the failed instructions if there were failures.
    pub words: Vec<u32>,
    /// The names of ids.
    pub names: NameList,
    /// For each instruction: byte offset in the text, index of its first word. Empty unless asked for.
    pub map: Vec<(u32, u32)>,
    /// What was wrong.
    pub failures: Vec<Failure>,
    /// What may not be meant, although it assembles.
    pub warnings: Vec<Warning>,
}

type Fail = Box<Failure>;

/// The instruction in the making.
#[derive(Clone, Copy, Debug, Default)]
struct Current {
    opcode: u16,
    /// The whole name as written.
    name: (usize, usize),
    /// The token left of `=`; empty if none.
    left: (usize, usize),
    /// Index of its first word.
    first: usize,
    result_type: u32,
    result: u32,
    /// The result is still to come.
    pending: bool,
    /// A `!` word stands where an id was due; those after it may too.
    raw_ids: bool,
}

struct Assembler<'t, 'g> {
    text: &'t [u8],
    grammar: Grammar<'g>,
    version: u8,
    /// Start of the next token.
    pos: usize,
    /// Just past the last consumed token.
    last: usize,
    words: Vec<u32>,
    /// With numeric ids kept: one bit per word, set for ids.
    id_words: Vec<u64>,
    mark_ids: bool,
    ids: Ids<'t>,
    types: Types,
    now: Current,
    depth: usize,
    map: Vec<(u32, u32)>,
    documented: bool,
    doubts: Doubts,
}

impl<'t, 'g> Assembler<'t, 'g> {
    fn new(text: &'t [u8], options: &Options<'g>, ids: Ids<'t>) -> Assembler<'t, 'g> {
        let version = options.version.or_else(|| header_version(text)).unwrap_or(NEWEST);
        let mut words = Vec::with_capacity(text.len() / 16 + 5);
        words.extend([MAGIC, 1 << 16 | u32::from(version) << 8, GENERATOR, 0, 0]);
        Assembler {
            text,
            grammar: options.grammar,
            version,
            pos: skip(text, 0),
            last: 0,
            words,
            id_words: Vec::new(),
            mark_ids: false,
            ids,
            types: Types::new(text.len() / 2 + 16),
            now: Current::default(),
            depth: 0,
            map: Vec::new(),
            documented: options.documented,
            doubts: Doubts::default(),
        }
    }

    /// The bytes of a token.
    fn token(&self, range: (usize, usize)) -> &'t [u8] {
        self.text.get(range.0..range.1).or_impossible_default()
    }

    /// The word that starts at `i`, for messages.
    fn word(&self, i: usize) -> String {
        shown(self.token((i, word_end(self.text, i)))).into_owned()
    }

    #[cold]
    fn fail_as<T>(&self, status: Status, at: usize, reason: Reason, message: impl Into<String>) -> Result<T, Fail> {
        let len = if at < self.text.len() { word_end(self.text, at) - at } else { 0 };
        let message = message.into();
        Err(Box::new(Failure { reason, status, at, len, message, expected: None, line: 0, column: 0 }))
    }

    #[cold]
    fn fail<T>(&self, at: usize, reason: Reason, message: impl Into<String>) -> Result<T, Fail> {
        self.fail_as(Status::InvalidText, at, reason, message)
    }

    /// Takes the token up to `end`.
    #[inline]
    fn consume(&mut self, end: usize) {
        self.last = end;
        self.pos = skip(self.text, end);
    }

    /// One instruction, from its first token.
    fn instruction(&mut self) -> Result<(), Fail> {
        let start = self.pos;
        self.now = Current { first: self.words.len(), ..Current::default() };
        let mut left = (start, start);
        if !is_opcode(self.text, start) {
            if at(self.text, start) == b'!' {
                return self.immediate_instruction();
            }
            left = (start, word_end(self.text, start));
            if at(self.text, start) != b'%' {
                let found = self.word(start);
                let message =
                    format!("Expected <opcode> or <result-id> at the beginning of an instruction, found '{found}'.");
                return self.fail(start, Reason::UnexpectedToken, message);
            }
            let equals = skip(self.text, left.1);
            if equals >= self.text.len() {
                return self.fail(equals, Reason::EndOfText, "Expected '=', found end of stream.");
            }
            if at(self.text, equals) != b'=' || word_end(self.text, equals) != equals + 1 {
                let found = self.word(equals);
                return self.fail(
                    equals,
                    Reason::UnexpectedToken,
                    format!("'=' expected after result id but found '{found}'."),
                );
            }
            self.pos = skip(self.text, equals + 1);
            if self.pos >= self.text.len() {
                return self.fail(self.pos, Reason::EndOfText, "Expected opcode, found end of stream.");
            }
            if !is_opcode(self.text, self.pos) {
                return self.fail(
                    self.pos,
                    Reason::UnexpectedToken,
                    format!("Invalid Opcode prefix '{}'.", self.word(self.pos)),
                );
            }
        }
        let name = (self.pos, word_end(self.text, self.pos));
        self.now.name = name;
        self.now.left = left;
        let short = self.token((name.0 + 2, name.1));
        let op = match self.grammar.op_by_name(short) {
            Some(op) if self.available(op) => op,
            _ if short == b"Unknown" => return self.unknown_instruction(left.0 != left.1),
            _ => {
                let word = self.word(name.0);
                let near = operand::nearest(&word, self.grammar.ops().iter().map(|op| self.grammar.str(op.name)));
                let failed = self.fail_as(
                    Status::InvalidLookup,
                    name.0,
                    Reason::UnknownOpcode,
                    format!("Invalid Opcode name '{word}'"),
                );
                return failed.map_err(|f| operand::expecting(f, near));
            }
        };
        let has_result = op.flags & HAS_RESULT != 0;
        if has_result != (left.0 != left.1) {
            let name_text = self.word(name.0);
            let message = if has_result {
                format!("Expected <result-id> at the beginning of an instruction, found '{name_text}'.")
            } else {
                let left = shown(self.token(left));
                format!("Cannot set ID {left} because {name_text} does not produce a result ID.")
            };
            return self.fail(name.0, Reason::ResultMismatch, message);
        }
        self.now.opcode = op.opcode;
        self.now.pending = has_result;
        self.words.push(0);
        self.consume(name.1);
        if let operand::Step::Raw = self.operands(op.program)? {
            self.now.raw_ids &= self.grammar.program(op.program).iter().all(|item| item.kind <= ID_SEMANTICS);
            self.raw_operands()?;
        }
        self.finish(op)
    }

    /// Whether the chosen version has the instruction.
    #[inline]
    fn available(&self, op: &OpRow) -> bool {
        op.since <= self.version && self.version <= op.last || op.flags & ENABLED != 0
    }

    /// Checks and records what is known only at an instruction's end, and writes its first word.
    #[inline]
    fn finish(&mut self, op: &OpRow) -> Result<(), Fail> {
        let first = self.now.first;
        if op.flags & MAKES_TYPE != 0 {
            self.record_type(op.opcode)?;
        } else if self.now.result_type != 0 {
            let value = self.words.get(first + 2).copied().or_impossible(0);
            self.types.add_value(value, self.now.result_type);
        }
        self.patch(first, op.opcode)
    }

    /// Writes the first word of an instruction.
    #[inline]
    fn patch(&mut self, first: usize, opcode: u16) -> Result<(), Fail> {
        let count = self.words.len() - first;
        if count > limits::INSTRUCTION_WORDS {
            return self.fail(self.last, Reason::TooLong, "Instruction too long: more than 65535 words.");
        }
        if let Some(word) = self.words.get_mut(first) {
            *word = (count as u32) << 16 | u32::from(opcode);
        }
        Ok(())
    }

    fn record_type(&mut self, opcode: u16) -> Result<(), Fail> {
        let (count, id, width, third) = match self.words.get(self.now.first..) {
            Some([_, id, rest @ ..]) => (rest.len() + 2, *id, rest.first().copied(), rest.get(1).copied()),
            _ => (1, 0, None, None),
        };
        let mut number = None;
        match (opcode, width) {
            (opcode::OpTypeInt, w) => {
                if count != 4 {
                    return self.fail(self.last, Reason::InvalidType, "Invalid OpTypeInt instruction");
                }
                number = Some(NumberType::Int { width: w.unwrap_or(0), signed: third.unwrap_or(0) != 0 });
            }
            (opcode::OpTypeFloat, w) => {
                if count != 3 && count != 4 {
                    return self.fail(self.last, Reason::InvalidType, "Invalid OpTypeFloat instruction");
                }
                let width = w.unwrap_or(0);
                let encoding = third.map_or(Encoding::Ieee, Encoding::from_value);
                let kind = self.grammar.role(compile::FP_ENCODING);
                let row = third.and_then(|v| self.grammar.member(self.grammar.kind(kind)?, v));
                if third.is_some() && row.is_none() {
                    return self.fail(self.last, Reason::InvalidType, "Invalid OpTypeFloat encoding");
                }
                if let (Some(expected), Some(row)) = (encoding.width(), row)
                    && expected != width
                {
                    let name = self.grammar.str(row.name);
                    let message =
                        format!("Invalid bit width {width} for floating point encoding {name}; expected {expected}");
                    return self.fail(self.last, Reason::InvalidType, message);
                }
                number = Some(NumberType::Float { width, encoding });
            }
            _ => {}
        }
        if !self.types.add_type(id, number) {
            return self.fail(
                self.last,
                Reason::Redefined,
                format!("Value {id} has already been used to generate a type"),
            );
        }
        Ok(())
    }

    /// Everything; false when a failure stopped it.
    fn module(&mut self, options: &Options<'_>, failures: &mut Vec<Failure>) {
        let mut counter = lex::Counter::default();
        while self.pos < self.text.len() {
            let start = self.pos;
            let first = self.words.len();
            if let Err(failure) = self.instruction() {
                self.words.truncate(first);
                self.depth = 0;
                let mut failure = *failure;
                if failures.len() < isaglot_source::limits::MAX_DIAGNOSTICS {
                    (failure.line, failure.column) = counter.position(self.text, failure.at);
                    failure.expected = failure.expected.take().or_else(|| self.expectation(&failure));
                    failures.push(failure);
                }
                if !options.keep_going {
                    return;
                }
                self.recover(start);
            } else if options.map {
                self.map.push((start as u32, first as u32));
            }
        }
    }

    /// Moves to the next instruction after the one at `start`.
    fn recover(&mut self, start: usize) {
        // On the left of `=` stands a token that would look like the start of an instruction again.
        let mut i = start;
        if at(self.text, i) == b'%' && lex::is_assignment(self.text, skip(self.text, word_end(self.text, i))) {
            i = skip(self.text, skip(self.text, word_end(self.text, i)) + 1);
        }
        loop {
            i = skip(self.text, word_end(self.text, i).max(i + 1));
            if i >= self.text.len() || is_instruction(self.text, i) {
                break;
            }
        }
        self.pos = i.min(self.text.len());
    }

    /// What would have been right at a failure, where the message does not say it.
    fn expectation(&self, failure: &Failure) -> Option<String> {
        operand::expectation(self, failure)
    }

    /// Gives the ids their numbers: named ones become what `number` says.
    fn renumber(&mut self, to: &[u32]) {
        for (i, &bits) in self.id_words.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let word = i * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(w) = self.words.get_mut(word)
                    && let Some(&n) = to.get(*w as usize)
                {
                    *w = n;
                }
            }
        }
    }
}

/// The version in the leading comments: `; Version: 1.N` before anything else.
fn header_version(text: &[u8]) -> Option<u8> {
    let mut i = 0;
    loop {
        match at(text, i) {
            b' ' | b'\t' | b'\r' | b'\n' if i < text.len() => i += 1,
            b';' => {
                let rest = text.get(i..).or_impossible(&[]);
                let line = rest.split(|&b| b == b'\n').next().or_impossible(&[]);
                if let Some([n @ b'0'..=b'9', tail @ ..]) = line.strip_prefix(b"; Version: 1.") {
                    let minor = n - b'0';
                    if minor <= NEWEST && !tail.first().is_some_and(u8::is_ascii_digit) {
                        return Some(minor);
                    }
                }
                i += line.len();
            }
            _ => return None,
        }
    }
}

/// Assembles a text. Bytes after the first NUL are not read.
///
/// The result holds the module, or failures: without `keep_going` exactly one, and the words up to it.
///
/// ```
/// use isaglot_spirv::asm::{Options, assemble};
///
/// let done = assemble(b"%f = OpTypeFloat 32\n%one = OpConstant %f 1.5\n", &Options::default());
/// assert_eq!(done.words[5..], [0x0003_0016, 1, 32, 0x0004_002b, 1, 2, 0x3fc0_0000]);
/// let done = assemble(b"OpMemoryModel Logical GLSL\n", &Options::default());
/// assert_eq!(done.failures[0].line(), "error: 1: 23: Invalid memory model 'GLSL'.");
/// ```
pub fn assemble(text: &[u8], options: &Options<'_>) -> Assembly {
    run(text, options, true)
}

/// As [`assemble`], without the list of names.
pub fn assemble_words(text: &[u8], options: &Options<'_>) -> Assembly {
    run(text, options, false)
}

fn run(whole: &[u8], options: &Options<'_>, with_names: bool) -> Assembly {
    let text = memchr::memchr(0, whole).and_then(|n| whole.get(..n)).unwrap_or(whole);
    let mut out = Assembly::default();
    let refusal = match whole.len() {
        0 => Some((Reason::EndOfText, Status::InvalidText, "Missing assembly text.")),
        n if n > limits::TEXT_BYTES => Some((Reason::TooLong, Status::Internal, "The text is too long.")),
        _ => None,
    };
    if let Some((reason, status, message)) = refusal {
        let message = message.to_owned();
        out.failures.push(Failure { reason, status, at: 0, len: 0, message, expected: None, line: 1, column: 1 });
        return out;
    }
    let mut a = Assembler::new(text, options, Ids::new(text));
    a.mark_ids = options.preserve_numeric_ids;
    a.module(options, &mut out.failures);
    let mut bound = a.ids.bound();
    let mut renumbered = None;
    if options.preserve_numeric_ids {
        // The reference finds the names in a first run, whose errors all have one class.
        for f in &mut out.failures {
            f.status = Status::InvalidText;
        }
        match preserved(&a.ids) {
            Some((to, b)) => {
                a.renumber(&to);
                bound = b;
                renumbered = Some(to);
            }
            None if out.failures.is_empty() => {
                // Two spellings of one number, or the number 0: ids fall together, so types do as well.
                let numbers: FxHashSet<u32> = a.ids.iter().filter_map(|(n, _)| n.number()).collect();
                drop(a);
                a = Assembler::new(text, options, Ids::with_fixed(text, numbers));
                a.module(options, &mut out.failures);
                bound = a.ids.bound();
            }
            None => {}
        }
    }
    if let Some(word) = a.words.get_mut(3) {
        *word = bound;
    }
    out.warnings = std::mem::take(&mut a.doubts).warnings(&a.ids, renumbered.as_deref());
    if with_names {
        out.names = NameList::new(&a.ids, renumbered.as_deref());
    }
    out.words = a.words;
    out.map = a.map;
    out
}

/// The bytes of a module's file, low byte of each word first.
pub fn to_bytes(words: &[u32]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        Cow::Borrowed(bytemuck::cast_slice(words))
    } else {
        Cow::Owned(words.iter().flat_map(|w| w.to_le_bytes()).collect())
    }
}

/// The final number of each provisional id, and the bound; `None` when two names have the same number or one has 0.
fn preserved(ids: &Ids<'_>) -> Option<(Vec<u32>, u32)> {
    let count = ids.bound() as usize;
    let mut to = vec![0u32; count];
    let mut taken = FxHashSet::default();
    let mut small = vec![false; count + 1];
    for (name, id) in ids.iter() {
        let Some(n) = name.number() else { continue };
        let fresh = match small.get_mut(n as usize) {
            Some(seen) => !std::mem::replace(seen, true),
            None => taken.insert(n),
        };
        if n == 0 || !fresh {
            return None;
        }
        if let Some(slot) = to.get_mut(id as usize) {
            *slot = n;
        }
    }
    // Gaps below `count` are enough: there are at most `count` ids.
    let mut next = 1usize;
    let mut bound = 1;
    for slot in to.iter_mut().skip(1) {
        if *slot == 0 {
            while small.get(next).copied().unwrap_or(false) {
                next += 1;
            }
            *slot = next as u32;
            next += 1;
        }
        bound = bound.max(slot.wrapping_add(1));
    }
    Some((to, bound))
}
