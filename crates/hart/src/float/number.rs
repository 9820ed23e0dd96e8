//! Formats, numbers taken apart, and the rounding that puts them together again.

use super::{Context, DOWN, INEXACT, INVALID, NEAREST_AWAY, NEAREST_EVEN, OVERFLOW, UNDERFLOW, UP};

/// A binary format of IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// All bits.
    pub(crate) width: u32,
    /// Bits of the fraction, without the leading one.
    pub(crate) fraction: u32,
}

/// 16 bits.
pub(crate) const HALF: Format = Format { width: 16, fraction: 10 };
/// 32 bits.
pub(crate) const SINGLE: Format = Format { width: 32, fraction: 23 };
/// 64 bits.
pub(crate) const DOUBLE: Format = Format { width: 64, fraction: 52 };

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Zero,
    Finite,
    Infinite,
    Quiet,
    Signaling,
}

/// A value taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) kind: Kind,
    pub(super) negative: bool,
    /// A finite number is `significand · 2^(exponent − 63)`.
    pub(super) exponent: i32,
    /// Its highest bit is 1 in a finite number.
    pub(super) significand: u64,
}

impl Number {
    pub(super) fn is_nan(&self) -> bool {
        matches!(self.kind, Kind::Quiet | Kind::Signaling)
    }
}

/// Shifts right; the last bit becomes 1 if any that fell off was.
#[inline(always)]
pub(super) fn shift_sticky(value: u64, by: u32) -> u64 {
    match by {
        0 => value,
        1..64 => value >> by | u64::from(value << (64 - by) != 0),
        _ => u64::from(value != 0),
    }
}

/// The same for 128 bits.
#[inline(always)]
pub(super) fn shift_sticky_wide(value: u128, by: u32) -> u128 {
    match by {
        0 => value,
        1..128 => value >> by | u128::from(value << (128 - by) != 0),
        _ => u128::from(value != 0),
    }
}

impl Format {
    /// The exponent field of infinities and NaNs.
    #[inline(always)]
    const fn top(self) -> u64 {
        (1 << (self.width - 1 - self.fraction)) - 1
    }

    /// What is added to an exponent to make its field.
    #[inline(always)]
    pub(super) const fn bias(self) -> i32 {
        (self.top() >> 1) as i32
    }

    /// The exponent of the smallest normal number.
    #[inline(always)]
    pub(super) const fn least(self) -> i32 {
        1 - self.bias()
    }

    #[inline(always)]
    pub(super) const fn sign(self, negative: bool) -> u64 {
        (negative as u64) << (self.width - 1)
    }

    #[inline(always)]
    pub(super) const fn zero(self, negative: bool) -> u64 {
        self.sign(negative)
    }

    #[inline(always)]
    pub(super) const fn infinity(self, negative: bool) -> u64 {
        self.sign(negative) | self.top() << self.fraction
    }

    /// The NaN that every operation gives.
    #[inline(always)]
    pub(crate) const fn nan(self) -> u64 {
        self.infinity(false) | 1 << (self.fraction - 1)
    }

    /// Takes a value apart.
    #[inline(always)]
    pub(super) fn unpack(self, bits: u64) -> Number {
        let negative = bits >> (self.width - 1) & 1 == 1;
        let fraction = bits & ((1 << self.fraction) - 1);
        let field = bits >> self.fraction & self.top();
        let (kind, exponent, significand) = if field == self.top() {
            let quiet = fraction >> (self.fraction - 1) == 1;
            let kind = if fraction == 0 {
                Kind::Infinite
            } else if quiet {
                Kind::Quiet
            } else {
                Kind::Signaling
            };
            (kind, 0, 0)
        } else if field != 0 {
            (Kind::Finite, field as i32 - self.bias(), 1 << 63 | fraction << (63 - self.fraction))
        } else if fraction != 0 {
            let lead = fraction.leading_zeros();
            (Kind::Finite, 63 + self.least() - self.fraction as i32 - lead as i32, fraction << lead)
        } else {
            (Kind::Zero, 0, 0)
        };
        Number { kind, negative, exponent, significand }
    }

    /// A NaN for operands of which one is a NaN; a signaling one is invalid.
    pub(super) fn nan_of(self, operands: &[Number], cx: &mut Context) -> u64 {
        if operands.iter().any(|n| n.kind == Kind::Signaling) {
            cx.flags |= INVALID;
        }
        self.nan()
    }

    /// What an invalid operation gives.
    pub(super) fn invalid(self, cx: &mut Context) -> u64 {
        cx.flags |= INVALID;
        self.nan()
    }

    /// Rounds `significand · 2^(exponent − 63)`, whose highest bit is 1 and whose last bit is sticky.
    #[inline(always)]
    pub(super) fn round(self, negative: bool, exponent: i32, significand: u64, cx: &mut Context) -> u64 {
        let drop = 63 - self.fraction;
        let (half, mask) = (1_u64 << (drop - 1), (1_u64 << drop) - 1);
        let subnormal = exponent < self.least();
        let mut tiny = subnormal;
        let mut kept = significand;
        if subnormal {
            // With any exponent possible, rounding could still make it the smallest normal number.
            if exponent == self.least() - 1 && significand >> drop == u64::MAX >> drop {
                let rest = significand & mask;
                tiny = !cx.up(negative, rest, half, true);
            }
            kept = shift_sticky(significand, (self.least() - exponent) as u32);
        }
        let rest = kept & mask;
        let mut fraction = kept >> drop;
        fraction += u64::from(cx.up(negative, rest, half, fraction & 1 == 1));
        if rest != 0 {
            cx.flags |= INEXACT | if tiny { UNDERFLOW } else { 0 };
        }
        if subnormal {
            // A carry makes it the smallest normal number, whose field follows.
            return self.sign(negative) | fraction;
        }
        // The leading one adds itself to the field; so does a carry beyond it.
        let packed = ((exponent + self.bias() - 1) as u64).wrapping_shl(self.fraction).wrapping_add(fraction);
        if exponent > self.bias() || packed >> self.fraction >= self.top() {
            return self.overflow(negative, cx);
        }
        self.sign(negative) | packed
    }

    /// The result that is too large.
    #[cold]
    fn overflow(self, negative: bool, cx: &mut Context) -> u64 {
        cx.flags |= OVERFLOW | INEXACT;
        let infinite = match cx.mode {
            NEAREST_EVEN | NEAREST_AWAY => true,
            DOWN => negative,
            UP => !negative,
            _ => false,
        };
        self.infinity(negative) - u64::from(!infinite)
    }

    /// Rounds a value of 128 bits, `significand · 2^(exponent − 127)`, not 0, whose last bit is sticky.
    #[inline(always)]
    pub(super) fn round_wide(self, negative: bool, exponent: i32, significand: u128, cx: &mut Context) -> u64 {
        let lead = significand.leading_zeros();
        let shifted = significand << lead;
        let low = shifted as u64 != 0;
        self.round(negative, exponent - lead as i32, (shifted >> 64) as u64 | u64::from(low), cx)
    }
}
