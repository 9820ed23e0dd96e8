//! The operations on floating point, computed by the hart's own.

use super::lane::{Lane, format};
use super::operation::Shape::{self, CarryIn, Compare, Narrow, Reduce, ReduceWide, Same, Widen, WidenFirst};
use super::operation::{Compute, Floats, Operation, S, U, row};
use crate::float::{INEXACT, Integer, TO_ZERO};

/// A row on floating point. Where the result is wider, the operands have been converted to it.
fn float(shape: Shape, compute: Compute) -> Operation {
    Operation { floats: Floats::All, ..row(shape, U, compute) }
}

impl Lane {
    fn sign(&self) -> u64 {
        1 << (self.bits() - 1)
    }

    fn add(&mut self, a: u64, b: u64) -> u64 {
        match self.size {
            1 => self.float.add16(a, b),
            2 => self.float.add32(a, b),
            _ => self.float.add64(a, b),
        }
    }

    fn sub(&mut self, a: u64, b: u64) -> u64 {
        self.add(a, b ^ self.sign())
    }

    fn mul(&mut self, a: u64, b: u64) -> u64 {
        match self.size {
            1 => self.float.mul16(a, b),
            2 => self.float.mul32(a, b),
            _ => self.float.mul64(a, b),
        }
    }

    fn div(&mut self, a: u64, b: u64) -> u64 {
        match self.size {
            1 => self.float.div16(a, b),
            2 => self.float.div32(a, b),
            _ => self.float.div64(a, b),
        }
    }

    fn sqrt(&mut self, a: u64) -> u64 {
        match self.size {
            1 => self.float.sqrt16(a),
            2 => self.float.sqrt32(a),
            _ => self.float.sqrt64(a),
        }
    }

    /// `a · b + c` with the signs of the product and of `c` changed where asked for.
    fn fma(&mut self, a: u64, b: u64, c: u64, product: bool, addend: bool) -> u64 {
        let a = if product { a ^ self.sign() } else { a };
        let c = if addend { c ^ self.sign() } else { c };
        match self.size {
            1 => self.float.fma16(a, b, c),
            2 => self.float.fma32(a, b, c),
            _ => self.float.fma64(a, b, c),
        }
    }

    fn extreme(&mut self, a: u64, b: u64, larger: bool) -> u64 {
        format(self.size).extreme(a, b, larger, true, &mut self.float)
    }

    fn less(&mut self, a: u64, b: u64) -> u64 {
        format(self.size).lt(a, b, false, &mut self.float).into()
    }

    fn less_or_equal(&mut self, a: u64, b: u64) -> u64 {
        format(self.size).le(a, b, false, &mut self.float).into()
    }

    fn equal(&mut self, a: u64, b: u64) -> u64 {
        format(self.size).eq(a, b, &mut self.float).into()
    }

    /// The number in the next wider format than the one of this size.
    pub(super) fn wider(&mut self, a: u64, size: u8) -> u64 {
        format(size).convert(a, format(size + 1), &mut self.float)
    }
}

