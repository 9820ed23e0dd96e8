//! Comparisons, the smaller and the larger of two, and classes.

use super::number::{Format, Kind};
use super::{Context, INVALID};

impl Format {
    /// A key that orders numbers as signed integers do; both zeros have the same.
    fn key(self, bits: u64) -> i64 {
        let magnitude = (bits & !self.sign(true)) as i64;
        if bits & self.sign(true) != 0 { -magnitude } else { magnitude }
    }

    /// Whether one of two is a NaN; any NaN is invalid, or only a signaling one.
    fn unordered(self, a: u64, b: u64, quiet: bool, cx: &mut Context) -> bool {
        let (x, y) = (self.unpack(a), self.unpack(b));
        let unordered = x.is_nan() || y.is_nan();
        if unordered && (!quiet || x.kind == Kind::Signaling || y.kind == Kind::Signaling) {
            cx.flags |= INVALID;
        }
        unordered
    }

    /// `a == b`; a quiet NaN is not invalid.
    pub(crate) fn eq(self, a: u64, b: u64, cx: &mut Context) -> bool {
        !self.unordered(a, b, true, cx) && self.key(a) == self.key(b)
    }

    /// `a < b`; a quiet NaN is invalid unless `quiet`.
    pub(crate) fn lt(self, a: u64, b: u64, quiet: bool, cx: &mut Context) -> bool {
        !self.unordered(a, b, quiet, cx) && self.key(a) < self.key(b)
    }

    /// `a <= b`; a quiet NaN is invalid unless `quiet`.
    pub(crate) fn le(self, a: u64, b: u64, quiet: bool, cx: &mut Context) -> bool {
        !self.unordered(a, b, quiet, cx) && self.key(a) <= self.key(b)
    }

    /// The smaller or the larger of two, where −0 is less than +0. Of a number and a NaN it is the number (`number`) or the
    /// NaN: minimumNumber or minimum of IEEE 754-2019.
    pub(crate) fn extreme(self, a: u64, b: u64, larger: bool, number: bool, cx: &mut Context) -> u64 {
        if self.unordered(a, b, true, cx) {
            return match (self.unpack(a).is_nan(), self.unpack(b).is_nan()) {
                (false, true) if number => a,
                (true, false) if number => b,
                _ => self.nan(),
            };
        }
        if (self.total(a) < self.total(b)) != larger { a } else { b }
    }

    /// The same as [`Format::key`], but −0 is below +0.
    fn total(self, bits: u64) -> i64 {
        let magnitude = (bits & !self.sign(true)) as i64;
        if bits & self.sign(true) != 0 { !magnitude } else { magnitude }
    }
}
