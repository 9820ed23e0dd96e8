//! Which encoding of a space a value is, and where instructions begin and end.

use super::tables::{Isa, LIMBS, LIST, Limbs, ONE};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// No encoding.
    None,
    /// This one.
    One(u32),
    /// Two, and the space does not say which is meant.
    Conflict(u32, u32),
}

/// Decides a value of a space; `width` counts where instructions differ in width.
#[inline(always)]
pub fn select(isa: &Isa<'_>, space: u32, word: &Limbs, width: u32) -> Match {
    let root = isa.spaces.get(space as usize).map_or(LIST, |space| space.root);
    settle(isa, space, walk_down(isa, root, word), word, width)
}

/// What a value is that the tree of its space leads to this entry.
#[inline(always)]
pub fn settle(isa: &Isa<'_>, space: u32, at: u32, word: &Limbs, width: u32) -> Match {
    if at & LIST == 0 {
        let leaf = at & !ONE;
        return if matches(isa, leaf, word, width) { Match::One(leaf) } else { Match::None };
    }
    let Some(&list) = isa.lists.get((at & !LIST) as usize) else { return Match::None };
    let first_wins = isa.spaces.get(space as usize).is_some_and(|space| space.first_wins);
    several(isa, list, word, first_wins, width)
}

/// Where the tree leads that begins at an entry: to an encoding, or a list.
#[inline(always)]
pub fn walk_down(isa: &Isa<'_>, entry: u32, word: &Limbs) -> u32 {
    let mut at = entry;
    while at & (LIST | ONE) == 0 {
        let Some(node) = isa.tree.get(at as usize) else { return LIST };
        let index = (limb(word, node.limb) >> (node.shift & 63)) as u32 & node.mask;
        at = isa.entries.get((node.base + index) as usize).copied().unwrap_or(LIST);
    }
    at
}

/// A limb of a word; one that there is not is 0.
#[inline(always)]
pub fn limb(word: &Limbs, at: u8) -> u64 {
    if LIMBS == 1 { word[0] } else { word.get(usize::from(at)).copied().unwrap_or(0) }
}

#[inline(always)]
fn matches(isa: &Isa<'_>, leaf: u32, word: &Limbs, width: u32) -> bool {
    let Some(leaf) = isa.leaves.get(leaf as usize) else { return false };
    // Where instructions differ in width, a match is as wide as the instruction.
    (isa.lengths.is_empty() || leaf.width == width)
        && fits(isa, leaf.pattern, word)
        && (isa.excepts.is_empty() || leaf.except.0 == leaf.except.1 || !excepted(isa, leaf.except, word))
}

/// Whether a word has the bits of the pattern at `at`.
#[inline(always)]
fn fits(isa: &Isa<'_>, at: u32, word: &Limbs) -> bool {
    let at = at as usize;
    let Some(pattern) = isa.limbs.get(at..at + 2 * LIMBS) else { return false };
    let mut differ = 0;
    for i in 0..LIMBS {
        differ |= (word[i] & pattern[i]) ^ pattern[LIMBS + i];
    }
    differ == 0
}

#[inline(never)]
fn excepted(isa: &Isa<'_>, (from, to): (u32, u32), word: &Limbs) -> bool {
    isa.excepts.get(from as usize..to as usize).unwrap_or(&[]).iter().any(|&at| fits(isa, at, word))
}

#[inline(never)]
fn several(isa: &Isa<'_>, list: (u32, u32), word: &Limbs, first_wins: bool, width: u32) -> Match {
    let mut first = None;
    for &leaf in isa.listed.get(list.0 as usize..list.1 as usize).unwrap_or(&[]) {
        if matches(isa, leaf, word, width) {
            match first {
                None if first_wins => return Match::One(leaf),
                None => first = Some(leaf),
                Some(first) => return Match::Conflict(first, leaf),
            }
        }
    }
    first.map_or(Match::None, Match::One)
}

/// The bits of `set` (0 for care, 1 for value, 2 for don't-care) of an encoding.
#[inline]
pub fn pattern<'t>(isa: &Isa<'t>, leaf: u32, set: usize) -> &'t [u64] {
    let at = isa.leaves.get(leaf as usize).map_or(0, |leaf| leaf.pattern as usize) + set * LIMBS;
    isa.limbs.get(at..at + LIMBS).unwrap_or(&[])
}

/// Whether a value has bits set that its encoding does not care for.
#[inline(always)]
pub fn has_dont_care(isa: &Isa<'_>, leaf: u32, word: &Limbs) -> bool {
    let Some(leaf) = isa.leaves.get(leaf as usize).filter(|leaf| leaf.dont_care) else { return false };
    let at = leaf.pattern as usize + 2 * LIMBS;
    let Some(set) = isa.limbs.get(at..at + LIMBS) else { return false };
    (0..LIMBS).any(|i| set[i] & word[i] != 0)
}

