//! Numeric literals: text ⇄ words, for every width and encoding of the language.
//!
//! Integers follow C++ stream input with base 0, floats C++ stream input for decimals and a strict hexadecimal form;
//! formats below 32 bits are parsed wide and cut towards zero. Printing keeps every bit.

pub(crate) mod format;
pub(crate) mod integer;
pub(crate) mod parse;
pub(crate) mod print;

pub(crate) use format::Encoding;

use crate::grammar::opcode;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberType {
    /// Integer of a width in bits.
    Int {
        /// Width.
        width: u32,
        /// Two's complement.
        signed: bool,
    },
    /// Float of a width in bits.
    Float {
        /// Width.
        width: u32,
        /// IEEE 754 binary, or another.
        encoding: Encoding,
    },
}

impl NumberType {
    /// The type of plain literal operands.
    pub(crate) const U32: NumberType = NumberType::Int { width: 32, signed: false };

    /// The type that an instruction makes.
    pub(crate) fn made_by(instruction: &[u32]) -> Option<NumberType> {
        match instruction {
            [first, _, width, sign, ..] if *first as u16 == opcode::OpTypeInt => {
                Some(NumberType::Int { width: *width, signed: *sign != 0 })
            }
            [first, _, width, rest @ ..] if *first as u16 == opcode::OpTypeFloat => {
                let encoding = rest.first().map_or(Encoding::Ieee, |e| Encoding::from_value(*e));
                Some(NumberType::Float { width: *width, encoding })
            }
            _ => None,
        }
    }

    /// Words that a value takes; none if the width is 0.
    pub(crate) fn words(self) -> u32 {
        let (NumberType::Int { width, .. } | NumberType::Float { width, .. }) = self;
        width.div_ceil(32)
    }
}
