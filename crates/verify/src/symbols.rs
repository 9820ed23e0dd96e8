//! Which decision-diagram variable stands for what: the gen's 32 bits, the features, then the bits of the word.
//!
//! The gen comes first, so that a set of (gen, word) falls apart into intervals of gens by walking the top of its
//! diagram. Word bits follow from the most significant down, where opcodes are, at every second place: the places
//! between are for the second word of a question about pairs.

use isaglot_bits::{Count, Pattern, Word};
use isaglot_invariant::Impossible as _;
use isaglot_model::{Condition, Encoding, FeatureId, GenRange, Isa};

use crate::bdd::{Bdd, Ref};
use crate::limits;
use crate::vector::{self, Vector};

/// Bits of a gen.
const GEN_BITS: u32 = 32;

/// The diagram with the meaning of its variables.
pub(crate) struct Symbols {
    pub(crate) bdd: Bdd,
    /// The gen as a value.
    pub(crate) generation: Vector,
    features: u32,
    width: u32,
}

/// A set of words of one interval of gens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GenPart {
    pub(crate) gens: GenRange,
    pub(crate) words: Ref,
}

impl Symbols {
    /// Variables for words of `width` bits, all gens or one, and this many features.
    pub(crate) fn new(width: u32, generation: Option<u32>, features: usize) -> Symbols {
        let bdd = Bdd::new(limits::BDD_NODES);
        let mut sym = Symbols { bdd, generation: vector::constant(0), features: features as u32, width };
        sym.set_generation(generation);
        sym
    }

    /// From here on functions are about this gen, or about all.
    pub(crate) fn set_generation(&mut self, generation: Option<u32>) {
        self.generation = match generation {
            Some(g) => vector::constant(u64::from(g)),
            None => std::array::from_fn(|i| match u32::try_from(i) {
                Ok(i) if i < GEN_BITS => self.bdd.var(GEN_BITS - 1 - i),
                _ => Ref::FALSE,
            }),
        };
    }

    fn base(&self) -> u32 {
        GEN_BITS + self.features
    }

    /// The first variable of the word.
    pub(crate) fn word_base(&self) -> u32 {
        self.base()
    }

    /// The variable of a bit of the word.
    pub(crate) fn bit_var(&self, bit: u32) -> u32 {
        self.base() + 2 * (self.width - 1 - bit)
    }

    /// The bit that a variable stands for; `None` for gen and features.
    fn bit_of(&self, var: u32) -> Option<u32> {
        let at = var.checked_sub(self.base())? / 2;
        (self.width - 1).checked_sub(at)
    }

    /// A bit of the word.
    pub(crate) fn bit(&mut self, bit: u32) -> Ref {
        let var = self.bit_var(bit);
        self.bdd.var(var)
    }

    /// A feature, by its number.
    pub(crate) fn feature(&mut self, index: usize) -> Ref {
        self.bdd.var(GEN_BITS + index as u32)
    }

    /// Whether the gen lies in a range.
    pub(crate) fn in_gens(&mut self, range: GenRange) -> Ref {
        let at_least = |s: &mut Symbols, bound: u32| {
            (0..GEN_BITS).fold(Ref::TRUE, |holds, i| {
                let bit = s.generation[i as usize];
                if bound >> i & 1 != 0 { s.bdd.and(bit, holds) } else { s.bdd.or(bit, holds) }
            })
        };
        let low = at_least(self, range.min);
        let high = match range.max.checked_add(1) {
            Some(end) => {
                let beyond = at_least(self, end);
                self.bdd.not(beyond)
            }
            None => Ref::TRUE,
        };
        self.bdd.and(low, high)
    }

    /// Whether a condition over features holds.
    pub(crate) fn condition(&mut self, features: &[Ref], condition: &Condition) -> Ref {
        match condition {
            Condition::Always => Ref::TRUE,
            Condition::Feature(f) => features.get(f.index()).copied().or_impossible(Ref::FALSE),
            Condition::Not(c) => {
                let c = self.condition(features, c);
                self.bdd.not(c)
            }
            Condition::All(list) => list.iter().fold(Ref::TRUE, |all, c| {
                let c = self.condition(features, c);
                self.bdd.and(all, c)
            }),
            Condition::Any(list) => list.iter().fold(Ref::FALSE, |any, c| {
                let c = self.condition(features, c);
                self.bdd.or(any, c)
            }),
        }
    }

    /// What holds for every set of features: one that is on has all that come with it. `some` are the features that
    /// matter and all that these imply; the others, of which there may be hundreds, can be off.
    pub(crate) fn implications(&mut self, isa: &Isa, features: &[Ref], some: &[FeatureId]) -> Ref {
        let mut all = Ref::TRUE;
        let of = |f: FeatureId| features.get(f.index()).copied().or_impossible(Ref::TRUE);
        for &id in some {
            for &implied in &isa[id].implies {
                let broken = self.bdd.and_not(of(id), of(implied));
                all = self.bdd.and_not(all, broken);
            }
        }
        all
    }

    /// Whether the bits of a word (symbolic, least significant first) match a pattern.
    pub(crate) fn matches(&mut self, word: &[Ref], pattern: &Pattern) -> Ref {
        let mut all = Ref::TRUE;
        for bit in pattern.care().ones_iter() {
            let Some(&value) = word.get(bit as usize) else { continue };
            all = if pattern.value().bit(bit) { self.bdd.and(value, all) } else { self.bdd.and_not(all, value) };
        }
        all
    }

