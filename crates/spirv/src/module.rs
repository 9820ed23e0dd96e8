//! A module taken apart: its header, and its instructions with the names and values that the grammar gives them.
//!
//! The problem: who rewrites, checks or compares modules wants operands, not words. The invariant: what comes out is what the
//! disassembler prints, since the same walk decodes it; an instruction that cannot be decoded is an error with its place, and the
//! walk goes on after it. The method: a taker for that walk that keeps each operand as plain data.

use crate::dis::decode::{Bad, Decoder, Nothing, Sink, string_bytes};
use crate::dis::{self, Failure, HEADER_WORDS};
use crate::grammar::Grammar;
use crate::grammar::rows::{GroupRow, ID_RESULT, ID_RESULT_TYPE, Str, ValueRow};
use crate::instructions;
use crate::number::NumberType;
use crate::places::Places;

/// The five words before the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Major and minor of the core version: `(1, 6)`.
    pub version: (u8, u8),
    /// Who made it: the number of a tool in the upper 16 bits ([`Grammar::vendor`] names it), its version below.
    pub generator: u32,
    /// All ids are below.
    pub bound: u32,
    /// 0.
    pub schema: u32,
}

/// What the bits of a number mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NumberKind {
    /// An unsigned integer.
    Unsigned,
    /// An integer in two's complement.
    Signed,
    /// A float, IEEE 754 or another encoding that its type names.
    Float,
}

/// An operand, or a part of one: parameters of an enumerant follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operand<'m> {
    /// An id.
    Id(u32),
    /// A number: its words, the low one first, and its width in bits. Narrower ones stand in the low bits of a word.
    Number {
        /// The words.
        words: Vec<u32>,
        /// Bits of its type.
        width: u32,
        /// What the bits mean.
        kind: NumberKind,
    },
    /// The bytes of a string, without the NUL: UTF-8 in a valid module.
    String(Vec<u8>),
    /// A value with a name: that of its kind (`StorageClass`), its own (`Uniform`), and the number.
    Enumerant {
        /// The kind.
        kind: &'m str,
        /// The name.
        name: &'m str,
        /// The value.
        value: u32,
    },
    /// Values of a kind that are or-ed. `names` has that of each bit, from the lowest up; without bits it is empty.
    Mask {
        /// The kind.
        kind: &'m str,
        /// The names of the bits.
        names: Vec<&'m str>,
        /// The value.
        value: u32,
    },
    /// An instruction of an extended set; no name if the set is not known. Its operands follow.
    Extended {
        /// The set.
        set: Option<&'m str>,
        /// The name.
        name: Option<&'m str>,
        /// The number.
        number: u32,
    },
    /// The instruction that `OpSpecConstantOp` does, without `Op`. Its operands follow.
    Opcode {
        /// The name.
        name: &'m str,
        /// The opcode.
        opcode: u32,
    },
}

/// An instruction with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instruction<'m> {
    /// Index of its first word in the module.
    pub offset: usize,
    /// Its words, the first one included.
    pub words: &'m [u32],
    /// Opcode.
    pub opcode: u16,
    /// Its name with `Op`.
    pub name: &'m str,
    /// The id of the type of its result.
    pub result_type: Option<u32>,
    /// The id that it defines.
    pub result: Option<u32>,
    /// What follows these.
    pub operands: Vec<Operand<'m>>,
}

/// A module in the machine's byte order, with a sound header.
///
/// ```
/// use isaglot_spirv::module::{Module, Operand};
/// use isaglot_spirv::{asm, grammar::Grammar};
///
/// let text = b"%float = OpTypeFloat 32\n%ptr = OpTypePointer Uniform %float\n";
/// let words = isaglot_spirv::assemble(text, &asm::Options::default())?;
/// let module = Module::new(&words, Grammar::builtin())?;
/// assert_eq!((module.header().version, module.header().bound), ((1, 6), 3));
/// let all: Vec<_> = module.instructions().collect::<Result<_, _>>()?;
/// assert_eq!((all[1].name, all[1].result), ("OpTypePointer", Some(2)));
/// assert_eq!(all[1].operands[0], Operand::Enumerant { kind: "StorageClass", name: "Uniform", value: 2 });
/// assert_eq!(all[1].operands[1], Operand::Id(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Module<'m> {
    words: &'m [u32],
    grammar: Grammar<'m>,
    places: Places<'m>,
}

impl<'m> Module<'m> {
    /// Takes the words of a module.
    ///
    /// # Errors
    /// For a header that is not one, or of the other byte order: swap the bytes of every word first.
    pub fn new(words: &'m [u32], grammar: Grammar<'m>) -> Result<Module<'m>, Failure> {
        match dis::header_problem(words) {
            Some(failure) => Err(failure),
            None if words.first() != Some(&crate::asm::MAGIC) => Err(dis::other_byte_order()),
            None => Ok(Module { words, grammar, places: Places::new(words, grammar) }),
        }
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> Header {
        let word = |i: usize| self.words.get(i).copied().unwrap_or(0);
        let version = ((word(1) >> 16) as u8, (word(1) >> 8) as u8);
        Header { version, generator: word(2), bound: word(3), schema: word(4) }
    }