/// An instruction from a stream.
#[derive(Clone, Copy, Debug)]
pub struct Fetched {
    /// Its bits.
    pub word: Limbs,
    /// How many.
    pub bits: u32,
    /// Whether its length is known; if not, this is one parcel that begins no instruction.
    pub known: bool,
}

/// Width in bits of the instruction that begins with this parcel.
#[inline(always)]
pub fn length(isa: &Isa<'_>, parcel: u64) -> Option<u32> {
    if isa.lengths.is_empty() {
        return Some(isa.max_bits);
    }
    isa.lengths.iter().find(|(care, value, _)| parcel & care == *value).map(|rule| rule.2)
}

/// The first instruction of these bytes; `None` if there is no whole one.
#[inline(always)]
pub fn fetch(isa: &Isa<'_>, bytes: &[u8]) -> Option<Fetched> {
    let (mut bits, mut known) = (isa.max_bits, true);
    if !isa.lengths.is_empty() {
        let parcel = word(bytes.get(..(isa.parcel_bits / 8) as usize)?, isa.little);
        let length = length(isa, parcel[0]);
        (bits, known) = (length.unwrap_or(isa.parcel_bits), length.is_some());
    }
    let bytes = bytes.get(..(bits / 8) as usize)?;
    Some(Fetched { word: word(bytes, isa.little), bits, known })
}

/// The word of these bytes.
#[inline(always)]
pub fn word(bytes: &[u8], little: bool) -> Limbs {
    let mut limbs = [0; LIMBS];
    if little {
        if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
            limbs[0] = u64::from(u32::from_le_bytes(bytes));
            return limbs;
        }
        if let Ok(bytes) = <[u8; 8]>::try_from(bytes) {
            limbs[0] = u64::from_le_bytes(bytes);
            return limbs;
        }
        if LIMBS > 1
            && let Ok(bytes) = <[u8; 16]>::try_from(bytes)
        {
            let both = u128::from_le_bytes(bytes);
            (limbs[0], limbs[LIMBS - 1]) = (both as u64, 0);
            limbs[LIMBS.min(2) - 1] = (both >> 64) as u64;
            return limbs;
        }
        for (limb, bytes) in limbs.iter_mut().zip(bytes.chunks(8)) {
            *limb = match <[u8; 8]>::try_from(bytes) {
                Ok(bytes) => u64::from_le_bytes(bytes),
                Err(_) => bytes.iter().rev().fold(0, |value, &byte| (value << 8) | u64::from(byte)),
            };
        }
    } else {
        for (limb, bytes) in limbs.iter_mut().zip(bytes.rchunks(8)) {
            *limb = bytes.iter().fold(0, |value, &byte| (value << 8) | u64::from(byte));
        }
    }
    limbs
}

/// The low `width` bits set.
#[inline(always)]
pub fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// `width` bits (at most 64) of a word from `lo` on; bits beyond it are 0.
#[inline(always)]
pub fn extract(word: &Limbs, lo: u32, width: u32) -> u64 {
    let (at, shift) = ((lo / 64) as usize, lo % 64);
    let low = word.get(at).copied().unwrap_or(0) >> shift;
    let high = if shift == 0 { 0 } else { word.get(at + 1).copied().unwrap_or(0) << (64 - shift) };
    (low | high) & mask(width)
}

/// Replaces `width` bits (at most 64) of a word from `lo` on.
pub fn insert(word: &mut Limbs, lo: u32, width: u32, value: u64) {
    let (at, shift, mask) = ((lo / 64) as usize, lo % 64, mask(width));
    if let Some(limb) = word.get_mut(at) {
        *limb = (*limb & !(mask << shift)) | (value & mask) << shift;
    }
    if shift != 0
        && let Some(limb) = word.get_mut(at + 1)
    {
        *limb = (*limb & !(mask >> (64 - shift))) | (value & mask) >> (64 - shift);
    }
}

/// The bits of a word from `lo` on as a word of `width`.
pub fn slice(word: &Limbs, lo: u32, width: u32) -> Limbs {
    let mut limbs = [0; LIMBS];
    let mut done = 0;
    for limb in &mut limbs {
        *limb = extract(word, lo.saturating_add(done), width.saturating_sub(done).min(64));
        done += 64;
    }
    limbs
}

/// The value extended from its sign bit in `width` bits.
#[inline(always)]
pub fn sign_extend(value: u64, width: u32) -> u64 {
    let unused = if width == 0 || width > 64 { 0 } else { 64 - width };
    ((value << unused) as i64 >> unused) as u64
}
