//! What an operation on elements is: a row with its shape, the signs of its operands, and what one element becomes.
//!
//! Operations have the numbers that their words have: `funct3`, which tells integers, integers that are multiplied or reduced, and
//! floating point apart, and below it `funct6`.

use super::lane::Lane;
use super::{float, integer};

/// How wide the elements of a result and of the operands are, and where the result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// All as `vtype` says.
    Same,
    /// The result is twice as wide.
    Widen,
    /// The result and the first operand are twice as wide.
    WidenFirst,
    /// The first operand is twice as wide.
    Narrow,
    /// The operand has so many times fewer bits: a power of two.
    Extend(u8),
    /// The result is a bit.
    Compare,
    /// The mask is an operand; all elements are computed.
    CarryIn,
    /// The mask is an operand if the instruction names it; the result is a bit.
    CarryOut,
    /// All elements to one.
    Reduce,
    /// All elements to one that is twice as wide.
    ReduceWide,
}

/// An element's result from the elements of the operands `a` (`vs2`), `b` (`vs1` or a number) and `d` (`vd` as it was).
pub(super) type Compute = fn(&mut Lane, u64, u64, u64) -> u64;

/// Which operands are floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Floats {
    /// None.
    No,
    /// All.
    All,
    /// The first operand.
    First,
    /// The result.
    Result,
}

/// One operation.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub(super) shape: Shape,
    /// `a` and `b` have a sign.
    pub(super) signed: (bool, bool),
    pub(super) floats: Floats,
    /// It uses the result's old value, as an operand.
    pub(super) adds: bool,
    /// It only moves halves of floating point between formats.
    pub(super) is_format: bool,
    /// Elements have 64 bits.
    pub(super) widest_only: bool,
    pub(super) compute: Compute,
}

/// Operands without sign.
pub(super) const U: (bool, bool) = (false, false);
/// Operands with sign.
pub(super) const S: (bool, bool) = (true, true);

/// A row on integers.
pub(super) fn row(shape: Shape, signed: (bool, bool), compute: Compute) -> Operation {
    Operation { shape, signed, floats: Floats::No, adds: false, is_format: false, widest_only: false, compute }
}

impl Operation {
    /// It uses the result's old value.
    pub(super) fn adding(self) -> Operation {
        Operation { adds: true, ..self }
    }

    /// It is there for elements of 64 bits.
    pub(super) fn widest(self) -> Operation {
        Operation { widest_only: true, ..self }
    }
}

/// The operation with this `funct3` and `funct6`, on two operands.
pub(super) fn binary(number: u16) -> Option<Operation> {
    let funct6 = number as u8 & 0x3f;
    match number >> 6 {
        0 | 3 | 4 => integer::plain(funct6),
        2 | 6 => integer::multiplied(funct6),
        1 | 5 => float::binary(funct6),
        _ => None,
    }
}

/// The operation with this `funct3`, `funct6` and, below it, number of the register in place of the second operand.
pub(super) fn unary(number: u16) -> Option<Operation> {
    let which = number as u8 & 0x1f;
    match (number >> 11, number >> 5 & 0x3f) {
        (2, 0b01_0010) => integer::extended(which),
        (1, 0b01_0010) => float::converted(which),
        (1, 0b01_0011) => float::unary(which),
        _ => None,
    }
}
