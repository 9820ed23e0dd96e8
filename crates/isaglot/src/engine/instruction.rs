//! An instruction as plain data.

use isaglot_bits::{BitRange, Word};

/// An instruction, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instruction {
    /// The word; its width in bits is that of the instruction. Bit 0 is the least significant bit.
    pub word: Word,
    /// How many bytes it takes in memory.
    pub size: usize,
    /// The mnemonic that the description gives it, without suffixes that depend on operands.
    pub mnemonic: String,
    /// The name of its encoding in the description.
    pub encoding: String,
    /// Its text, as `isaglot disasm` prints it without labels.
    pub text: String,
    /// What is wrong with the word although it is an instruction; a disassembly shows it after the text.
    pub problem: Option<String>,
    /// What it reads and writes, in the order of the listing: the destination, then the sources. Empty if the description does not
    /// say what its operands are, and without the feature `listing`.
    pub operands: Vec<Operand>,
    /// The fields of the encoding, in the order of the description.
    pub fields: Vec<Field>,
}

/// Something that an instruction reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// Whether it is the destination.
    pub is_written: bool,
    /// The name of the register, or of the first one of several and how many (`r4:2`); the number; the target of a branch.
    pub text: String,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperandKind {
    /// A register.
    Register,
    /// A number.
    Immediate,
    /// Where a branch goes.
    Label,
    /// Memory at an address in a register.
    Address,
    /// Data of a message.
    Data,
}

impl OperandKind {
    /// In one lower-case word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OperandKind::Register => "register",
            OperandKind::Immediate => "immediate",
            OperandKind::Label => "label",
            OperandKind::Address => "address",
            OperandKind::Data => "data",
        }
    }
}

/// A field of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where its bits are in the word, the least significant part of the value first. Empty if it is derived from others.
    pub ranges: Vec<BitRange>,
    /// The expression that it is derived by.
    pub derived: Option<String>,
    /// Its raw value, of the width of the field; a negative number in two's complement.
    pub value: Word,
    /// How it prints.
    pub text: String,
    /// The value taken apart, if it is decided in a space of its own.
    pub nested: Option<Nested>,
}

/// A value of a field that is an encoding of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Nested {
    /// The name of the encoding.
    pub encoding: String,
    /// Its fields.
    pub fields: Vec<Field>,
}
