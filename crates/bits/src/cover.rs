//! Questions about sets of patterns: exact counts, gaps, witnesses.
//!
//! All of them are one recursion: split the space on the bit that most remaining patterns care for, and stop where a
//! pattern covers everything (no gap) or none is left (a gap, which is a cube). The gaps come out disjoint, so counting
//! is adding. Real instruction sets split on a few opcode bits and stay small; an untrusted set can be exponential, so the
//! number of splits is bounded by [`COVER_BUDGET`] and the answer is then `None`: unknown, never wrong.
//!
//! # Example
//!
//! The gaps of `00x`, `0x1`, `110` among the words of three bits. All three care for bit 2, so the space is split there:
//!
//! ```text
//! xxx   split on bit 2
//!   0xx   left: 00x, 0x1. One cares for bit 1, one for bit 0; the higher bit is split
//!     00x   covered by 00x
//!     01x   left: 0x1; split on bit 0
//!       010   nothing left: a gap
//!       011   covered by 0x1
//!   1xx   left: 110; split on bit 1
//!     10x   nothing left: a gap of two words
//!     11x   left: 110; split on bit 0
//!       110   covered by 110
//!       111   nothing left: a gap
//! ```
//!
//! Four words are free: 010, 10x and 111.

use alloc::vec::Vec;

use crate::count::Count;
use crate::limits::COVER_BUDGET;
use crate::pattern::Pattern;
use crate::word::Word;

/// What to do with a gap; `false` ends the search.
type OnGap<'a> = &'a mut dyn FnMut(Pattern) -> bool;

/// Finds the gaps, in order. `Some(false)`: the callback ended the search; `None`: out of budget.
fn search(space: &Pattern, patterns: &[Pattern], on_gap: OnGap<'_>) -> Option<bool> {
    let width = space.width();
    let mut budget = COVER_BUDGET;
    // An explicit stack: the depth is the number of bits, which a description may choose.
    // Each entry: a part of the space, and the patterns that have words in it.
    let mut work: Vec<(Pattern, Vec<&Pattern>)> =
        alloc::vec![(space.clone(), patterns.iter().filter(|pattern| pattern.overlaps(space)).collect())];
    while let Some((space, inside)) = work.pop() {
        budget = budget.checked_sub(1)?;
        if inside.is_empty() {
            if !on_gap(space) {
                return Some(false);
            }
            continue;
        }
        let Some(bit) = best_bit(&space, &inside, width) else { continue };
        for value in [true, false] {
            let left = inside.iter().copied().filter(|pattern| pattern.bit(bit).is_none_or(|want| want == value));
            work.push((space.with_bit(bit, value), left.collect()));
        }
    }
    Some(true)
}

/// The open bit that most patterns care for; `None` if one of them covers the whole space. The highest bit wins a tie,
/// so that gaps come out in a stable, readable order.
fn best_bit(space: &Pattern, inside: &[&Pattern], width: u32) -> Option<u32> {
    let mut votes = alloc::vec![0u32; width as usize];
    for pattern in inside {
        let open = pattern.care().resized(width).and_not(space.care());
        if open.is_zero() {
            return None;
        }
        for bit in open.ones_iter() {
            votes[bit as usize] += 1;
        }
    }
    (0..width).max_by_key(|&bit| votes[bit as usize])
}

/// The words of `space` that no pattern has, as disjoint cubes. `None`: more than `limit` cubes, or too hard.
#[must_use]
pub fn gaps(space: &Pattern, patterns: &[Pattern], limit: usize) -> Option<Vec<Pattern>> {
    let mut found = Vec::new();
    let complete = search(space, patterns, &mut |gap| {
        found.push(gap);
        found.len() <= limit
    })?;
    complete.then_some(found)
}

/// A word of `space` that no pattern has: `Some(None)` if all are covered, `None` if too hard.
#[must_use]
pub fn uncovered_witness(space: &Pattern, patterns: &[Pattern]) -> Option<Option<Word>> {
    let mut found = None;
    search(space, patterns, &mut |gap| {
        found = Some(gap.witness());
        false
    })?;
    Some(found)
}

/// How many words of `space` no pattern has, exactly. `None`: too hard.
#[must_use]
pub fn uncovered_count(space: &Pattern, patterns: &[Pattern]) -> Option<Count> {
    let mut total = Count::zero();
    search(space, patterns, &mut |gap| {
        total.add(&gap.count());
        true
    })?;
    Some(total)
}

