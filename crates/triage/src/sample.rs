//! A bounded sample of different words.
//!
//! The problem: a program of the wrong kind has millions of words that are not known, and memory must not grow with them. The
//! method: of all different words those with the least hashes are kept ("bottom k"). So two samples merge to the sample of
//! both, whatever the order, and a word that comes often is not more likely to be kept than one that comes once.

use std::collections::BTreeSet;

use isaglot_bits::Word;

use crate::limits::MAX_SAMPLE;

/// The words with the least hashes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    words: BTreeSet<(u64, Word)>,
}

impl Sample {
    /// Adds a word, unless its hash is greater than all that are kept and there is no room.
    pub(crate) fn add(&mut self, word: &Word) {
        let hash = hash(word);
        if self.words.len() >= MAX_SAMPLE && self.words.last().is_some_and(|(most, _)| hash > *most) {
            return;
        }
        self.put(hash, word.clone());
    }

    fn put(&mut self, hash: u64, word: Word) {
        self.words.insert((hash, word));
        if self.words.len() > MAX_SAMPLE {
            self.words.pop_last();
        }
    }

    /// Adds the words of another sample.
    pub(crate) fn merge(&mut self, other: Sample) {
        other.words.into_iter().for_each(|(hash, word)| self.put(hash, word));
    }

    /// The words, the least first.
    pub(crate) fn words(&self) -> Vec<Word> {
        let mut words: Vec<Word> = self.words.iter().map(|(_, word)| word.clone()).collect();
        words.sort();
        words
    }
}

/// A number that depends on every bit, the same in every run.
fn hash(word: &Word) -> u64 {
    let mut state = u64::from(word.width());
    for limb in word.limbs() {
        state = (state ^ limb).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    state
}

#[cfg(test)]
mod tests {
    use isaglot_bits::Word;

    use super::Sample;
    use crate::limits::MAX_SAMPLE;

    #[test]
    fn samples_merge_to_the_sample_of_both() {
        let word = |n: u64| Word::from_u64(n.wrapping_mul(0x9e37_79b9), 64);
        let all = MAX_SAMPLE as u64 + 1000;
        let of = |numbers: &mut dyn Iterator<Item = u64>| {
            let mut sample = Sample::default();
            numbers.for_each(|n| sample.add(&word(n)));
            sample
        };
        let whole = of(&mut (0..all));
        let mut parts = of(&mut (0..all).rev().filter(|n| n % 3 == 0));
        parts.merge(of(&mut (0..all).filter(|n| n % 3 != 0)));
        assert_eq!(whole.words().len(), MAX_SAMPLE);
        assert_eq!(whole.words(), parts.words());
    }
}