    /// Whether a word is in the pattern of an encoding and none of its exceptions.
    fn encoding(&mut self, word: &[Ref], encoding: &Encoding) -> Ref {
        let mut is = self.matches(word, &encoding.pattern);
        for except in &encoding.except {
            let out = self.matches(word, except);
            is = self.bdd.and_not(is, out);
        }
        is
    }

    /// The words, gens and features for which an encoding matches.
    pub(crate) fn claims(&mut self, word: &[Ref], encoding: &Encoding, features: &[Ref]) -> Ref {
        let words = self.encoding(word, encoding);
        let parts = [self.in_gens(encoding.gens), self.condition(features, &encoding.condition)];
        parts.into_iter().fold(words, |all, part| self.bdd.and(all, part))
    }

    /// The smallest word of a set, with the smallest gen that has one.
    pub(crate) fn witness(&self, set: Ref) -> Option<(Word, u32)> {
        let path = self.bdd.solution(set)?;
        Some(self.read(&path))
    }

    fn read(&self, path: &[(u32, bool)]) -> (Word, u32) {
        let mut word = Word::zero(self.width);
        let mut generation = vector::as_constant(&self.generation).unwrap_or(0) as u32;
        for &(var, value) in path.iter().filter(|p| p.1) {
            if var < GEN_BITS {
                generation |= 1 << (GEN_BITS - 1 - var);
            } else if let Some(bit) = self.bit_of(var) {
                word.set_bit(bit, value);
            }
        }
        (word, generation)
    }

    /// The features that are on in the smallest solution; `None` if there is none.
    pub(crate) fn features_on(&self, set: Ref) -> Option<Vec<FeatureId>> {
        let path = self.bdd.solution(set)?;
        let on = path.iter().filter(|(var, value)| *value && (GEN_BITS..self.base()).contains(var));
        Some(on.map(|(var, _)| FeatureId(var - GEN_BITS)).collect())
    }

    /// Two words and the gen of a solution of a question about pairs.
    pub(crate) fn witness_pair(&self, set: Ref) -> Option<(Word, Word, u32)> {
        let path = self.bdd.solution(set)?;
        let second = |var: u32| var >= self.base() && (var - self.base()) % 2 == 1;
        let first: Vec<(u32, bool)> = path.iter().copied().filter(|p| !second(p.0)).collect();
        let other: Vec<(u32, bool)> = path.iter().copied().filter(|p| p.0 < self.base() || second(p.0)).collect();
        let (a, generation) = self.read(&first);
        Some((a, self.read(&other).0, generation))
    }

    /// A set as intervals of gens with the words of each, in order. `None`: more than
    /// [`limits::MAX_GEN_PARTS`] intervals.
    pub(crate) fn by_gen(&self, set: Ref) -> Option<Vec<GenPart>> {
        let mut parts: Vec<GenPart> = Vec::new();
        if let Some(g) = vector::as_constant(&self.generation) {
            let gens = GenRange { min: g as u32, max: g as u32 };
            return Some(if set.is_false() { parts } else { vec![GenPart { gens, words: set }] });
        }
        // Depth-first, low half first: the intervals come in order and neighbours can be joined.
        let mut work = vec![(set, 0u32, 0u64)];
        while let Some((f, depth, start)) = work.pop() {
            match self.bdd.split(f, GEN_BITS) {
                // A node below the current depth: both halves are equal until there.
                Some((var, low, high)) => {
                    let (low, high) = if var == depth { (low, high) } else { (f, f) };
                    let half = 1u64 << (GEN_BITS - 1 - depth);
                    work.push((high, depth + 1, start + half));
                    work.push((low, depth + 1, start));
                }
                None if f.is_false() => {}
                None => {
                    let end = start + (1u64 << (GEN_BITS - depth)) - 1;
                    let gens = GenRange { min: start as u32, max: end as u32 };
                    match parts.last_mut() {
                        Some(last) if last.words == f && u64::from(last.gens.max) + 1 == start => {
                            last.gens.max = gens.max;
                        }
                        _ => parts.push(GenPart { gens, words: f }),
                    }
                    if parts.len() > limits::MAX_GEN_PARTS {
                        return None;
                    }
                }
            }
        }
        Some(parts)
    }

    /// How many words a set without gen and features has.
    pub(crate) fn count_words(&self, words: Ref) -> Count {
        let variables: Vec<u32> = (0..self.width).rev().map(|bit| self.bit_var(bit)).collect();
        self.bdd.count(words, &variables)
    }

    /// The largest of the disjoint patterns that make up a set without gen and features, at most `limit`, and whether
    /// these are all.
    pub(crate) fn patterns(&self, words: Ref, limit: usize) -> (Vec<Pattern>, bool) {
        let mut all = Vec::new();
        let mut seen = 0;
        self.bdd.paths(words, &mut |path| {
            seen += 1;
            let mut pattern = Pattern::any(self.width);
            for &(var, value) in path {
                if let Some(bit) = self.bit_of(var) {
                    pattern = pattern.with_bit(bit, value);
                }
            }
            all.push(pattern);
            seen < limits::CUBE_PATHS
        });
        all.sort_by(|a, b| b.free_bits().cmp(&a.free_bits()).then_with(|| a.cmp(b)));
        let complete = all.len() <= limit && seen < limits::CUBE_PATHS;
        all.truncate(limit);
        (all, complete)
    }
}
