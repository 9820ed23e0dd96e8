//! From a witness to the largest pattern whose words all differ in the same way: ask, generalise, ask.
//!
//! The problem: a word says that something is wrong; a person wants to know for which words. The invariant: no pattern has a word that was
//! asked about and does not differ in the same way, and a pattern is called exact only if every word of it was asked about. The method, for each
//! class of differences:
//!
//! 1. the smallest word of the class that no pattern has yet; each of its bits is flipped. A bit whose flip is not of the class stays fixed;
//! 2. the guess: all other bits are free. Of a pattern with at most [`EXACT_BITS`] free bits all words are asked about, of a larger one its
//!    corners, each free bit alone, and pseudo-random words;
//! 3. if the guess is wrong, the bits are freed one by one, each as long as all words that are asked about are of the class;
//! 4. words of the class that turned up on the way and that no pattern has are witnesses, too.
//!
//! All classes go through these steps at the same time, so that a tool is asked rarely and about much.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_bits::{Pattern, Word};
use isaglot_source::Diagnostic;

use crate::choose::{Random, flipped, within};
use crate::compare::{Asker, Kind};
use crate::limits::{
    CRASH_BITS, CRASH_SAMPLES, EXACT_BITS, MAX_CRASH_PATTERNS, MAX_PATTERNS, MAX_TEXT_PATTERNS, SAMPLES,
};

/// A pattern whose words differ in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grown {
    /// The pattern.
    pub pattern: Pattern,
    /// Every word of it was asked about.
    pub exact: bool,
}

/// The words of a class, as patterns and what is left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) patterns: Vec<Grown>,
    /// Words that are in none of the patterns.
    pub(crate) left: BTreeSet<Word>,
    growth: Option<Growth>,
}

/// One pattern in the making.
#[derive(Clone, Debug)]
struct Growth {
    witness: Word,
    pattern: Pattern,
    stage: Stage,
}

#[derive(Clone, Debug)]
enum Stage {
    Neighbours,
    /// These bits may be free.
    Guess(Vec<u32>),
    /// These are still to be tried, the next one last.
    OneByOne(Vec<u32>),
}

/// What comes next.
enum Next {
    /// Answers about words are missing.
    Ask(Vec<Word>),
    Done(Grown),
}

/// How much is asked about the words of a class.
#[derive(Clone, Copy)]
struct Bounds {
    /// The most patterns.
    patterns: usize,
    /// Free bits up to which every word is asked.
    exact: u32,
    /// Pseudo-random words of a larger pattern.
    samples: usize,
}

fn bounds(kind: Option<Kind>) -> Bounds {
    match kind {
        Some(Kind::Crash) => Bounds { patterns: MAX_CRASH_PATTERNS, exact: CRASH_BITS, samples: CRASH_SAMPLES },
        Some(Kind::Text) => Bounds { patterns: MAX_TEXT_PATTERNS, exact: EXACT_BITS, samples: SAMPLES },
        _ => Bounds { patterns: MAX_PATTERNS, exact: EXACT_BITS, samples: SAMPLES },
    }
}

/// Grows patterns for every class of which `words` has one, and asks about at most `most_asked` words for that. `progress` is called with the number of words so far.
pub(crate) fn grow(
    asker: &mut Asker<'_>,
    words: &[Word],
    most_asked: usize,
    progress: &mut dyn FnMut(usize),
) -> Result<BTreeMap<usize, Group>, Diagnostic> {
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    take(&mut groups, asker, words);
    let first = asker.asked();
    loop {
        let mut questions = BTreeSet::new();
        for (&class, group) in &mut groups {
            let bounds = bounds(asker.classes().get(class).map(|class| class.kind));
            while let Some(next) = group.next(asker, class, bounds) {
                match next {
                    Next::Ask(words) => {
                        questions.extend(words);
                        break;
                    }
                    Next::Done(grown) => {
                        group.growth = None;
                        group.left.retain(|word| !grown.pattern.matches(word));
                        group.patterns.push(grown);
                    }
                }
            }
        }
        if questions.is_empty() || asker.asked() - first + questions.len() > most_asked {
            break;
        }
        progress(asker.asked());
        let questions: Vec<Word> = questions.into_iter().collect();
        asker.ask(&questions)?;
        take(&mut groups, asker, &questions);
    }
    Ok(groups)
}

/// Puts words that both sides were asked about into the groups of their classes.
fn take(groups: &mut BTreeMap<usize, Group>, asker: &Asker<'_>, words: &[Word]) {
    for word in words {
        if let Some(Some(class)) = asker.known(word) {
            let group = groups.entry(class).or_default();
            if !group.patterns.iter().any(|grown| grown.pattern.matches(word)) {
                group.left.insert(word.clone());
            }
        }
    }
}

