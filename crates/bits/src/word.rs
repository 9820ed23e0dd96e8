//! A value of a stated width.
//!
//! Invariant: bits at and above the width are zero, and the storage is inline exactly when the width is at most
//! [`INLINE_BITS`]; equality is therefore plain comparison. Where two words of different widths meet, the narrower one
//! is taken as zero-extended and the result has the width of the receiver.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use isaglot_invariant::Impossible as _;

use crate::limbs;
use crate::limits::{INLINE_BITS, MAX_WIDTH};
use crate::range::BitRange;

/// A word of `width` bits; bit 0 is the least significant.
///
/// ```
/// use isaglot_bits::Word;
/// let mut word = Word::from_u64(0xabcd, 32);
/// assert_eq!(word.extract(4, 8), 0xbc);
/// word.insert(16, 8, 0x5a);
/// assert_eq!(word.hex(), "005aabcd");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Word {
    width: u32,
    store: Store,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Store {
    Inline([u64; 2]),
    Heap(Vec<u64>),
}

/// Limbs that a word of `width` bits has: at least one, so that every word has a low limb.
const fn limbs_for(width: u32) -> usize {
    let n = width.div_ceil(64) as usize;
    if n == 0 { 1 } else { n }
}

impl Default for Word {
    /// The word without bits.
    fn default() -> Self {
        Self::zero(0)
    }
}

impl Word {
    /// The word of `width` bits that are all 0. Widths beyond [`MAX_WIDTH`] are cut to it.
    #[must_use]
    pub fn zero(width: u32) -> Self {
        let width = width.min(MAX_WIDTH);
        let store = if width <= INLINE_BITS { Store::Inline([0; 2]) } else { Store::Heap(vec![0; limbs_for(width)]) };
        Self { width, store }
    }

    /// The word of `width` bits that are all 1.
    #[must_use]
    pub fn ones(width: u32) -> Self {
        let mut word = Self::zero(width);
        word.limbs_mut().fill(u64::MAX);
        word.trimmed()
    }

    /// The low `width` bits of `value`, zero-extended if `width` is above 64.
    #[must_use]
    #[inline]
    pub fn from_u64(value: u64, width: u32) -> Self {
        if width > INLINE_BITS {
            return Self::from_limbs(&[value], width);
        }
        Self { width, store: Store::Inline([value & limbs::mask(width), 0]) }
    }

    /// The low `width` bits of `value`, zero-extended if `width` is above 128.
    #[must_use]
    pub fn from_u128(value: u128, width: u32) -> Self {
        Self::from_limbs(&[value as u64, (value >> 64) as u64], width)
    }

    /// A word from 64-bit limbs, the least significant first; missing ones are zero, surplus bits are dropped.
    #[must_use]
    pub fn from_limbs(from: &[u64], width: u32) -> Self {
        let mut word = Self::zero(width);
        for (to, &from) in word.limbs_mut().iter_mut().zip(from) {
            *to = from;
        }
        word.trimmed()
    }

    /// A word from 32-bit words, the least significant first; missing ones are zero, surplus bits are dropped.
    #[must_use]
    pub fn from_words32(from: &[u32], width: u32) -> Self {
        let mut word = Self::zero(width);
        for (limb, pair) in word.limbs_mut().iter_mut().zip(from.chunks(2)) {
            *limb = pair.iter().rev().fold(0, |value, &half| (value << 32) | u64::from(half));
        }
        word.trimmed()
    }

    /// A word from little-endian bytes; missing ones are zero, surplus bits are dropped.
    #[must_use]
    pub fn from_le_bytes(bytes: &[u8], width: u32) -> Self {
        let mut word = Self::zero(width);
        for (limb, chunk) in word.limbs_mut().iter_mut().zip(bytes.chunks(8)) {
            *limb = chunk.iter().rev().fold(0, |value, &byte| (value << 8) | u64::from(byte));
        }
        word.trimmed()
    }

    /// The mask of a range: 1 in `range`, 0 elsewhere. Bits beyond the width are dropped.
    #[must_use]
    pub fn mask(range: BitRange, width: u32) -> Self {
        let mut word = Self::zero(width);
        for bit in range.lo.min(word.width)..range.end().min(word.width) {
            word.set_bit(bit, true);
        }
        word
    }

