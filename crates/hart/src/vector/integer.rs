//! The operations on integers and fixed point.

use super::lane::Lane;
use super::operation::Shape::{
    CarryIn, CarryOut, Compare, Extend, Narrow, Reduce, ReduceWide, Same, Widen, WidenFirst,
};
use super::operation::{Compute, Operation, S, U, row};

/// Signed by unsigned, and the other way round.
const SU: (bool, bool) = (true, false);
const US: (bool, bool) = (false, true);

fn signed(value: u64) -> i128 {
    i128::from(value as i64)
}

fn unsigned(value: u64) -> i128 {
    i128::from(value)
}

/// `funct6` of what has two vectors, a vector and a register, or a vector and a number.
#[rustfmt::skip]
pub(super) fn plain(funct6: u8) -> Option<Operation> {
    Some(match funct6 {
        0b00_0000 => row(Same, U, |_, a, b, _| a.wrapping_add(b)),
        0b00_0001 => row(Same, U, |_, a, b, _| a & !b),
        0b00_0010 => row(Same, U, |_, a, b, _| a.wrapping_sub(b)),
        0b00_0011 => row(Same, U, |_, a, b, _| b.wrapping_sub(a)),
        0b00_0100 => row(Same, U, |_, a, b, _| a.min(b)),
        0b00_0101 => row(Same, S, |_, a, b, _| (a as i64).min(b as i64) as u64),
        0b00_0110 => row(Same, U, |_, a, b, _| a.max(b)),
        0b00_0111 => row(Same, S, |_, a, b, _| (a as i64).max(b as i64) as u64),
        0b00_1001 => row(Same, U, |_, a, b, _| a & b),
        0b00_1010 => row(Same, U, |_, a, b, _| a | b),
        0b00_1011 => row(Same, U, |_, a, b, _| a ^ b),
        // With carry or borrow.
        0b01_0000 => row(CarryIn, U, |l, a, b, _| a.wrapping_add(b).wrapping_add(l.carry.into())),
        0b01_0001 => row(CarryOut, U, |l, a, b, _| ((unsigned(a) + unsigned(b) + i128::from(l.carry)) >> l.bits()) as u64),
        0b01_0010 => row(CarryIn, U, |l, a, b, _| a.wrapping_sub(b).wrapping_sub(l.carry.into())),
        0b01_0011 => row(CarryOut, U, |l, a, b, _| u64::from(unsigned(a) < unsigned(b) + i128::from(l.carry))),
        0b01_0111 => row(CarryIn, U, |l, a, b, _| if l.carry { b } else { a }),
        // Comparisons.
        0b01_1000 => row(Compare, U, |_, a, b, _| u64::from(a == b)),
        0b01_1001 => row(Compare, U, |_, a, b, _| u64::from(a != b)),
        0b01_1010 => row(Compare, U, |_, a, b, _| u64::from(a < b)),
        0b01_1011 => row(Compare, S, |_, a, b, _| u64::from((a as i64) < b as i64)),
        0b01_1100 => row(Compare, U, |_, a, b, _| u64::from(a <= b)),
        0b01_1101 => row(Compare, S, |_, a, b, _| u64::from(a as i64 <= b as i64)),
        0b01_1110 => row(Compare, U, |_, a, b, _| u64::from(a > b)),
        0b01_1111 => row(Compare, S, |_, a, b, _| u64::from(a as i64 > b as i64)),
        // Saturated.
        0b10_0000 => row(Same, U, |l, a, b, _| l.saturate_unsigned(unsigned(a) + unsigned(b))),
        0b10_0001 => row(Same, S, |l, a, b, _| l.saturate(signed(a) + signed(b))),
        0b10_0010 => row(Same, U, |l, a, b, _| l.saturate_unsigned(unsigned(a) - unsigned(b))),
        0b10_0011 => row(Same, S, |l, a, b, _| l.saturate(signed(a) - signed(b))),
        0b10_0111 => row(Same, S, |l, a, b, _| l.saturate(l.round(signed(a) * signed(b), l.bits() - 1))),
        // Rotations to the right and to the left.
        0b01_0100 => row(Same, U, |l, a, b, _| rotated(a, l.amount(b, l.size), l.bits())),
        0b01_0101 => row(Same, U, |l, a, b, _| rotated(a, l.bits() - l.amount(b, l.size), l.bits())),
        // Shifts.
        0b10_0101 => row(Same, U, |l, a, b, _| a << l.amount(b, l.size)),
        0b10_1000 => row(Same, U, |l, a, b, _| a >> l.amount(b, l.size)),
        0b10_1001 => row(Same, S, |l, a, b, _| (a as i64 >> l.amount(b, l.size)) as u64),
        0b10_1010 => row(Same, U, |l, a, b, _| l.round(unsigned(a), l.amount(b, l.size)) as u64),
        0b10_1011 => row(Same, S, |l, a, b, _| l.round(signed(a), l.amount(b, l.size)) as u64),
        0b10_1100 => row(Narrow, U, |l, a, b, _| a >> l.amount(b, l.size + 1)),
        0b10_1101 => row(Narrow, S, |l, a, b, _| (a as i64 >> l.amount(b, l.size + 1)) as u64),
        0b10_1110 => row(Narrow, U, |l, a, b, _| l.saturate_unsigned(l.round(unsigned(a), l.amount(b, l.size + 1)))),
        0b10_1111 => row(Narrow, S, |l, a, b, _| l.saturate(l.round(signed(a), l.amount(b, l.size + 1)))),
        0b11_0101 => row(Widen, U, |l, a, b, _| a << l.amount(b, l.size)),
        // Sums of all elements, twice as wide.
        0b11_0000 => row(ReduceWide, U, |_, a, b, _| a.wrapping_add(b)),
        0b11_0001 => row(ReduceWide, S, |_, a, b, _| a.wrapping_add(b)),
        _ => return None,
    })
}

