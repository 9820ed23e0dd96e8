//! Words that no encoding has.
//!
//! What the encodings leave free falls apart into patterns without a common word. Each is tried at its corners and with each free bit
//! alone. An instruction that a tool has in the middle of a large free pattern looks like those that the description has: it is told by
//! the same bits, such as `funct3` and `funct7` of RISC-V. So the *opcode ranges* of each form of encodings, the runs of bits that it fixes,
//! are tried at all their values together, as far as the pattern leaves them open.

use std::collections::BTreeSet;

use isaglot_bits::{BitRange, Pattern, Word, cover};
use isaglot_model::{Encoding, EncodingId};

use super::{Bag, Random, flipped, within};
use crate::limits::{LARGE_GAP_BITS, MAX_GAPS, OPCODE_BITS, RANDOM_REFUSED, TOGETHER_BITS};

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
            open_bits(gap, &opcodes).iter().for_each(|bits| values(bag, gap, bits));
        }
    }
    for gap in gaps.iter().cycle().take(RANDOM_REFUSED) {
        let free = random.word(bag.bits);
        bag.add(within(gap, &free));
    }
    Some(left)
}

/// The opcode ranges of each form of encodings, a form being the bits that are fixed. Longer ranges are left out.
fn opcode_ranges(active: &[(EncodingId, &Encoding)]) -> Vec<Vec<BitRange>> {
    let forms: BTreeSet<&Word> = active.iter().map(|(_, encoding)| encoding.pattern.care()).collect();
    let short =
        |form: &Word| -> Vec<BitRange> { form.runs().into_iter().filter(|range| range.width <= OPCODE_BITS).collect() };
    forms.into_iter().map(short).collect()
}

/// The open bits of a free pattern whose values are all tried together: those of the opcode ranges of each form, or where these are many, of
/// each two of its ranges.
fn open_bits(gap: &Pattern, forms: &[Vec<BitRange>]) -> BTreeSet<Vec<u32>> {
    let open = |range: &BitRange| (range.lo..range.end()).filter(|bit| gap.bit(*bit).is_none()).collect::<Vec<u32>>();
    let mut all = BTreeSet::new();
    for form in forms {
        let ranges: Vec<Vec<u32>> = form.iter().map(open).collect();
        let together = ranges.concat();
        if together.len() <= TOGETHER_BITS {
            all.insert(together);
            continue;
        }
        for (at, one) in ranges.iter().enumerate() {
            let pairs = ranges.iter().skip(at + 1).map(|other| [one.as_slice(), other].concat());
            all.extend(pairs.filter(|pair| pair.len() <= TOGETHER_BITS).chain([one.clone()]));
        }
    }
    all
}

/// Adds the words of a free pattern with each value of some bits, the others being 0.
fn values(bag: &mut Bag<'_, '_>, gap: &Pattern, bits: &[u32]) {
    for value in 0..1_u64 << bits.len() {
        let mut word = gap.value().clone();
        bits.iter().enumerate().for_each(|(at, &bit)| word.set_bit(bit, value >> at & 1 == 1));
        bag.add(word);
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