    /// The number of bits.
    #[inline]
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The limbs, least significant first: exactly as many as the width needs, and at least one.
    #[inline]
    #[must_use]
    pub fn limbs(&self) -> &[u64] {
        match &self.store {
            Store::Inline(pair) => pair.get(..limbs_for(self.width)).or_impossible(pair),
            Store::Heap(limbs) => limbs,
        }
    }

    fn limbs_mut(&mut self) -> &mut [u64] {
        match &mut self.store {
            Store::Inline(pair) => {
                let n = limbs_for(self.width).min(pair.len());
                &mut pair[..n]
            }
            Store::Heap(limbs) => limbs,
        }
    }

    /// Clears what is above the width: restores the invariant.
    fn trimmed(mut self) -> Self {
        let used = self.width % 64;
        if (self.width == 0 || used != 0)
            && let Some(top) = self.limbs_mut().last_mut()
        {
            *top &= limbs::mask(used);
        }
        self
    }

    /// Bit `bit`; bits at and above the width are 0.
    #[inline]
    #[must_use]
    pub fn bit(&self, bit: u32) -> bool {
        self.extract(bit, 1) != 0
    }

    /// Sets bit `bit`. Nothing happens at or above the width.
    pub fn set_bit(&mut self, bit: u32, value: bool) {
        self.insert(bit, 1, u64::from(value));
    }

    /// The `width` (0 to 64) bits from `lo` on, shifted down; bits beyond the word are 0.
    #[inline]
    #[must_use]
    pub fn extract(&self, lo: u32, width: u32) -> u64 {
        limbs::extract(self.limbs(), lo, width)
    }

    /// The bits of `range` as a word of that width; bits beyond this word are 0.
    #[must_use]
    pub fn slice(&self, range: BitRange) -> Word {
        let mut word = Self::zero(range.width);
        for (i, limb) in word.limbs_mut().iter_mut().enumerate() {
            *limb = self.extract(range.lo.saturating_add(64 * i as u32), 64);
        }
        word.trimmed()
    }

    /// Replaces the `width` (0 to 64) bits from `lo` on by the low bits of `value`; what falls beyond the word is dropped.
    #[inline]
    pub fn insert(&mut self, lo: u32, width: u32, value: u64) {
        let width = width.min(self.width.saturating_sub(lo)).min(64);
        limbs::insert(self.limbs_mut(), lo, width, value);
    }

    /// Replaces the bits of `range` by the low bits of `value`; what falls beyond the word is dropped.
    pub fn insert_word(&mut self, range: BitRange, value: &Word) {
        let mut done = 0;
        while done < range.width {
            let n = (range.width - done).min(64);
            self.insert(range.lo.saturating_add(done), n, value.extract(done, n));
            done += n;
        }
    }

    /// The low 64 bits.
    #[inline]
    #[must_use]
    pub fn low_u64(&self) -> u64 {
        limbs::limb(self.limbs(), 0)
    }

    /// The low 128 bits.
    #[inline]
    #[must_use]
    pub fn low_u128(&self) -> u128 {
        u128::from(self.low_u64()) | (u128::from(limbs::limb(self.limbs(), 1)) << 64)
    }

