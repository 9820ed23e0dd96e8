//! Words that no encoding has.
//!
//! What the encodings leave free falls apart into patterns without a common word. Each is tried at its corners and with each free bit
//! alone. An instruction that a tool has in the middle of a large free pattern looks like those that the description has: it is told by
//! the same bits, such as `funct3` and `funct7` of RISC-V. So the *opcode ranges*, the runs of bits that encodings fix, are tried at all their
//! values, and each two of them together.

use std::collections::BTreeSet;

use isaglot_bits::{BitRange, Pattern, Word, cover};
use isaglot_model::{Encoding, EncodingId};

use super::{Bag, Random, flipped, within};
use crate::limits::{LARGE_GAP_BITS, MAX_GAPS, OPCODE_BITS, OPCODE_PAIR_BITS, RANDOM_REFUSED};

/// Adds words of the free patterns. Gives how many patterns were left out, `None` if nobody knows.
pub(super) fn of(bag: &mut Bag<'_, '_>, active: &[(EncodingId, &Encoding)]) -> Option<usize> {
    let taken: Vec<Pattern> = active.iter().flat_map(|(_, encoding)| encoding.cubes()).collect();
    let mut gaps = Vec::new();
    for space in spaces(bag) {
        gaps.extend(cover::gaps(&space, &taken, usize::MAX)?);
    }
    // The largest first: they have room for most.
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.free_bits()));
    let left = gaps.len().saturating_sub(MAX_GAPS);
    gaps.truncate(MAX_GAPS);
    let mut random = Random::new(u64::from(bag.bits));
    let opcodes = opcode_ranges(active);
    for gap in &gaps {
        let mixed = random.word(bag.bits);
        bag.add_corners(gap, &mixed);
        let word = within(gap, &Word::zero(bag.bits));
        for bit in (0..bag.bits).filter(|bit| gap.bit(*bit).is_none()) {
            bag.add(flipped(&word, bit));
        }
        if gap.free_bits() >= LARGE_GAP_BITS {
            values(bag, gap, &opcodes);
        }
    }
    for gap in gaps.iter().cycle().take(RANDOM_REFUSED) {
        let free = random.word(bag.bits);
        bag.add(within(gap, &free));
    }
    Some(left)
}

/// The runs of bits that encodings fix, cut where another one begins or ends, so that no two have a bit in common. The longest are left out.
fn opcode_ranges(active: &[(EncodingId, &Encoding)]) -> Vec<BitRange> {
    let runs: BTreeSet<(u32, u32)> =
        active.iter().flat_map(|(_, e)| e.pattern.care().runs()).map(|run| (run.lo, run.end())).collect();
    let borders: BTreeSet<u32> = runs.iter().flat_map(|(lo, end)| [*lo, *end]).collect();
    let pairs = borders.iter().zip(borders.iter().skip(1));
    let ranges = pairs.map(|(lo, end)| BitRange::new(*lo, end - lo));
    let is_fixed = |range: &BitRange| runs.iter().any(|(lo, end)| *lo <= range.lo && range.end() <= *end);
    ranges.filter(|range| is_fixed(range) && range.width <= OPCODE_BITS).collect()
}

/// Adds the words of a free pattern with each value of each opcode range, and of each two.
fn values(bag: &mut Bag<'_, '_>, gap: &Pattern, opcodes: &[BitRange]) {
    let word = within(gap, &Word::zero(bag.bits));
    for (at, one) in opcodes.iter().enumerate() {
        for value in 0..1_u64 << one.width {
            let mut first = word.clone();
            first.insert(one.lo, one.width, value);
            for other in opcodes.iter().skip(at + 1).filter(|other| one.width + other.width <= OPCODE_PAIR_BITS) {
                for value in 0..1_u64 << other.width {
                    let mut second = first.clone();
                    second.insert(other.lo, other.width, value);
                    bag.add_if(gap, second);
                }
            }
            bag.add_if(gap, first);
        }
    }
}

/// The words that have this length, as patterns: by the rules for lengths, of which the first that fits counts.
fn spaces(bag: &Bag<'_, '_>) -> Vec<Pattern> {
    let format = bag.plan.isa().format();
    if format.lengths.is_empty() {
        return vec![Pattern::any(bag.bits)];
    }
    let mut all = Vec::new();
    for (at, rule) in format.lengths.iter().enumerate().filter(|(_, rule)| rule.bits == bag.bits) {
        let mut cubes = vec![rule.pattern.clone()];
        for earlier in format.lengths.iter().take(at) {
            cubes = cubes.iter().flat_map(|cube| cube.subtract(&earlier.pattern)).collect();
        }
        all.extend(cubes.into_iter().map(|cube| first_parcel(bag, &cube)));
    }
    all
}

/// A pattern over the first parcel as one over the word.
fn first_parcel(bag: &Bag<'_, '_>, parcel: &Pattern) -> Pattern {
    let shift = match bag.plan.isa().format().byte_order {
        isaglot_model::ByteOrder::Little => 0,
        isaglot_model::ByteOrder::Big => bag.bits.saturating_sub(parcel.width()),
    };
    let wide = |word: &Word| word.resized(bag.bits).shl(shift);
    Pattern::new(&wide(parcel.value()), wide(parcel.care()))
}