impl Group {
    /// Goes on with the pattern in the making, or begins another one; `None` if there is nothing to do.
    fn next(&mut self, asker: &Asker<'_>, class: usize, bounds: Bounds) -> Option<Next> {
        if self.growth.is_none() && self.patterns.len() < bounds.patterns {
            let witness = self.left.first()?.clone();
            let pattern = Pattern::exact(witness.clone());
            self.growth = Some(Growth { witness, pattern, stage: Stage::Neighbours });
        }
        let is_same = |word: &Word| match asker.subject().fits(word) && asker.takes(word) {
            true => asker.known(word).map(|known| known == Some(class)),
            false => Some(false),
        };
        self.growth.as_mut().map(|growth| growth.next(&is_same, bounds))
    }
}

impl Growth {
    /// Goes on until answers are missing. `is_same` says whether a word is of the class; `None` if that is not known yet.
    fn next(&mut self, is_same: &dyn Fn(&Word) -> Option<bool>, bounds: Bounds) -> Next {
        loop {
            match &mut self.stage {
                Stage::Neighbours => {
                    let width = self.witness.width();
                    let near: Vec<Word> = (0..width).map(|bit| flipped(&self.witness, bit)).collect();
                    let known: Vec<Option<bool>> = near.iter().map(is_same).collect();
                    if known.contains(&None) {
                        let unknown = near.into_iter().zip(&known).filter(|(_, known)| known.is_none());
                        return Next::Ask(unknown.map(|(word, _)| word).collect());
                    }
                    let same = (0..width).zip(&known).filter(|(_, known)| **known == Some(true));
                    self.stage = Stage::Guess(same.map(|(bit, _)| bit).collect());
                }
                Stage::Guess(free) => {
                    let guess = free.iter().fold(self.pattern.clone(), |pattern, bit| freed(&pattern, *bit));
                    match holds(&guess, &self.witness, is_same, bounds) {
                        Holds::Yes => return Next::Done(done(guess, bounds)),
                        Holds::No => self.stage = Stage::OneByOne(std::mem::take(free)),
                        Holds::Ask(words) => return Next::Ask(words),
                    }
                }
                Stage::OneByOne(bits) => {
                    let Some(&bit) = bits.last() else { return Next::Done(done(self.pattern.clone(), bounds)) };
                    let wider = freed(&self.pattern, bit);
                    match holds(&wider, &self.witness, is_same, bounds) {
                        Holds::Yes => self.pattern = wider,
                        Holds::No => {}
                        Holds::Ask(words) => return Next::Ask(words),
                    }
                    bits.pop();
                }
            }
        }
    }
}

fn done(pattern: Pattern, bounds: Bounds) -> Grown {
    Grown { exact: pattern.free_bits() <= bounds.exact, pattern }
}

/// A pattern that does not care for one bit more.
fn freed(pattern: &Pattern, bit: u32) -> Pattern {
    let mut care = pattern.care().clone();
    care.set_bit(bit, false);
    Pattern::new(pattern.value(), care)
}

enum Holds {
    Yes,
    No,
    Ask(Vec<Word>),
}

/// Whether all words of a pattern that are looked at are of the class.
fn holds(pattern: &Pattern, witness: &Word, is_same: &dyn Fn(&Word) -> Option<bool>, bounds: Bounds) -> Holds {
    let mut unknown = Vec::new();
    for word in members(pattern, witness, bounds) {
        match is_same(&word) {
            Some(true) => {}
            Some(false) => return Holds::No,
            None => unknown.push(word),
        }
    }
    if unknown.is_empty() { Holds::Yes } else { Holds::Ask(unknown) }
}

/// The words of a pattern that are looked at: all if they are few.
fn members(pattern: &Pattern, witness: &Word, bounds: Bounds) -> Vec<Word> {
    let width = pattern.width();
    let free: Vec<u32> = (0..width).filter(|bit| pattern.bit(*bit).is_none()).collect();
    if free.len() as u32 <= bounds.exact {
        return (0..1_u32 << free.len()).map(|value| numbered(pattern, &free, value)).collect();
    }
    let [low, high] = [Word::zero(width), Word::ones(width)].map(|free| within(pattern, &free));
    let mut random = Random::new(pattern.value().low_u64() ^ pattern.care().low_u64().rotate_left(17));
    let mut words: Vec<Word> =
        [&low, &high, witness].into_iter().flat_map(|word| free.iter().map(|bit| flipped(word, *bit))).collect();
    words.extend((0..bounds.samples).map(|_| within(pattern, &random.word(width))));
    words.extend([low, high]);
    words.sort();
    words.dedup();
    words
}

/// The word of a pattern whose free bits have this value.
fn numbered(pattern: &Pattern, free: &[u32], value: u32) -> Word {
    let mut word = pattern.value().clone();
    free.iter().enumerate().for_each(|(at, &bit)| word.set_bit(bit, value >> at & 1 == 1));
    word
}
