//! Ranges of bits inside a word.

use core::fmt;

/// `width` bits from bit `lo` on. A width of 0 is an empty range and overlaps nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BitRange {
    /// The lowest bit.
    pub lo: u32,
    /// The number of bits.
    pub width: u32,
}

impl BitRange {
    /// `width` bits from bit `lo` on.
    #[must_use]
    pub const fn new(lo: u32, width: u32) -> Self {
        Self { lo, width }
    }

    /// Bits `low` to `high`, both included; `None` if `high` is below `low` or the width overflows.
    #[must_use]
    pub const fn from_high_low(high: u32, low: u32) -> Option<Self> {
        if high < low || high - low == u32::MAX { None } else { Some(Self { lo: low, width: high - low + 1 }) }
    }

    /// The bit after the highest one. Saturates.
    #[must_use]
    pub const fn end(self) -> u32 {
        self.lo.saturating_add(self.width)
    }

    /// The highest bit; `None` if the range is empty.
    #[must_use]
    pub const fn high(self) -> Option<u32> {
        if self.width == 0 { None } else { Some(self.end() - 1) }
    }

    /// Whether `bit` is in the range.
    #[must_use]
    pub const fn contains(self, bit: u32) -> bool {
        bit >= self.lo && bit < self.end()
    }

    /// Whether the two ranges share a bit.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.width != 0 && other.width != 0 && self.lo < other.end() && other.lo < self.end()
    }
}

/// `high:low`, or just the bit number for one bit.
impl fmt::Display for BitRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.high() {
            None => f.write_str("empty"),
            Some(high) if high == self.lo => write!(f, "{high}"),
            Some(high) => write!(f, "{high}:{}", self.lo),
        }
    }
}
