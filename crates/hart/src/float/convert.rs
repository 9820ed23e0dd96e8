//! Between formats, and between floating point and integers.

use super::number::{Format, Kind, shift_sticky};
use super::{Context, INEXACT, INVALID, TO_ZERO};

/// The integers that a number is converted to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integer {
    /// In bits, at most 64.
    pub(crate) width: u32,
    /// In two's complement.
    pub(crate) signed: bool,
}

impl Integer {
    fn ones(self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// The largest, or the smallest, as `width` bits.
    fn extreme(self, negative: bool) -> u64 {
        match (self.signed, negative) {
            (true, true) => 1 << (self.width - 1),
            (true, false) => self.ones() >> 1,
            (false, true) => 0,
            (false, false) => self.ones(),
        }
    }
}

impl Format {
    /// This value in another format.
    #[inline(never)]
    pub(crate) fn convert(self, bits: u64, to: Format, cx: &mut Context) -> u64 {
        let x = self.unpack(bits);
        match x.kind {
            Kind::Quiet | Kind::Signaling => to.nan_of(&[x], cx),
            Kind::Infinite => to.infinity(x.negative),
            Kind::Zero => to.zero(x.negative),
            Kind::Finite => to.round(x.negative, x.exponent, x.significand, cx),
        }
    }

    /// An integer as `width` bits of two's complement or without sign; what does not fit is invalid and gives the nearest that
    /// does, and a NaN the largest.
    #[inline(never)]
    pub(crate) fn to_integer(self, bits: u64, to: Integer, cx: &mut Context) -> u64 {
        let x = self.unpack(bits);
        let refuse = |negative: bool, cx: &mut Context| {
            cx.flags |= INVALID;
            to.extreme(negative)
        };
        match x.kind {
            Kind::Quiet | Kind::Signaling => return refuse(false, cx),
            Kind::Infinite => return refuse(x.negative, cx),
            Kind::Zero => return 0,
            Kind::Finite if x.exponent > 63 => return refuse(x.negative, cx),
            Kind::Finite => {}
        }
        let (whole, inexact) = whole(x.negative, x.exponent, x.significand, cx);
        let most = match (to.signed, x.negative) {
            (true, _) => to.extreme(x.negative),
            (false, true) => 0,
            (false, false) => to.ones(),
        };
        // A carry out of 64 bits cannot fit, either.
        let Some(magnitude) = whole.filter(|&w| w <= most) else { return refuse(x.negative, cx) };
        if inexact {
            cx.flags |= INEXACT;
        }
        let value = if x.negative { magnitude.wrapping_neg() } else { magnitude };
        value & to.ones()
    }

    /// The number of an integer, given as 64 bits of two's complement or without sign.
    #[inline(never)]
    pub(crate) fn of_integer(self, value: u64, signed: bool, cx: &mut Context) -> u64 {
        let negative = signed && (value as i64) < 0;
        let magnitude = if negative { value.wrapping_neg() } else { value };
        if magnitude == 0 {
            return self.zero(false);
        }
        let lead = magnitude.leading_zeros();
        self.round(negative, 63 - lead as i32, magnitude << lead, cx)
    }

    /// The number without its fraction; whether that changes it counts as inexact only if asked for.
    pub(crate) fn round_to_integral(self, bits: u64, exact: bool, cx: &mut Context) -> u64 {
        let x = self.unpack(bits);
        match x.kind {
            Kind::Quiet | Kind::Signaling => return self.nan_of(&[x], cx),
            Kind::Infinite | Kind::Zero => return bits,
            // Every number that large is whole.
            Kind::Finite if x.exponent >= self.fraction as i32 => return bits,
            Kind::Finite => {}
        }
        let (whole, inexact) = whole(x.negative, x.exponent, x.significand, cx);
        if inexact && exact {
            cx.flags |= INEXACT;
        }
        let magnitude = whole.unwrap_or(0);
        if magnitude == 0 {
            return self.zero(x.negative);
        }
        // It is whole and has no more bits than there are, so this is exact.
        let mut none = Context { mode: TO_ZERO, flags: 0 };
        let lead = magnitude.leading_zeros();
        self.round(x.negative, 63 - lead as i32, magnitude << lead, &mut none)
    }

    /// The low 32 bits of a number's integer part, with sign; what does not fit is invalid, but its low bits stand.
    pub(crate) fn to_integer_modular(self, bits: u64, cx: &mut Context) -> u32 {
        let x = self.unpack(bits);
        if x.kind == Kind::Zero {
            return 0;
        }
        if x.kind != Kind::Finite {
            cx.flags |= INVALID;
            return 0;
        }
        let (low, exact) = match x.exponent {
            ..0 => (0, false),
            e @ 0..64 => {
                let by = 63 - e as u32;
                (x.significand >> by, by == 0 || x.significand << (64 - by) == 0)
            }
            e => (x.significand.checked_shl(e as u32 - 63).unwrap_or(0), true),
        };
        let least = 1 << 31;
        let fits = x.exponent < 31 || x.exponent == 31 && x.negative && low == least;
        cx.flags |= match (fits, exact) {
            (false, _) => INVALID,
            (true, false) => INEXACT,
            (true, true) => 0,
        };
        let value = if x.negative { low.wrapping_neg() } else { low };
        value as u32
    }
}

/// The magnitude of a finite number of exponent at most 63 as a whole number, and whether it was rounded; `None` if it needs more
/// than 64 bits.
fn whole(negative: bool, exponent: i32, significand: u64, cx: &Context) -> (Option<u64>, bool) {
    // The part before the point above, that after it below with its half in the highest bit.
    let (integer, rest) = match exponent {
        63 => (significand, 0),
        e @ 0..63 => (significand >> (63 - e), significand << (e + 1)),
        e => (0, shift_sticky(significand, e.saturating_add(1).unsigned_abs())),
    };
    let up = cx.up(negative, rest, 1 << 63, integer & 1 == 1);
    (integer.checked_add(u64::from(up)), rest != 0)
}