/// The upper half of a product.
fn high(l: &Lane, product: i128) -> u64 {
    (product >> l.bits()) as u64
}

fn product(_: &mut Lane, a: u64, b: u64, _: u64) -> u64 {
    a.wrapping_mul(b)
}

/// The result's old value plus the product.
fn sum(_: &mut Lane, a: u64, b: u64, d: u64) -> u64 {
    d.wrapping_add(a.wrapping_mul(b))
}

/// Rotated to the right by at most its bits.
fn rotated(value: u64, by: u32, bits: u32) -> u64 {
    let twice = u128::from(value) << bits | u128::from(value);
    (twice >> by) as u64
}

/// A product without carries.
fn carryless(a: u64, b: u64) -> u128 {
    (0..64).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(a) << bit)
}

/// `funct6` of what multiplies, divides, averages or reduces.
#[rustfmt::skip]
pub(super) fn multiplied(funct6: u8) -> Option<Operation> {
    Some(match funct6 {
        // All elements of the first operand, and one of the second, to one.
        0b00_0000 => row(Reduce, U, |_, a, b, _| a.wrapping_add(b)),
        0b00_0001 => row(Reduce, U, |_, a, b, _| a & b),
        0b00_0010 => row(Reduce, U, |_, a, b, _| a | b),
        0b00_0011 => row(Reduce, U, |_, a, b, _| a ^ b),
        0b00_0100 => row(Reduce, U, |_, a, b, _| a.min(b)),
        0b00_0101 => row(Reduce, S, |_, a, b, _| (a as i64).min(b as i64) as u64),
        0b00_0110 => row(Reduce, U, |_, a, b, _| a.max(b)),
        0b00_0111 => row(Reduce, S, |_, a, b, _| (a as i64).max(b as i64) as u64),
        // Without carries.
        0b00_1100 => row(Same, U, |_, a, b, _| carryless(a, b) as u64).widest(),
        0b00_1101 => row(Same, U, |_, a, b, _| (carryless(a, b) >> 64) as u64).widest(),
        // Averages.
        0b00_1000 => row(Same, U, |l, a, b, _| l.round(unsigned(a) + unsigned(b), 1) as u64),
        0b00_1001 => row(Same, S, |l, a, b, _| l.round(signed(a) + signed(b), 1) as u64),
        0b00_1010 => row(Same, U, |l, a, b, _| l.round(unsigned(a) - unsigned(b), 1) as u64),
        0b00_1011 => row(Same, S, |l, a, b, _| l.round(signed(a) - signed(b), 1) as u64),
        // Quotients and remainders: of a division by 0 all ones, and the dividend.
        0b10_0000 => row(Same, U, |_, a, b, _| a.checked_div(b).unwrap_or(u64::MAX)),
        0b10_0001 => row(Same, S, |_, a, b, _| if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 }),
        0b10_0010 => row(Same, U, |_, a, b, _| a.checked_rem(b).unwrap_or(a)),
        0b10_0011 => row(Same, S, |_, a, b, _| if b == 0 { a } else { (a as i64).wrapping_rem(b as i64) as u64 }),
        // Products.
        0b10_0100 => row(Same, U, |l, a, b, _| ((u128::from(a) * u128::from(b)) >> l.bits()) as u64),
        0b10_0101 => row(Same, U, product),
        0b10_0110 => row(Same, SU, |l, a, b, _| high(l, signed(a) * unsigned(b))),
        0b10_0111 => row(Same, S, |l, a, b, _| high(l, signed(a) * signed(b))),
        0b10_1001 => row(Same, U, |_, a, b, d| b.wrapping_mul(d).wrapping_add(a)).adding(),
        0b10_1011 => row(Same, U, |_, a, b, d| a.wrapping_sub(b.wrapping_mul(d))).adding(),
        0b10_1101 => row(Same, U, sum).adding(),
        0b10_1111 => row(Same, U, |_, a, b, d| d.wrapping_sub(a.wrapping_mul(b))).adding(),
        // Results that are twice as wide.
        0b11_0000 => row(Widen, U, |_, a, b, _| a.wrapping_add(b)),
        0b11_0001 => row(Widen, S, |_, a, b, _| a.wrapping_add(b)),
        0b11_0010 => row(Widen, U, |_, a, b, _| a.wrapping_sub(b)),
        0b11_0011 => row(Widen, S, |_, a, b, _| a.wrapping_sub(b)),
        0b11_0100 => row(WidenFirst, U, |_, a, b, _| a.wrapping_add(b)),
        0b11_0101 => row(WidenFirst, S, |_, a, b, _| a.wrapping_add(b)),
        0b11_0110 => row(WidenFirst, U, |_, a, b, _| a.wrapping_sub(b)),
        0b11_0111 => row(WidenFirst, S, |_, a, b, _| a.wrapping_sub(b)),
        0b11_1000 => row(Widen, U, product),
        0b11_1010 => row(Widen, SU, product),
        0b11_1011 => row(Widen, S, product),
        0b11_1100 => row(Widen, U, sum).adding(),
        0b11_1101 => row(Widen, S, sum).adding(),
        0b11_1110 => row(Widen, SU, sum).adding(),
        0b11_1111 => row(Widen, US, sum).adding(),
        _ => return None,
    })
}

/// What has one operand: bits reversed, counted or, widened with zeros or its sign, by 8, 4 or 2.
pub(super) fn extended(which: u8) -> Option<Operation> {
    let compute: Compute = match which {
        8 => |_, a, _, _| a.reverse_bits().swap_bytes(),
        9 => |l, a, _, _| a.swap_bytes() >> (64 - l.bits()),
        10 => |l, a, _, _| a.reverse_bits() >> (64 - l.bits()),
        12 => |l, a, _, _| u64::from(a.leading_zeros() + l.bits() - 64),
        13 => |l, a, _, _| u64::from(a.trailing_zeros().min(l.bits())),
        14 => |_, a, _, _| a.count_ones().into(),
        _ => return widened(which),
    };
    Some(row(Same, U, compute))
}

fn widened(which: u8) -> Option<Operation> {
    let signs = if which & 1 == 1 { S } else { U };
    let by = match which {
        2 | 3 => 3,
        4 | 5 => 2,
        6 | 7 => 1,
        _ => return None,
    };
    Some(row(Extend(by), signs, |_, a, _, _| a))
}