/// `funct6` of what has two operands.
#[rustfmt::skip]
pub(super) fn binary(funct6: u8) -> Option<Operation> {
    Some(match funct6 {
        0b00_0000 => float(Same, |l, a, b, _| l.add(a, b)),
        0b00_0010 => float(Same, |l, a, b, _| l.sub(a, b)),
        0b00_0100 => float(Same, |l, a, b, _| l.extreme(a, b, false)),
        0b00_0110 => float(Same, |l, a, b, _| l.extreme(a, b, true)),
        0b00_1000 => float(Same, |l, a, b, _| a & !l.sign() | b & l.sign()),
        0b00_1001 => float(Same, |l, a, b, _| a & !l.sign() | !b & l.sign()),
        0b00_1010 => float(Same, |l, a, b, _| a ^ b & l.sign()),
        0b01_0111 => float(CarryIn, |l, a, b, _| if l.carry { b } else { a }),
        // Comparisons.
        0b01_1000 => float(Compare, |l, a, b, _| l.equal(a, b)),
        0b01_1001 => float(Compare, |l, a, b, _| l.less_or_equal(a, b)),
        0b01_1011 => float(Compare, |l, a, b, _| l.less(a, b)),
        0b01_1100 => float(Compare, |l, a, b, _| l.equal(a, b) ^ 1),
        0b01_1101 => float(Compare, |l, a, b, _| l.less(b, a)),
        0b01_1111 => float(Compare, |l, a, b, _| l.less_or_equal(b, a)),
        0b10_0000 => float(Same, |l, a, b, _| l.div(a, b)),
        0b10_0001 => float(Same, |l, a, b, _| l.div(b, a)),
        0b10_0100 => float(Same, |l, a, b, _| l.mul(a, b)),
        0b10_0111 => float(Same, |l, a, b, _| l.sub(b, a)),
        // A product and a sum: the result's old value is multiplied, or added.
        0b10_1000 => float(Same, |l, a, b, d| l.fma(b, d, a, false, false)).adding(),
        0b10_1001 => float(Same, |l, a, b, d| l.fma(b, d, a, true, true)).adding(),
        0b10_1010 => float(Same, |l, a, b, d| l.fma(b, d, a, false, true)).adding(),
        0b10_1011 => float(Same, |l, a, b, d| l.fma(b, d, a, true, false)).adding(),
        0b10_1100 => float(Same, |l, a, b, d| l.fma(a, b, d, false, false)).adding(),
        0b10_1101 => float(Same, |l, a, b, d| l.fma(a, b, d, true, true)).adding(),
        0b10_1110 => float(Same, |l, a, b, d| l.fma(a, b, d, false, true)).adding(),
        0b10_1111 => float(Same, |l, a, b, d| l.fma(a, b, d, true, false)).adding(),
        // Results that are twice as wide.
        0b11_0000 => float(Widen, |l, a, b, _| l.add(a, b)),
        0b11_0010 => float(Widen, |l, a, b, _| l.sub(a, b)),
        0b11_0100 => float(WidenFirst, |l, a, b, _| l.add(a, b)),
        0b11_0110 => float(WidenFirst, |l, a, b, _| l.sub(a, b)),
        0b11_1000 => float(Widen, |l, a, b, _| l.mul(a, b)),
        0b11_1100 => float(Widen, |l, a, b, d| l.fma(a, b, d, false, false)).adding(),
        0b11_1101 => float(Widen, |l, a, b, d| l.fma(a, b, d, true, true)).adding(),
        0b11_1110 => float(Widen, |l, a, b, d| l.fma(a, b, d, false, true)).adding(),
        0b11_1111 => float(Widen, |l, a, b, d| l.fma(a, b, d, true, false)).adding(),
        // All elements to one. Without an order it is the same order.
        0b00_0001 | 0b00_0011 => float(Reduce, |l, a, b, _| l.add(b, a)),
        0b00_0101 => float(Reduce, |l, a, b, _| l.extreme(b, a, false)),
        0b00_0111 => float(Reduce, |l, a, b, _| l.extreme(b, a, true)),
        0b11_0001 | 0b11_0011 => float(ReduceWide, |l, a, b, _| l.add(b, a)),
        _ => return None,
    })
}

/// A number as an integer of a size.
fn integer(l: &mut Lane, a: u64, from: u8, to: u8, signed: bool) -> u64 {
    format(from).to_integer(a, Integer { width: 8 << to, signed }, &mut l.float)
}

/// The same, towards zero.
fn truncated(l: &mut Lane, a: u64, from: u8, to: u8, signed: bool) -> u64 {
    let mode = std::mem::replace(&mut l.float.mode, TO_ZERO);
    let result = integer(l, a, from, to, signed);
    l.float.mode = mode;
    result
}

