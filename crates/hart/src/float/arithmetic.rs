//! Sums, products, quotients, roots and the fused multiply-add.

use super::number::{Format, Kind, Number, shift_sticky, shift_sticky_wide};
use super::{Context, DIVIDE_BY_ZERO, DOWN};

impl Format {
    /// The sign of a sum that is exactly 0, of terms with these signs.
    fn sum_of_zeros(self, a: bool, b: bool, cx: &Context) -> u64 {
        self.zero(if a == b { a } else { cx.mode == DOWN })
    }

    /// `a + b`.
    #[inline(never)]
    pub(crate) fn add(self, a: u64, b: u64, cx: &mut Context) -> u64 {
        let (x, y) = (self.unpack(a), self.unpack(b));
        match (x.kind, y.kind) {
            (Kind::Finite, Kind::Finite) => {}
            _ if x.is_nan() || y.is_nan() => return self.nan_of(&[x, y], cx),
            (Kind::Infinite, Kind::Infinite) if x.negative != y.negative => return self.invalid(cx),
            (Kind::Infinite, _) => return a,
            (_, Kind::Infinite) => return b,
            (Kind::Zero, Kind::Zero) => return self.sum_of_zeros(x.negative, y.negative, cx),
            (Kind::Zero, _) => return b,
            _ => return a,
        }
        let larger = (x.exponent, x.significand) >= (y.exponent, y.significand);
        let (large, small) = if larger { (x, y) } else { (y, x) };
        // One place for the carry above; far more than two below, so that a sticky bit is enough.
        let kept = large.significand >> 1;
        let moved = shift_sticky(small.significand >> 1, large.exponent.abs_diff(small.exponent));
        let sum = if x.negative == y.negative { kept + moved } else { kept - moved };
        if sum == 0 {
            return self.zero(cx.mode == DOWN);
        }
        let lead = sum.leading_zeros();
        self.round(large.negative, large.exponent + 1 - lead as i32, sum << lead, cx)
    }

    /// `a · b`.
    #[inline(never)]
    pub(crate) fn mul(self, a: u64, b: u64, cx: &mut Context) -> u64 {
        let (x, y) = (self.unpack(a), self.unpack(b));
        let negative = x.negative != y.negative;
        match (x.kind, y.kind) {
            (Kind::Finite, Kind::Finite) => {}
            _ if x.is_nan() || y.is_nan() => return self.nan_of(&[x, y], cx),
            (Kind::Infinite, Kind::Zero) | (Kind::Zero, Kind::Infinite) => return self.invalid(cx),
            (Kind::Infinite, _) | (_, Kind::Infinite) => return self.infinity(negative),
            _ => return self.zero(negative),
        }
        let product = u128::from(x.significand) * u128::from(y.significand);
        self.round_wide(negative, x.exponent + y.exponent + 1, product, cx)
    }

    /// `a / b`.
    #[inline(never)]
    pub(crate) fn div(self, a: u64, b: u64, cx: &mut Context) -> u64 {
        let (x, y) = (self.unpack(a), self.unpack(b));
        let negative = x.negative != y.negative;
        match (x.kind, y.kind) {
            (Kind::Finite, Kind::Finite) => {}
            _ if x.is_nan() || y.is_nan() => return self.nan_of(&[x, y], cx),
            (Kind::Infinite, Kind::Infinite) | (Kind::Zero, Kind::Zero) => return self.invalid(cx),
            (Kind::Infinite, _) => return self.infinity(negative),
            (Kind::Finite, Kind::Zero) => {
                cx.flags |= DIVIDE_BY_ZERO;
                return self.infinity(negative);
            }
            _ => return self.zero(negative),
        }
        let below = x.significand < y.significand;
        let dividend = u128::from(x.significand) << if below { 64 } else { 63 };
        let divisor = u128::from(y.significand);
        let quotient = dividend / divisor;
        let rest = dividend - quotient * divisor;
        let exponent = x.exponent - y.exponent - i32::from(below);
        self.round(negative, exponent, quotient as u64 | u64::from(rest != 0), cx)
    }

    /// The square root.
    #[inline(never)]
    pub(crate) fn sqrt(self, a: u64, cx: &mut Context) -> u64 {
        let x = self.unpack(a);
        match x.kind {
            _ if x.is_nan() => return self.nan_of(&[x], cx),
            Kind::Zero => return a,
            _ if x.negative => return self.invalid(cx),
            Kind::Infinite => return a,
            _ => {}
        }
        let radicand = u128::from(x.significand) << if x.exponent & 1 == 0 { 63 } else { 64 };
        let root = radicand.isqrt();
        let rest = radicand - root * root;
        self.round(false, x.exponent >> 1, root as u64 | u64::from(rest != 0), cx)
    }

    /// `a · b + c`, rounded once.
    #[inline(never)]
    pub(crate) fn fma(self, a: u64, b: u64, c: u64, cx: &mut Context) -> u64 {
        let (x, y, z) = (self.unpack(a), self.unpack(b), self.unpack(c));
        let negative = x.negative != y.negative;
        // Infinity times 0 is invalid even where a quiet NaN is added.
        if matches!((x.kind, y.kind), (Kind::Infinite, Kind::Zero) | (Kind::Zero, Kind::Infinite)) {
            return self.invalid(cx);
        }
        if x.is_nan() || y.is_nan() || z.is_nan() {
            return self.nan_of(&[x, y, z], cx);
        }
        if x.kind == Kind::Infinite || y.kind == Kind::Infinite {
            let differ = z.kind == Kind::Infinite && z.negative != negative;
            return if differ { self.invalid(cx) } else { self.infinity(negative) };
        }
        if z.kind == Kind::Infinite {
            return c;
        }
        if x.kind == Kind::Zero || y.kind == Kind::Zero {
            return if z.kind == Kind::Zero { self.sum_of_zeros(negative, z.negative, cx) } else { c };
        }
        let product = u128::from(x.significand) * u128::from(y.significand);
        self.sum_of_product(negative, x.exponent + y.exponent + 1, product, &z, cx)
    }

    /// A product, `significand · 2^(exponent − 127)`, and a number.
    fn sum_of_product(self, negative: bool, exponent: i32, significand: u128, z: &Number, cx: &mut Context) -> u64 {
        if z.kind == Kind::Zero {
            return self.round_wide(negative, exponent, significand, cx);
        }
        // The highest bit of both one place below the top, so that a carry has room.
        let lead = significand.leading_zeros();
        let product = (negative, exponent - lead as i32, significand << lead >> 1);
        let other = (z.negative, z.exponent, u128::from(z.significand) << 63);
        let larger = (product.1, product.2) >= (other.1, other.2);
        let (large, small) = if larger { (product, other) } else { (other, product) };
        let moved = shift_sticky_wide(small.2, large.1.abs_diff(small.1));
        let sum = if product.0 == other.0 { large.2 + moved } else { large.2 - moved };
        if sum == 0 {
            return self.zero(cx.mode == DOWN);
        }
        self.round_wide(large.0, large.1 + 1, sum, cx)
    }
}
