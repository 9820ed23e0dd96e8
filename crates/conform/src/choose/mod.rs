//! Which words a tool is asked about.
//!
//! The problem: 2^32 words are too many, and random ones miss what goes wrong in practice, which is at borders. The invariant: every
//! word is there for a reason that can be said, the same words are chosen every time, and those that the description refuses
//! as carefully as those that it accepts. The method, for each length of instructions:
//!
//! * up to [`WHOLE_BITS`] bits all words;
//! * of each encoding: corners of its fields, each single-bit neighbour of its pattern, the borders of its exceptions, and the values
//!   of fields that a guard couples;
//! * of the words that no encoding has: the free patterns that the algebra gives, at their corners and at pseudo-random places.
//!
//! A word is asked about only if its first parcel gives it the length that it was chosen for. What starts with a parcel that no rule of the
//! description gives a length is not asked about.

#[cfg(feature = "xe")]
pub(crate) mod around;
pub(crate) mod corners;
mod gaps;
mod random;

use std::collections::BTreeSet;

use isaglot_bits::{Pattern, Word};
use isaglot_codec::Plan;
use isaglot_model::{Encoding, EncodingId};

use crate::limits::{MAX_ALL_BITS, WHOLE_BITS};
use crate::ours;
pub(crate) use random::Random;

/// The words, and what can be said of them.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The words, by width and value, each once.
    pub words: Vec<Word>,
    /// What was chosen of each length, the shortest first.
    pub lengths: Vec<Length>,
}

/// The words of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Bits of an instruction.
    pub bits: u32,
    /// How many words were chosen.
    pub words: usize,
    /// These are all words of this length.
    pub whole: bool,
    /// Free patterns of this length that were left out, because there are too many; `None` if even their number is unknown.
    pub gaps_left: Option<usize>,
}

/// What to choose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Instructions of this length in bits only.
    pub bits: Option<u32>,
    /// Every word.
    pub all: bool,
}

/// The lengths in bits that instructions have, the shortest first.
#[must_use]
pub fn lengths(plan: &Plan<'_>) -> Vec<u32> {
    let format = plan.isa().format();
    let mut all: Vec<u32> = format.lengths.iter().map(|rule| rule.bits).collect();
    if all.is_empty() {
        all.push(format.max_bits);
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The longest length for which `all` is not possible, if there is one.
#[must_use]
pub fn too_long(plan: &Plan<'_>, wanted: Wanted) -> Option<u32> {
    let is_wanted = |bits: &u32| wanted.bits.is_none_or(|only| only == *bits);
    lengths(plan).into_iter().filter(is_wanted).rfind(|bits| wanted.all && *bits > MAX_ALL_BITS)
}

/// Chooses words. With `all`, lengths that are [`too_long`] are chosen from as if it were not given.
#[must_use]
pub fn choose(plan: &Plan<'_>, wanted: Wanted) -> Choice {
    let mut choice = Choice::default();
    for bits in lengths(plan) {
        if wanted.bits.is_some_and(|only| only != bits) {
            continue;
        }
        let mut bag = Bag { plan, bits, words: BTreeSet::new() };
        let whole = bits <= if wanted.all { MAX_ALL_BITS } else { WHOLE_BITS };
        let mut gaps_left = Some(0);
        if whole {
            (0..1_u64 << bits).for_each(|value| bag.add(Word::from_u64(value, bits)));
        } else {
            let active: Vec<(EncodingId, &Encoding)> = active(plan, bits).collect();
            active.iter().for_each(|(id, encoding)| corners::of(&mut bag, id.0, encoding));
            gaps_left = gaps::of(&mut bag, &active);
        }
        choice.lengths.push(Length { bits, words: bag.words.len(), whole, gaps_left });
        choice.words.extend(bag.words);
    }
    choice
}

/// The encodings of instructions of one length that the plan decodes.
fn active<'a>(plan: &Plan<'a>, bits: u32) -> impl Iterator<Item = (EncodingId, &'a Encoding)> {
    let isa = plan.isa();
    let all = isa[isa.root()].encodings.iter().map(move |&id| (id, &isa[id]));
    let is_active: Vec<bool> = all.clone().map(|(_, e)| e.width == bits && plan.active(e)).collect();
    all.zip(is_active).filter(|(_, on)| *on).map(|(pair, _)| pair)
}

/// The words of one length so far.
struct Bag<'p, 'a> {
    plan: &'p Plan<'a>,
    bits: u32,
    words: BTreeSet<Word>,
}

impl Bag<'_, '_> {
    /// Adds a word, if its first parcel gives it this length.
    fn add(&mut self, word: Word) {
        if ours::length(self.plan, &word) == Some(self.bits) {
            self.words.insert(word);
        }
    }

    /// Adds the words of a pattern whose free bits are all 0, all 1, and as in `mixed`.
    fn add_corners(&mut self, pattern: &Pattern, mixed: &Word) {
        for background in backgrounds(self.bits, mixed) {
            self.add(within(pattern, &background));
        }
    }
}

/// What the bits are that nothing fixes: all 0, all 1, mixed.
fn backgrounds(bits: u32, mixed: &Word) -> [Word; 3] {
    [Word::zero(bits), Word::ones(bits), mixed.clone()]
}

/// The word of a pattern whose free bits are those of another word.
pub(crate) fn within(pattern: &Pattern, free: &Word) -> Word {
    pattern.value().or(&free.and_not(pattern.care()))
}

/// A word with some bits inverted.
pub(crate) fn flipped(word: &Word, bit: u32) -> Word {
    let mut word = word.clone();
    word.set_bit(bit, !word.bit(bit));
    word
}
