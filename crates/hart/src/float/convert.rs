//! Between formats, and between floating point and integers.

use super::number::{Format, Kind, shift_sticky};
use super::{Context, INEXACT, INVALID};

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
