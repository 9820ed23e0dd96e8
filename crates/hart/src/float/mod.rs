//! Floating-point arithmetic of IEEE 754 in integers: every rounding mode, every exception flag.
//!
//! The problem: hardware's own floats give neither all rounding modes nor, cheaply, the flags, and differ between machines in
//! NaNs and in when a result counts as tiny. The method: a number is taken apart ([`number`]), computed exactly or with a
//! sticky last bit, and rounded once ([`Format::round`]). Where the answer of the host is certain to be the same, it is asked
//! ([`host`]). Tininess is detected after rounding and every NaN that comes out is the canonical one, as RISC-V asks.
//!
//! A value is its bits in the low end of a `u64`; the bits above are 0. Nothing traps: flags are collected in a [`Context`].

mod arithmetic;
mod compare;
mod convert;
mod host;
mod number;

pub(crate) use convert::Integer;
pub(crate) use number::{DOUBLE, Format, HALF, SINGLE};

/// To the nearest; of two, to the even one.
pub(crate) const NEAREST_EVEN: u8 = 0;
/// Towards zero.
pub(crate) const TO_ZERO: u8 = 1;
/// Towards minus infinity.
pub(crate) const DOWN: u8 = 2;
/// Towards plus infinity.
pub(crate) const UP: u8 = 3;
/// To the nearest; of two, to the one of larger magnitude.
pub(crate) const NEAREST_AWAY: u8 = 4;

/// The result is rounded.
pub(crate) const INEXACT: u8 = 1;
/// It is tiny and rounded.
pub(crate) const UNDERFLOW: u8 = 2;
/// It is too large.
pub(crate) const OVERFLOW: u8 = 4;
/// A finite number is divided by zero.
pub(crate) const DIVIDE_BY_ZERO: u8 = 8;
/// There is no sensible result.
pub(crate) const INVALID: u8 = 16;

/// How to round, and what was found on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// A rounding mode, at most 4.
    pub(crate) mode: u8,
    /// The flags so far.
    pub(crate) flags: u8,
}

impl Context {
    /// Whether a magnitude is rounded up, by the parts that are cut off: `half` is the half of the last place that is kept.
    #[inline(always)]
    fn up(&self, negative: bool, rest: u64, half: u64, odd: bool) -> bool {
        match self.mode {
            NEAREST_EVEN => rest > half || rest == half && odd,
            NEAREST_AWAY => rest >= half,
            DOWN => negative && rest != 0,
            UP => !negative && rest != 0,
            _ => false,
        }
    }
}
