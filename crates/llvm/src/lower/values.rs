//! Sets of values as patterns.
//!
//! The problem: a table speaks of values, a decoder only compares masked bits. The method: a range is blocks of a power of two that
//! begin at a multiple of their size, so that the number of patterns grows with the width of a field and not with the range.

use isaglot_bits::{Pattern, Word};

use crate::table::ValueSet;

/// Whether some bits hold a number, with a sign or without.
fn fits(value: u64, width: u32) -> bool {
    width >= 64 || value >> width == 0 || (value as i64) < 0 && (value as i64) >> width.saturating_sub(1) == -1
}

/// The values of a set that so many bits can hold, as patterns of `width` bits.
pub(super) fn patterns(set: &ValueSet, width: u32) -> Vec<Pattern> {
    match *set {
        ValueSet::Any => vec![Pattern::any(width)],
        ValueSet::Negative => {
            let top = width.saturating_sub(1);
            vec![Pattern::any(width).with_bit(top, true)]
        }
        ValueSet::Top(bits, value) => {
            let Some(low) = width.checked_sub(bits) else { return Vec::new() };
            let with = |all: Pattern, at: u32| all.with_bit(low + at, value >> at.min(63) & 1 == 1);
            vec![(0..bits).fold(Pattern::any(width), with)]
        }
        ValueSet::Mask(_, value) if !fits(value, width) => Vec::new(),
        ValueSet::Mask(care, value) => vec![Pattern::new(&Word::from_u64(value, width), Word::from_u64(care, width))],
        ValueSet::Range(from, to) if from == to && !fits(from, width) => Vec::new(),
        ValueSet::Range(from, to) if from == to => vec![Pattern::exact(Word::from_u64(from, width))],
        ValueSet::Range(from, to) => range(from, to, width),
    }
}

/// The numbers from one to another as patterns of `width` bits: blocks of a power of two that begin at a multiple of their size.
fn range(from: u64, to: u64, width: u32) -> Vec<Pattern> {
    let last = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    let to = to.min(last);
    let mut out = Vec::new();
    let mut next = (from <= to).then_some(from);
    while let Some(first) = next {
        let left = to - first;
        let fits = if left == u64::MAX { 64 } else { (left + 1).ilog2() };
        let free = first.trailing_zeros().min(fits).min(width);
        let block = 1u64.checked_shl(free).map_or(u64::MAX, |size| size - 1);
        out.push(Pattern::new(&Word::from_u64(first, width), Word::from_u64(last & !block, width)));
        next = (left > block).then(|| first + block + 1);
    }
    out
}
