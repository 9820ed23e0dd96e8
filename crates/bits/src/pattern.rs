//! A ternary cube: the set of words that agree with `value` on the bits of `care`.
//!
//! Invariant: `value` and `care` have the same width and `value` has no bit outside `care`, so equal sets are equal
//! values. Operations on two patterns of different widths treat the narrower one as caring for nothing above its width.
//!
//! # The algebra, by example
//!
//! `1xx0` is `value = 1000`, `care = 1001`: a word matches if `word & care == value`. With `xx10`:
//!
//! * they *overlap*, since no bit that both care for differs;
//! * their *intersection* is `1x10`: the or of both values and of both cares. It is always one cube or nothing;
//! * `1xx0` *contains* `1x10`: they overlap, and `1x10` cares for every bit that `1xx0` cares for;
//! * `1xx0` *minus* `xx10` is what differs in the first bit that only `xx10` cares for, then in the second given the first,
//!   and so on: here just bit 1, which leaves `1x00`. `xxxx` minus `01x1` is `1xxx`, `00xx`, `01x0`: disjoint, one cube per
//!   bit.

use alloc::vec::Vec;
use core::fmt;

use crate::count::Count;
use crate::word::Word;

/// A ternary cube, written like `01x-`: most significant bit first, `x` and `-` both match either bit.
///
/// ```
/// use isaglot_bits::Pattern;
/// let a = Pattern::parse("1xx0").unwrap();
/// let rest = a.subtract(&Pattern::parse("xx10").unwrap());
/// assert_eq!(rest.iter().map(ToString::to_string).collect::<Vec<_>>(), ["1x00"]);
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern {
    value: Word,
    care: Word,
}

/// A character other than `0 1 x X - _` and blanks, with its byte position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsePatternError {
    /// Byte position of the character.
    pub at: usize,
}

impl fmt::Display for ParsePatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected 0, 1, x or - at position {}", self.at)
    }
}

impl core::error::Error for ParsePatternError {}

impl Pattern {
    /// All words that equal `value` on the bits of `care`. The width is that of `care`.
    #[must_use]
    pub fn new(value: &Word, care: Word) -> Self {
        Self { value: care.and(value), care }
    }

    /// All words of `width` bits.
    #[must_use]
    pub fn any(width: u32) -> Self {
        Self { value: Word::zero(width), care: Word::zero(width) }
    }

    /// Just this word.
    #[must_use]
    pub fn exact(value: Word) -> Self {
        Self { care: Word::ones(value.width()), value }
    }

    /// Reads `01x-`, most significant bit first; blanks and `_` are skipped.
    ///
    /// # Errors
    /// The first other character.
    pub fn parse(text: &str) -> Result<Self, ParsePatternError> {
        let skip = |c: &u8| *c == b'_' || c.is_ascii_whitespace();
        let width = text.bytes().filter(|c| !skip(c)).count();
        let mut pattern = Self::any(u32::try_from(width).unwrap_or(u32::MAX));
        let mut bit = pattern.width();
        for (at, c) in text.bytes().enumerate().filter(|(_, c)| !skip(c)) {
            bit = bit.saturating_sub(1);
            match c {
                b'0' => pattern.care.set_bit(bit, true),
                b'1' => {
                    pattern.care.set_bit(bit, true);
                    pattern.value.set_bit(bit, true);
                }
                b'x' | b'X' | b'-' => {}
                _ => return Err(ParsePatternError { at }),
            }
        }
        Ok(pattern)
    }

    /// The wanted bits; 0 where nothing is wanted.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &Word {
        &self.value
    }

    /// 1 where a bit is wanted.
    #[inline]
    #[must_use]
    pub fn care(&self) -> &Word {
        &self.care
    }

    /// The number of bits.
    #[inline]
    #[must_use]
    pub fn width(&self) -> u32 {
        self.care.width()
    }

    /// The same constraints on words of another width; those above it are dropped.
    #[must_use]
    pub fn resized(&self, width: u32) -> Self {
        Self { value: self.value.resized(width), care: self.care.resized(width) }
    }

    /// Additionally wants bit `bit` to be `value`.
    #[must_use]
    pub fn with_bit(&self, bit: u32, value: bool) -> Self {
        let mut pattern = self.clone();
        pattern.care.set_bit(bit, true);
        pattern.value.set_bit(bit, value);
        pattern
    }

    /// No longer cares for bit `bit`.
    #[must_use]
    pub(crate) fn without_bit(&self, bit: u32) -> Self {
        let mut pattern = self.clone();
        pattern.care.set_bit(bit, false);
        pattern.value.set_bit(bit, false);
        pattern
    }

    /// What bit `bit` has to be; `None` if either will do.
    #[must_use]
    pub fn bit(&self, bit: u32) -> Option<bool> {
        self.care.bit(bit).then(|| self.value.bit(bit))
    }

    /// Whether `word` is in the set.
    #[inline]
    #[must_use]
    pub fn matches(&self, word: &Word) -> bool {
        let limbs = word.limbs();
        let pairs = self.value.limbs().iter().zip(self.care.limbs());
        pairs.enumerate().all(|(i, (value, care))| crate::limbs::limb(limbs, i) & care == *value)
    }

    /// Whether the two sets share a word.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let a = self.value.limbs().iter().zip(self.care.limbs());
        let b = other.value.limbs().iter().zip(other.care.limbs());
        a.zip(b).all(|((v1, c1), (v2, c2))| (v1 ^ v2) & c1 & c2 == 0)
    }

    /// The words in both sets: again a cube, or nothing.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let (wide, narrow) = if self.width() >= other.width() { (self, other) } else { (other, self) };
        self.overlaps(other).then(|| Self { value: wide.value.or(&narrow.value), care: wide.care.or(&narrow.care) })
    }

    /// Whether every word of `other` is in this set.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.overlaps(other) && self.care.and_not(&other.care).is_zero()
    }

    /// The words of this set that are not in `other`, as disjoint cubes: at most one per bit that `other` cares for.
    #[must_use]
    pub fn subtract(&self, other: &Self) -> Vec<Self> {
        if !self.overlaps(other) {
            return alloc::vec![self.clone()];
        }
        let mut rest = Vec::new();
        let mut inside = self.clone();
        for bit in (0..self.width()).rev() {
            if let (Some(want), None) = (other.bit(bit), self.bit(bit)) {
                rest.push(inside.with_bit(bit, !want));
                inside = inside.with_bit(bit, want);
            }
        }
        rest
    }

    /// The number of bits it does not care for.
    #[must_use]
    pub fn free_bits(&self) -> u32 {
        self.width() - self.care.count_ones()
    }

    /// The number of words in the set: 2 to the power of [`Self::free_bits`].
    #[must_use]
    pub fn count(&self) -> Count {
        Count::pow2(self.free_bits())
    }

    /// The smallest word of the set: free bits 0.
    #[must_use]
    pub fn witness(&self) -> Word {
        self.value.clone()
    }
}

/// `01x` text, most significant bit first; with `{:#}` free bits are `-`.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = if f.alternate() { "-" } else { "x" };
        (0..self.width()).rev().try_for_each(|bit| {
            f.write_str(match self.bit(bit) {
                None => free,
                Some(false) => "0",
                Some(true) => "1",
            })
        })
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({self})")
    }
}

/// As the pair of value and care.
#[cfg(feature = "serde")]
impl serde::Serialize for Pattern {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.value, &self.care).serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Pattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Pattern, D::Error> {
        <(Word, Word)>::deserialize(deserializer).map(|(value, care)| Pattern::new(&value, care))
    }
}