/// How many words of `width` bits are in at least one of the patterns, exactly. `None`: too hard.
#[must_use]
pub fn union_count(width: u32, patterns: &[Pattern]) -> Option<Count> {
    let space = Pattern::any(width);
    Some(space.count().minus(&uncovered_count(&space, patterns)?))
}

/// The `limit` largest cubes of free space, largest first (they may overlap each other, none lies inside another).
///
/// Every gap is grown bit by bit, from the top, for as long as it meets no pattern (`Growth`). `None`: too hard.
#[must_use]
pub fn largest_holes(space: &Pattern, patterns: &[Pattern], limit: usize) -> Option<Vec<Pattern>> {
    let mut holes: Vec<Pattern> = Vec::new();
    let mut growth = Growth::new(space, patterns);
    search(space, patterns, &mut |gap| {
        let hole = growth.grown(gap);
        if !holes.iter().any(|known| known.contains(&hole)) {
            holes.retain(|known| !hole.contains(known));
            holes.push(hole);
            // Keep the list short while searching, but with room, because the order is only known at the end.
            if holes.len() > limit.saturating_mul(4).saturating_add(64) {
                sort(&mut holes, limit.saturating_mul(2).saturating_add(32));
            }
        }
        true
    })?;
    sort(&mut holes, limit);
    Some(holes)
}

/// Grows gaps.
///
/// A pattern *differs* from a gap in the bits that both care for with other values, one at least. A bit has to stay if some pattern would
/// differ in no other bit that is left. From the top down, that is seen when the lowest bit in which a pattern differs is reached: it
/// stays if none of the higher ones did. So each pattern is looked at once for a gap, not once for each of its bits.
struct Growth<'p> {
    space: &'p Pattern,
    patterns: &'p [Pattern],
    /// By bit: the first of the patterns for which it is the lowest that differs; by pattern: the next one.
    first: Vec<Option<usize>>,
    next: Vec<Option<usize>>,
}

impl<'p> Growth<'p> {
    fn new(space: &'p Pattern, patterns: &'p [Pattern]) -> Growth<'p> {
        Growth {
            space,
            patterns,
            first: alloc::vec![None; space.width() as usize],
            next: alloc::vec![None; patterns.len()],
        }
    }

    fn grown(&mut self, gap: Pattern) -> Pattern {
        self.first.fill(None);
        for (at, pattern) in self.patterns.iter().enumerate() {
            // One that differs nowhere would have words of the gap: nothing can grow.
            let Some(first) = lowest_difference(pattern, &gap).and_then(|bit| self.first.get_mut(bit)) else {
                return gap;
            };
            self.next[at] = first.replace(at);
        }
        let mut hole = gap.clone();
        let mut kept = gap.care().and(self.space.care());
        for bit in (0..self.space.width()).rev() {
            if gap.bit(bit).is_some() && self.space.bit(bit).is_none() {
                let lowest = core::iter::successors(self.first[bit as usize], |&at| self.next[at]);
                if lowest
                    .into_iter()
                    .any(|at| !differences(&self.patterns[at], &gap).zip(kept.limbs()).any(|(d, k)| d & k != 0))
                {
                    kept.set_bit(bit, true);
                } else {
                    hole = hole.without_bit(bit);
                }
            }
        }
        hole
    }
}

/// The bits in which two patterns differ, in limbs.
fn differences<'p>(a: &'p Pattern, b: &'p Pattern) -> impl Iterator<Item = u64> + 'p {
    let a = a.value().limbs().iter().zip(a.care().limbs());
    let b = b.value().limbs().iter().zip(b.care().limbs());
    a.zip(b).map(|((v1, c1), (v2, c2))| (v1 ^ v2) & c1 & c2)
}

/// The lowest of them.
fn lowest_difference(a: &Pattern, b: &Pattern) -> Option<usize> {
    let (at, limb) = differences(a, b).enumerate().find(|&(_, limb)| limb != 0)?;
    Some(at * 64 + limb.trailing_zeros() as usize)
}

/// The largest first; equally large ones by their bits. Keeps `limit` of them.
fn sort(holes: &mut Vec<Pattern>, limit: usize) {
    holes.sort_by(|a, b| b.free_bits().cmp(&a.free_bits()).then_with(|| a.cmp(b)));
    holes.truncate(limit);
}