    /// The value, if it fits 64 bits.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        self.limbs().iter().skip(1).all(|&limb| limb == 0).then(|| self.low_u64())
    }

    /// The same value in `width` bits: zero-extended or cut.
    #[must_use]
    pub fn resized(&self, width: u32) -> Word {
        Self::from_limbs(self.limbs(), width)
    }

    /// Whether all bits are 0.
    #[inline]
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.limbs().iter().all(|&limb| limb == 0)
    }

    /// Whether all `width` bits are 1.
    #[must_use]
    pub fn is_ones(&self) -> bool {
        self.count_ones() == self.width
    }

    /// The number of 1 bits.
    #[must_use]
    pub fn count_ones(&self) -> u32 {
        self.limbs().iter().map(|limb| limb.count_ones()).sum()
    }

    /// The numbers of the 1 bits, lowest first.
    pub fn ones_iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.width).filter(|&bit| self.bit(bit))
    }

    /// Maximal runs of 1 bits, lowest first.
    #[must_use]
    pub fn runs(&self) -> Vec<BitRange> {
        let mut runs: Vec<BitRange> = Vec::new();
        for bit in self.ones_iter() {
            match runs.last_mut() {
                Some(last) if last.end() == bit => last.width += 1,
                _ => runs.push(BitRange::new(bit, 1)),
            }
        }
        runs
    }

    fn zip(&self, other: &Word, op: impl Fn(u64, u64) -> u64) -> Word {
        let mut word = self.clone();
        for (i, limb) in word.limbs_mut().iter_mut().enumerate() {
            *limb = op(*limb, limbs::limb(other.limbs(), i));
        }
        word.trimmed()
    }

    /// Bitwise and.
    #[must_use]
    pub fn and(&self, other: &Word) -> Word {
        self.zip(other, |a, b| a & b)
    }

    /// Bitwise or. Bits of `other` beyond this width are dropped.
    #[must_use]
    pub fn or(&self, other: &Word) -> Word {
        self.zip(other, |a, b| a | b)
    }

    /// Bitwise exclusive or. Bits of `other` beyond this width are dropped.
    #[must_use]
    pub fn xor(&self, other: &Word) -> Word {
        self.zip(other, |a, b| a ^ b)
    }

    /// The bits of this word that are not set in `other`.
    #[must_use]
    pub fn and_not(&self, other: &Word) -> Word {
        self.zip(other, |a, b| a & !b)
    }

    /// All `width` bits inverted.
    #[must_use]
    pub fn not(&self) -> Word {
        self.zip(self, |a, _| !a)
    }

    /// Shifted up by `by` bits in the same width.
    #[must_use]
    pub fn shl(&self, by: u32) -> Word {
        let mut word = Self::zero(self.width);
        if by < self.width {
            word.insert_word(BitRange::new(by, self.width - by), self);
        }
        word
    }

    /// Shifted down by `by` bits in the same width; zeros come in.
    #[must_use]
    pub fn shr(&self, by: u32) -> Word {
        if by >= self.width {
            return Self::zero(self.width);
        }
        self.slice(BitRange::new(by, self.width - by)).resized(self.width)
    }

    /// The number after this one in the same width; wraps to 0.
    #[must_use]
    pub fn wrapping_inc(&self) -> Word {
        let mut word = self.clone();
        for limb in word.limbs_mut() {
            *limb = limb.wrapping_add(1);
            if *limb != 0 {
                break;
            }
        }
        word.trimmed()
    }

    /// The 32-bit words, least significant first: `width / 32` of them, rounded up.
    pub fn words32(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        (0..self.width.div_ceil(32)).map(|i| self.extract(32 * i, 32) as u32)
    }

    /// The bytes, least significant first: `width / 8` of them, rounded up.
    pub fn le_bytes(&self) -> impl DoubleEndedIterator<Item = u8> + '_ {
        (0..self.width.div_ceil(8)).map(|i| self.extract(8 * i, 8) as u8)
    }
}

/// By value; of equal values the narrower word comes first.
impl Ord for Word {
    fn cmp(&self, other: &Self) -> Ordering {
        let n = self.limbs().len().max(other.limbs().len());
        (0..n)
            .rev()
            .map(|i| limbs::limb(self.limbs(), i).cmp(&limbs::limb(other.limbs(), i)))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| self.width.cmp(&other.width))
    }
}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As a tuple: the width, then the limbs that it has, the least significant first.
#[cfg(feature = "serde")]
impl serde::Serialize for Word {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeTuple;
        let mut tuple = serializer.serialize_tuple(1 + self.limbs().len())?;
        tuple.serialize_element(&self.width)?;
        for limb in self.limbs() {
            tuple.serialize_element(limb)?;
        }
        tuple.end()
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Word {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
        struct Limbs;

        impl<'de> serde::de::Visitor<'de> for Limbs {
            type Value = Word;

            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("a width in bits and 64-bit limbs")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Word, A::Error> {
                use serde::de::Error;
                let width: u32 = seq.next_element()?.ok_or_else(|| A::Error::custom("a word without a width"))?;
                if width > MAX_WIDTH {
                    return Err(A::Error::custom("a word that is too wide"));
                }
                let mut word = Word::zero(width);
                for limb in word.limbs_mut() {
                    *limb = seq.next_element()?.ok_or_else(|| A::Error::custom("a word that lacks limbs"))?;
                }
                Ok(word.trimmed())
            }
        }

        deserializer.deserialize_tuple(1 + limbs_for(MAX_WIDTH), Limbs)
    }
}