/// A number in the narrower format of a size, to the nearest or, if it does not fit, to the one of both with an odd last bit.
fn to_odd(l: &mut Lane, a: u64) -> u64 {
    let mut cx = crate::float::Context { mode: TO_ZERO, flags: 0 };
    let result = format(l.size + 1).convert(a, format(l.size), &mut cx);
    l.float.flags |= cx.flags;
    result | u64::from(cx.flags & INEXACT != 0)
}

/// Conversions, by the number in place of the second operand. The lane's size is that of the result, and where the result is
/// narrower that of the operand's half.
#[rustfmt::skip]
pub(super) fn converted(which: u8) -> Option<Operation> {
    let of = |shape, floats, signs, compute: Compute| Operation { floats, ..row(shape, signs, compute) };
    use Floats::{First, Result};
    Some(match which {
        0b00000 => of(Same, First, U, |l, a, _, _| integer(l, a, l.size, l.size, false)),
        0b00001 => of(Same, First, U, |l, a, _, _| integer(l, a, l.size, l.size, true)),
        0b00010 => of(Same, Result, U, |l, a, _, _| format(l.size).of_integer(a, false, &mut l.float)),
        0b00011 => of(Same, Result, S, |l, a, _, _| format(l.size).of_integer(a, true, &mut l.float)),
        0b00110 => of(Same, First, U, |l, a, _, _| truncated(l, a, l.size, l.size, false)),
        0b00111 => of(Same, First, U, |l, a, _, _| truncated(l, a, l.size, l.size, true)),
        0b01000 => of(Widen, First, U, |l, a, _, _| integer(l, a, l.size - 1, l.size, false)),
        0b01001 => of(Widen, First, U, |l, a, _, _| integer(l, a, l.size - 1, l.size, true)),
        0b01010 => of(Widen, Result, U, |l, a, _, _| format(l.size).of_integer(a, false, &mut l.float)),
        0b01011 => of(Widen, Result, S, |l, a, _, _| format(l.size).of_integer(a, true, &mut l.float)),
        // The operand has been converted.
        0b01100 => Operation { is_format: true, ..float(Widen, |_, a, _, _| a) },
        0b01110 => of(Widen, First, U, |l, a, _, _| truncated(l, a, l.size - 1, l.size, false)),
        0b01111 => of(Widen, First, U, |l, a, _, _| truncated(l, a, l.size - 1, l.size, true)),
        0b10000 => of(Narrow, First, U, |l, a, _, _| integer(l, a, l.size + 1, l.size, false)),
        0b10001 => of(Narrow, First, U, |l, a, _, _| integer(l, a, l.size + 1, l.size, true)),
        0b10010 => of(Narrow, Result, U, |l, a, _, _| format(l.size).of_integer(a, false, &mut l.float)),
        0b10011 => of(Narrow, Result, S, |l, a, _, _| format(l.size).of_integer(a, true, &mut l.float)),
        0b10100 => Operation {
            is_format: true,
            ..float(Narrow, |l, a, _, _| format(l.size + 1).convert(a, format(l.size), &mut l.float))
        },
        0b10101 => Operation { is_format: true, ..float(Narrow, |l, a, _, _| to_odd(l, a)) },
        0b10110 => of(Narrow, First, U, |l, a, _, _| truncated(l, a, l.size + 1, l.size, false)),
        0b10111 => of(Narrow, First, U, |l, a, _, _| truncated(l, a, l.size + 1, l.size, true)),
        _ => return None,
    })
}

/// Operations on one operand, by the number in place of the second.
pub(super) fn unary(which: u8) -> Option<Operation> {
    Some(match which {
        0 => float(Same, |l, a, _, _| l.sqrt(a)),
        0b00100 => float(Same, |l, a, _, _| super::estimate::reciprocal_root(l, a)),
        0b00101 => float(Same, |l, a, _, _| super::estimate::reciprocal(l, a)),
        0b10000 => float(Same, |l, a, _, _| super::estimate::class(l.size, a)),
        _ => return None,
    })
}
