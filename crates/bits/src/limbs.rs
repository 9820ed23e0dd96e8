//! Bit access on plain `u64` limbs, least significant limb first: the inner loop of decoders.
//!
//! Decoders keep the instruction in a small array and never build a [`crate::Word`] for a scalar field. All functions
//! read bits beyond the slice as zero and never panic.

/// The `width` (0 to 64) low bits set.
///
/// ```
/// assert_eq!(isaglot_bits::limbs::mask(5), 0x1f);
/// assert_eq!(isaglot_bits::limbs::mask(64), u64::MAX);
/// ```
#[inline]
#[must_use]
pub const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Limb `index`, or 0 beyond the end.
#[inline]
#[must_use]
pub fn limb(limbs: &[u64], index: usize) -> u64 {
    limbs.get(index).copied().unwrap_or(0)
}

/// The `width` (0 to 64) bits from bit `lo` on, shifted down. A `width` above 64 gives the low 64 bits.
#[inline]
#[must_use]
pub fn extract(limbs: &[u64], lo: u32, width: u32) -> u64 {
    let (at, shift) = ((lo / 64) as usize, lo % 64);
    // Bits 60 to 67 are the top four of one limb and the low four of the next.
    let mut value = limb(limbs, at) >> shift;
    if shift != 0 && shift + width.min(64) > 64 {
        value |= limb(limbs, at + 1) << (64 - shift);
    }
    value & mask(width)
}

/// Replaces the `width` (0 to 64) bits from bit `lo` on by the low bits of `value`. Bits beyond the slice are dropped.
#[inline]
pub fn insert(limbs: &mut [u64], lo: u32, width: u32, value: u64) {
    let (at, shift) = ((lo / 64) as usize, lo % 64);
    let ones = mask(width);
    if let Some(low) = limbs.get_mut(at) {
        *low = (*low & !(ones << shift)) | ((value & ones) << shift);
    }
    if shift != 0
        && shift + width.min(64) > 64
        && let Some(high) = limbs.get_mut(at + 1)
    {
        *high = (*high & !(ones >> (64 - shift))) | ((value & ones) >> (64 - shift));
    }
}

/// `value`, taken as a two's complement number of `width` bits (1 to 64), widened to 64.
///
/// ```
/// assert_eq!(isaglot_bits::limbs::sign_extend(0xf, 4), -1);
/// assert_eq!(isaglot_bits::limbs::sign_extend(0x7, 4), 7);
/// ```
#[inline]
#[must_use]
pub const fn sign_extend(value: u64, width: u32) -> i64 {
    if width == 0 || width >= 64 { value as i64 } else { ((value << (64 - width)) as i64) >> (64 - width) }
}