    /// Its instructions in order, each decoded when it is asked for. After one that cannot be decoded comes what follows its
    /// word count.
    pub fn instructions(&self) -> Instructions<'_> {
        let decoder = Decoder::new(self.words, &self.places, self.grammar, false);
        Instructions { decoder, at: HEADER_WORDS, index: 0 }
    }
}

/// The instructions of a [`Module`].
pub struct Instructions<'m> {
    decoder: Decoder<'m>,
    at: usize,
    index: usize,
}

impl<'m> Iterator for Instructions<'m> {
    type Item = Result<Instruction<'m>, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let (words, grammar) = (self.decoder.words, self.decoder.grammar);
        let raw = instructions::Instructions::from(words, self.at).next()?;
        self.at += raw.words.len();
        self.index += 1;
        let mut taker = Taker { grammar, operands: Vec::new(), set: None, result: None, result_type: None };
        let decoded = self.decoder.instruction(raw.offset, true, &mut taker);
        Some(match decoded {
            Ok(_) => Ok(Instruction {
                offset: raw.offset,
                words: raw.words,
                opcode: raw.opcode,
                name: grammar.op(raw.opcode).map_or("", |op| grammar.str(op.name)),
                result_type: taker.result_type,
                result: taker.result,
                operands: taker.operands,
            }),
            Err(bad) => Err(failure(&bad, self.index, raw.offset)),
        })
    }
}

/// A failure of the instruction of this number.
fn failure(bad: &Bad, index: usize, word: usize) -> Failure {
    Failure { reason: bad.reason, status: bad.status, index, word, message: bad.message.clone() }
}

/// Checks all instructions of a module: whether the grammar has them with these operands.
///
/// # Errors
/// For the header, or the first instruction that cannot be decoded.
pub fn check(words: &[u32], grammar: Grammar<'_>) -> Result<(), Failure> {
    let module = Module::new(words, grammar)?;
    let mut decoder = Decoder::new(words, &module.places, grammar, false);
    let (mut at, mut index) = (HEADER_WORDS, 0);
    while at < words.len() {
        index += 1;
        at = decoder.instruction(at, true, &mut Nothing).map_err(|bad| failure(&bad, index, at))?;
    }
    Ok(())
}

/// Keeps operands.
struct Taker<'m> {
    grammar: Grammar<'m>,
    operands: Vec<Operand<'m>>,
    /// The extended set and its instruction's name, which are told before its number.
    set: Option<(&'m str, &'m str)>,
    result_type: Option<u32>,
    result: Option<u32>,
}

impl Sink for Taker<'_> {
    fn id(&mut self, kind: u8, id: u32) {
        match kind {
            ID_RESULT_TYPE => self.result_type = Some(id),
            ID_RESULT => self.result = Some(id),
            _ => self.operands.push(Operand::Id(id)),
        }
    }

    fn number(&mut self, words: &[u32], ty: NumberType) {
        let (width, kind) = match ty {
            NumberType::Int { width, signed: false } => (width, NumberKind::Unsigned),
            NumberType::Int { width, signed: true } => (width, NumberKind::Signed),
            NumberType::Float { width, .. } => (width, NumberKind::Float),
        };
        self.operands.push(Operand::Number { words: words.to_vec(), width, kind });
    }

    fn string(&mut self, words: &[u32]) {
        self.operands.push(Operand::String(string_bytes(words).collect()));
    }

    // Both are told by more specific functions.
    fn name(&mut self, _: Str) {}

    fn enumerant(&mut self, group: &GroupRow, row: &ValueRow) {
        let (kind, name) = (self.grammar.str(group.name), self.grammar.str(row.name));
        self.operands.push(Operand::Enumerant { kind, name, value: row.value });
    }

    fn mask(&mut self, group: &GroupRow, value: u32) {
        let bits = (0..32).map(|bit| 1 << bit).filter(|bit| value & bit != 0);
        let names = bits.filter_map(|bit| self.grammar.member(group, bit)).map(|row| self.grammar.str(row.name));
        self.operands.push(Operand::Mask { kind: self.grammar.str(group.name), names: names.collect(), value });
    }

    fn extended(&mut self, set: &GroupRow, name: Str) {
        self.set = Some((self.grammar.str(set.name), self.grammar.str(name)));
    }

    fn nested(&mut self, name: Option<Str>, number: u32) {
        let operand = match (self.set.take(), name) {
            (Some((set, name)), _) => Operand::Extended { set: Some(set), name: Some(name), number },
            // Only `OpSpecConstantOp` gives a name without a set.
            (None, Some(name)) => Operand::Opcode { name: self.grammar.str(name), opcode: number },
            (None, None) => Operand::Extended { set: None, name: None, number },
        };
        self.operands.push(operand);
    }
}
