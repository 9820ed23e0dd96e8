//! What would help where words are not instructions: another gen, features, the other byte order.
//!
//! Found by trying. Features come from the encodings that the words match but for their conditions; gens are all that the
//! description tells apart. A hint has to hold for most of the words, since some of any bytes are instructions of anything.
//!
//! Example: for `rv64gc`, the word 0x08c5853b is none; the encoding `add.uw` matches it and needs `zba`, with which it is one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use isaglot_bits::Word;
use isaglot_codec::{Plan, Scopes, missing_features, obstacles};
use isaglot_model::{Encoding, EncodingId, FeatureId};

use crate::choice;

/// The most words that are looked at.
pub const MAX_WORDS: usize = 1000;

/// The most sets of features that are put together.
const MAX_SETS: usize = 3;

/// What would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Help {
    /// These features too.
    Features(Vec<FeatureId>),
    /// This gen.
    Generation(u32),
    /// The bytes of every word the other way round.
    ByteOrder,
}

/// What would help, and with how many of the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// What to change.
    pub help: Help,
    /// The words that would be instructions then.
    pub words: usize,
}

/// What would help with these words, none of which is an instruction of the plan; `None` if nothing helps with most of them. No
/// more than [`MAX_WORDS`] are looked at.
#[must_use]
pub fn hint(plan: &Plan<'_>, words: &[Word]) -> Option<Hint> {
    let words = words.get(..MAX_WORDS).unwrap_or(words);
    let on: Vec<FeatureId> = plan.features().collect();
    let mut found = Vec::new();
    let wanted = wanted_features(plan, words);
    if !wanted.is_empty() {
        let with: Vec<FeatureId> = on.iter().chain(&wanted).copied().collect();
        let count = instructions(&Plan::with_features(plan.isa(), plan.generation(), &with), words);
        found.push(Hint { help: Help::Features(wanted), words: count });
    }
    for generation in choice::gens(plan.isa()).into_iter().filter(|&g| g != plan.generation()) {
        let count = instructions(&Plan::with_features(plan.isa(), generation, &on), words);
        found.push(Hint { help: Help::Generation(generation), words: count });
    }
    if plan.isa().format().lengths.is_empty() {
        let turned: Vec<Word> = words.iter().map(turned).collect();
        found.push(Hint { help: Help::ByteOrder, words: instructions(plan, &turned) });
    }
    // Of equal ones the first: the smallest change.
    let best = found.into_iter().rev().max_by_key(|hint| hint.words)?;
    (best.words * 2 > words.len()).then_some(best)
}

/// How many of the words are instructions.
fn instructions(plan: &Plan<'_>, words: &[Word]) -> usize {
    let mut scopes = Scopes::new(plan, false);
    let mut is_one = |word: &&Word| {
        let found = scopes.enter(word).is_some();
        if found {
            scopes.leave();
        }
        found
    };
    words.iter().filter(|word| is_one(word)).count()
}

fn turned(word: &Word) -> Word {
    let bits = word.width();
    let limbs = word.limbs().iter().flat_map(|limb| limb.to_le_bytes());
    let mut bytes: Vec<u8> = limbs.take(bits as usize / 8).collect();
    bytes.reverse();
    Word::from_le_bytes(&bytes, bits)
}

/// What an encoding lacks, where nothing that is on excludes it.
fn fitting(plan: &Plan<'_>, encoding: &Encoding) -> Vec<Vec<FeatureId>> {
    let mut sets = missing_features(plan, encoding);
    sets.retain(|set| obstacles(plan, set).is_empty());
    sets
}

/// The features that the most words lack: the set that the most want, then the one that the most of the others want.
fn wanted_features(plan: &Plan<'_>, words: &[Word]) -> Vec<FeatureId> {
    let isa = plan.isa();
    let mut known: BTreeMap<EncodingId, Vec<Vec<FeatureId>>> = BTreeMap::new();
    let mut left: Vec<BTreeSet<Vec<FeatureId>>> = Vec::new();
    for word in words {
        let mut sets = BTreeSet::new();
        for &id in &isa[isa.root()].encodings {
            let encoding = &isa[id];
            if encoding.width == word.width() && encoding.pattern.matches(word) && !plan.active(encoding) {
                sets.extend(known.entry(id).or_insert_with(|| fitting(plan, encoding)).iter().cloned());
            }
        }
        left.push(sets);
    }
    let mut wanted = BTreeSet::new();
    for _ in 0..MAX_SETS {
        let mut votes: BTreeMap<&Vec<FeatureId>, usize> = BTreeMap::new();
        left.iter().flatten().for_each(|set| *votes.entry(set).or_default() += 1);
        // Of equal ones the set that the description names first: a whole extension stands before its parts.
        let most = votes.into_iter().max_by_key(|(set, count)| (*count, Reverse((set.len(), *set))));
        let Some(set) = most.map(|(set, _)| set.clone()) else { break };
        left.retain(|sets| !sets.contains(&set));
        wanted.extend(set);
    }
    wanted.into_iter().collect()
}
