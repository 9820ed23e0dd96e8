//! Estimates of seven bits of a reciprocal and of a reciprocal square root, and the class of a number.
//!
//! The specification gives both estimates as tables of 128 rows. A row is the function's value at the middle of what its number
//! stands for, to the nearest; so it is computed, and a test compares all rows with another implementation.

use super::lane::{Lane, format};
use crate::float::{DIVIDE_BY_ZERO, DOWN, INEXACT, INVALID, NEAREST_AWAY, NEAREST_EVEN, OVERFLOW, TO_ZERO, UP};

/// A number taken apart.
struct Parts {
    negative: bool,
    exponent: u64,
    fraction: u64,
    /// The exponent of infinity, and bits of the fraction.
    most: u64,
    width: u32,
}

fn parts(size: u8, a: u64) -> Parts {
    let f = format(size);
    let most = (1 << (f.width - f.fraction - 1)) - 1;
    let negative = a >> (f.width - 1) & 1 == 1;
    Parts { negative, exponent: a >> f.fraction & most, fraction: a & ((1 << f.fraction) - 1), most, width: f.fraction }
}

impl Parts {
    fn is_nan(&self) -> bool {
        self.exponent == self.most && self.fraction != 0
    }

    fn is_signaling(&self) -> bool {
        self.is_nan() && self.fraction >> (self.width - 1) == 0
    }

    fn is_infinite(&self) -> bool {
        self.exponent == self.most && self.fraction == 0
    }

    fn is_zero(&self) -> bool {
        self.exponent == 0 && self.fraction == 0
    }

    /// The exponent and the fraction of a number as if there were no smallest one.
    fn normal(&self) -> (i64, u64) {
        if self.exponent != 0 {
            return (self.exponent as i64, self.fraction);
        }
        let by = self.fraction.leading_zeros() + self.width - 63;
        (1 - i64::from(by), self.fraction << by & ((1 << self.width) - 1))
    }

    fn bits(&self, exponent: u64, fraction: u64) -> u64 {
        let sign = u64::from(self.negative) * (self.most + 1);
        (sign | exponent) << self.width | fraction
    }
}

/// One of ten bits that says what a number is.
pub(super) fn class(size: u8, a: u64) -> u64 {
    let p = parts(size, a);
    let place = if p.is_nan() {
        if p.is_signaling() { 8 } else { 9 }
    } else {
        // From minus infinity to minus zero, and the same in the other direction.
        let magnitude = match p.exponent {
            _ if p.is_infinite() => 0,
            _ if p.is_zero() => 3,
            0 => 2,
            _ => 1,
        };
        if p.negative { magnitude } else { 7 - magnitude }
    };
    1 << place
}

/// Seven bits of `1 / a`.
pub(super) fn reciprocal(l: &mut Lane, a: u64) -> u64 {
    let p = parts(l.size, a);
    if p.is_nan() {
        l.float.flags |= if p.is_signaling() { INVALID } else { 0 };
        return format(l.size).nan();
    }
    if p.is_infinite() {
        return p.bits(0, 0);
    }
    if p.is_zero() {
        l.float.flags |= DIVIDE_BY_ZERO;
        return p.bits(p.most, 0);
    }
    let (exponent, fraction) = p.normal();
    if exponent < -1 {
        // The result is too large: as the rounding mode says.
        l.float.flags |= OVERFLOW | INEXACT;
        let to_largest = match l.float.mode {
            TO_ZERO => true,
            DOWN => !p.negative,
            UP => p.negative,
            NEAREST_EVEN | NEAREST_AWAY => false,
            _ => false,
        };
        return if to_largest { p.bits(p.most - 1, (1 << p.width) - 1) } else { p.bits(p.most, 0) };
    }
    let number = fraction >> (p.width - 7);
    // 256 / x to the nearest, where x is 1 + (number + 1/2) / 128, without the leading one.
    let estimate = (2 * 65536 / (257 + 2 * number)).div_ceil(2) - 128;
    let exponent = 2 * (p.most as i64 / 2) - 1 - exponent;
    let fraction = estimate << (p.width - 7);
    if exponent > 0 {
        return p.bits(exponent as u64, fraction);
    }
    // A result below the smallest normal number.
    let whole = fraction | 1 << p.width;
    p.bits(0, whole >> (1 - exponent))
}

/// Seven bits of `1 / √a`.
pub(super) fn reciprocal_root(l: &mut Lane, a: u64) -> u64 {
    let p = parts(l.size, a);
    if p.is_zero() {
        l.float.flags |= DIVIDE_BY_ZERO;
        return p.bits(p.most, 0);
    }
    if p.is_nan() || p.negative {
        l.float.flags |= if p.is_signaling() || !p.is_nan() { INVALID } else { 0 };
        return format(l.size).nan();
    }
    if p.is_infinite() {
        return 0;
    }
    let (exponent, fraction) = p.normal();
    // The last bit of the exponent and six of the fraction: x from 1 up to 4.
    let number = fraction >> (p.width - 6);
    let x = (129 + 2 * number) as f64 / 128.0 * if exponent & 1 == 0 { 2.0 } else { 1.0 };
    let estimate = (256.0 / x.sqrt()).round() as u64 - 128;
    let exponent = (3 * (p.most as i64 / 2) - 1 - exponent).div_euclid(2);
    p.bits(exponent as u64, estimate << (p.width - 7))
}
