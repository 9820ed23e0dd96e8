//! The host's own floating point where it cannot give anything else.
//!
//! Its results are those of IEEE 754 in the mode to nearest, to even. What it does not tell is the flags. So it is asked where the
//! only flag that could be new is one that is set already: the operands are neither subnormal nor infinite nor NaNs, the flag
//! of inexact results is set, and the result is neither tiny nor too large. Programs set that flag early and seldom clear it.
//! Of half precision the host has none.

use super::number::{DOUBLE, HALF, SINGLE};
use super::{Context, INEXACT, NEAREST_EVEN};

/// Whether the host computes in the formats themselves: the old floating point of x86 does not.
const HOST: bool = cfg!(not(all(target_arch = "x86", not(target_feature = "sse2"))));

/// Whether the host may be asked at all.
#[inline(always)]
fn may(cx: &Context) -> bool {
    is_near(cx) && is_inexact(cx)
}

/// Whether the host rounds as is asked for.
#[inline(always)]
fn is_near(cx: &Context) -> bool {
    HOST && cx.mode == NEAREST_EVEN
}

/// Whether a result that is inexact changes nothing.
#[inline(always)]
fn is_inexact(cx: &Context) -> bool {
    cx.flags & INEXACT != 0
}

impl Context {
    pub(crate) fn add16(&mut self, a: u64, b: u64) -> u64 {
        HALF.add(a, b, self)
    }

    pub(crate) fn mul16(&mut self, a: u64, b: u64) -> u64 {
        HALF.mul(a, b, self)
    }

    pub(crate) fn div16(&mut self, a: u64, b: u64) -> u64 {
        HALF.div(a, b, self)
    }

    pub(crate) fn sqrt16(&mut self, a: u64) -> u64 {
        HALF.sqrt(a, self)
    }

    pub(crate) fn fma16(&mut self, a: u64, b: u64, c: u64) -> u64 {
        HALF.fma(a, b, c, self)
    }
}

macro_rules! host {
    ($module:ident $float:ident $bits:ident $format:ident $add:ident $mul:ident $div:ident $sqrt:ident $fma:ident) => {
        mod $module {
            use super::*;

            /// A normal number or 0.
            #[inline(always)]
            fn plain(x: $float) -> bool {
                x.is_normal() || x == 0.0
            }

            /// A result whose only flag could be that of inexact ones. One that could be rounded up from a tiny one is left out, and so is 0.
            #[inline(always)]
            fn safe(x: $float) -> bool {
                x.is_finite() && x.abs() > $float::MIN_POSITIVE
            }

            /// The bits from a normal number's first one to its last.
            #[inline(always)]
            fn digits(x: $float) -> u32 {
                let fraction = x.to_bits() & ((1 << ($float::MANTISSA_DIGITS - 1)) - 1);
                if fraction == 0 { 1 } else { $float::MANTISSA_DIGITS - fraction.trailing_zeros() }
            }

            /// Whether a product has so few digits that none is lost.
            #[inline(always)]
            fn is_product(x: $float, y: $float) -> bool {
                digits(x) + digits(y) <= $float::MANTISSA_DIGITS
            }

            /// Whether a rounded sum is the exact one: what it has lost is itself a number, and 0.
            #[inline(always)]
            fn is_sum(x: $float, y: $float, sum: $float) -> bool {
                let back = sum - x;
                (x - (sum - back)) + (y - back) == 0.0
            }

            #[inline(always)]
            fn of(bits: u64) -> $float {
                $float::from_bits(bits as $bits)
            }

            impl Context {
                /// `a + b`.
                #[inline(always)]
                pub(crate) fn $add(&mut self, a: u64, b: u64) -> u64 {
                    let (x, y) = (of(a), of(b));
                    let sum = x + y;
                    if is_near(self) && (is_inexact(self) || is_sum(x, y, sum)) && plain(x) && plain(y) && safe(sum) {
                        return u64::from(sum.to_bits());
                    }
                    $format.add(a, b, self)
                }

                /// `a · b`.
                #[inline(always)]
                pub(crate) fn $mul(&mut self, a: u64, b: u64) -> u64 {
                    let (x, y) = (of(a), of(b));
                    let product = x * y;
                    if is_near(self) && (is_inexact(self) || is_product(x, y)) && plain(x) && plain(y) && safe(product)
                    {
                        return u64::from(product.to_bits());
                    }
                    $format.mul(a, b, self)
                }

                /// `a / b`.
                #[inline(always)]
                pub(crate) fn $div(&mut self, a: u64, b: u64) -> u64 {
                    let (x, y) = (of(a), of(b));
                    let quotient = x / y;
                    // Infinite for a divisor of 0.
                    if may(self) && plain(x) && plain(y) && safe(quotient) {
                        return u64::from(quotient.to_bits());
                    }
                    $format.div(a, b, self)
                }

                /// The square root.
                #[inline(always)]
                pub(crate) fn $sqrt(&mut self, a: u64) -> u64 {
                    let x = of(a);
                    if may(self) && x.is_normal() && x > 0.0 {
                        return u64::from(x.sqrt().to_bits());
                    }
                    $format.sqrt(a, self)
                }

                /// `a · b + c`, rounded once.
                #[inline(always)]
                pub(crate) fn $fma(&mut self, a: u64, b: u64, c: u64) -> u64 {
                    let (x, y, z) = (of(a), of(b), of(c));
                    if is_near(self) && is_product(x, y) && plain(x) && plain(y) && plain(z) {
                        let product = x * y;
                        let sum = product + z;
                        if safe(product) && safe(sum) && is_sum(product, z, sum) {
                            return u64::from(sum.to_bits());
                        }
                    }
                    if may(self) && plain(x) && plain(y) && plain(z) {
                        let sum = x.mul_add(y, z);
                        if safe(sum) {
                            return u64::from(sum.to_bits());
                        }
                    }
                    $format.fma(a, b, c, self)
                }
            }
        }
    };
}

host! { single f32 u32 SINGLE add32 mul32 div32 sqrt32 fma32 }
host! { double f64 u64 DOUBLE add64 mul64 div64 sqrt64 fma64 }
