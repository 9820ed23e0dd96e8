//! Sixteen bytes of a text at once, in one number: the first byte is the lowest.

/// The first bytes of sixteen, by their number.
pub(crate) static FIRST: [u128; 17] = {
    let mut masks = [u128::MAX; 17];
    let mut n = 0;
    while n < 16 {
        masks[n] = (1 << (8 * n)) - 1;
        n += 1;
    }
    masks
};

/// The number of the first of 16 bytes that is this one; 16 if none is.
#[inline]
pub(crate) fn find(text: u128, byte: u8) -> usize {
    const ONES: u128 = u128::from_ne_bytes([1; 16]);
    const HIGHS: u128 = u128::from_ne_bytes([0x80; 16]);
    // Zero where it is; the lowest mark is exact.
    let other = text ^ (ONES * byte as u128);
    ((other.wrapping_sub(ONES) & !other & HIGHS).trailing_zeros() / 8) as usize
}
