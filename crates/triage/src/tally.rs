//! What a pass over programs has seen: plain counts that merge in any order.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_bits::Word;
use isaglot_model::{EncodingId, EnumId, Isa, Name, SpaceId};

use crate::limits::MAX_FILES;
use crate::sample::Sample;

/// A place in the programs: the number of the file, and a byte offset in its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The file, as the caller numbers them.
    pub file: u32,
    /// Bytes from the start of what was fed for it.
    pub offset: u64,
}

/// What is said of a set of words: how many, where, and which bits they share.
#[derive(Clone, Debug)]
pub struct Stat {
    /// How many words, each as often as it comes.
    pub count: u64,
    /// Where the first one is.
    pub first: Spot,
    /// The instruction word there.
    pub example: Word,
    /// Bits that all values have set.
    pub all: Word,
    /// Bits that some value has set.
    pub any: Word,
    files: BTreeSet<u32>,
}

impl Stat {
    fn new(value: &Word, word: &Word, spot: Spot) -> Stat {
        let files = BTreeSet::from([spot.file]);
        Stat { count: 1, first: spot, example: word.clone(), all: value.clone(), any: value.clone(), files }
    }

    fn add(&mut self, value: &Word, word: &Word, spot: Spot) {
        self.count += 1;
        if self.all != self.any || &self.all != value {
            self.all = self.all.and(value);
            self.any = self.any.or(value);
        }
        if spot < self.first {
            self.first = spot;
            self.example = word.clone();
        }
        if self.files.len() < MAX_FILES || self.files.last().is_some_and(|last| spot.file < *last) {
            self.files.insert(spot.file);
            self.bound();
        }
    }

    fn bound(&mut self) {
        while self.files.len() > MAX_FILES {
            self.files.pop_last();
        }
    }

    fn merge(&mut self, other: Stat) {
        self.count += other.count;
        self.all = self.all.and(&other.all);
        self.any = self.any.or(&other.any);
        if other.first < self.first {
            (self.first, self.example) = (other.first, other.example);
        }
        self.files.extend(other.files);
        self.bound();
    }

    /// The files, the first ones, in order; at most [`MAX_FILES`].
    pub fn files(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.files.iter().copied()
    }

    /// Whether there may be more files than [`Stat::files`] gives.
    #[must_use]
    pub fn has_more_files(&self) -> bool {
        self.files.len() == MAX_FILES
    }
}

/// Stats by what they are about: parts of the description, or patterns found before, so their number is bounded.
#[derive(Clone, Debug)]
pub(crate) struct Stats<K>(pub(crate) BTreeMap<K, Stat>);

impl<K> Default for Stats<K> {
    fn default() -> Stats<K> {
        Stats(BTreeMap::new())
    }
}

impl<K: Ord> Stats<K> {
    /// Adds a value, which is a word or a part of it.
    pub(crate) fn add(&mut self, key: K, value: &Word, word: &Word, spot: Spot) {
        match self.0.get_mut(&key) {
            Some(stat) => stat.add(value, word, spot),
            None => drop(self.0.insert(key, Stat::new(value, word, spot))),
        }
    }

    fn merge(&mut self, other: Stats<K>) {
        for (key, stat) in other.0 {
            match self.0.get_mut(&key) {
                Some(mine) => mine.merge(stat),
                None => drop(self.0.insert(key, stat)),
            }
        }
    }
}

/// What is wrong with words that an encoding matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Finding {
    /// Bits that the description marks as don't-care are set. The value has just these.
    DontCare {
        /// The encoding, of the instructions or of a field.
        encoding: EncodingId,
    },
    /// Bits differ from what an assert wants. The value is the word of the encoding.
    Assert {
        /// The encoding.
        encoding: EncodingId,
        /// The case, by its place in the encoding.
        case: u32,
        /// The assert, by its place in the case.
        assert: u32,
    },
    /// The value of a field that the text shows matches nothing in its space. The value is that of the field.
    Field {
        /// The encoding that has the field.
        encoding: EncodingId,
        /// The field.
        field: Name,
        /// The space of its values.
        space: SpaceId,
    },
    /// A field that the text shows has a value that its enum has no entry for. The value is that of the field.
    Value {
        /// The encoding that has the field.
        encoding: EncodingId,
        /// The field.
        field: Name,
        /// The enum.
        ty: EnumId,
    },
    /// Two encodings match. The value is the word.
    Conflict {
        /// The earlier one.
        first: EncodingId,
        /// The later one.
        second: EncodingId,
    },
    /// No case that applies has a text. The value is the word.
    NoText {
        /// The encoding.
        encoding: EncodingId,
    },
    /// Something that the text or a guard names is not defined, or fields nest too deeply. The value is the word.
    Undefined {
        /// The encoding.
        encoding: EncodingId,
    },
}

/// What of a description the programs use.
#[derive(Clone, Debug, Default)]
pub struct Exercised {
    /// Words and values of each encoding, by id.
    pub(crate) encodings: Vec<u64>,
    /// Whether each case of each encoding applied once, by encoding and case.
    pub(crate) cases: Vec<Vec<bool>>,
    /// Whether each entry of each enum was read once.
    pub(crate) values: Vec<Vec<bool>>,
}

impl Exercised {
    fn new(isa: &Isa) -> Exercised {
        Exercised {
            encodings: vec![0; isa.encodings().len()],
            cases: isa.encodings().iter().map(|e| vec![false; e.cases.len()]).collect(),
            values: isa.enums().iter().map(|e| vec![false; e.values.len()]).collect(),
        }
    }

    /// How many words, or values of fields, were this encoding.
    #[must_use]
    pub fn hits(&self, encoding: EncodingId) -> u64 {
        self.encodings.get(encoding.index()).copied().unwrap_or(0)
    }

    /// Whether a case of an encoding applied to some word.
    #[must_use]
    pub fn case(&self, encoding: EncodingId, case: usize) -> bool {
        self.cases.get(encoding.index()).and_then(|cases| cases.get(case)).copied().unwrap_or(false)
    }

    /// Whether an entry of an enum was the value of some field.
    #[must_use]
    pub fn value(&self, id: EnumId, entry: usize) -> bool {
        self.values.get(id.index()).and_then(|values| values.get(entry)).copied().unwrap_or(false)
    }

    fn merge(&mut self, other: Exercised) {
        self.encodings.iter_mut().zip(other.encodings).for_each(|(a, b)| *a += b);
        let lists = self.cases.iter_mut().zip(other.cases).chain(self.values.iter_mut().zip(other.values));
        lists.for_each(|(a, b)| a.iter_mut().zip(b).for_each(|(a, b)| *a |= b));
    }
}

/// The words of a space that match nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unknown {
    /// How many, each as often as it comes.
    pub(crate) count: u64,
    /// Those that are in no pattern found so far.
    pub(crate) sample: Sample,
    /// Words of each pattern, by its number.
    pub(crate) clusters: Stats<u32>,
    /// How many are in no pattern.
    pub(crate) outside: u64,
}

/// What a pass has seen.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Bytes that were fed and make whole words.
    pub bytes: u64,
    /// Words.
    pub words: u64,
    /// Words that match one encoding and have nothing wrong with them.
    pub clean: u64,
    /// What the programs use.
    pub exercised: Exercised,
    pub(crate) findings: Stats<Finding>,
    pub(crate) unknown: BTreeMap<SpaceId, Unknown>,
}

impl Tally {
    /// Nothing seen yet of programs for this instruction set.
    #[must_use]
    pub fn new(isa: &Isa) -> Tally {
        Tally {
            bytes: 0,
            words: 0,
            clean: 0,
            exercised: Exercised::new(isa),
            findings: Stats::default(),
            unknown: BTreeMap::new(),
        }
    }

    /// Adds what another one has seen: of other programs, or of other parts of the same ones, for the same instruction set.
    pub fn merge(&mut self, other: Tally) {
        self.bytes += other.bytes;
        self.words += other.words;
        self.clean += other.clean;
        self.exercised.merge(other.exercised);
        self.findings.merge(other.findings);
        for (space, theirs) in other.unknown {
            let mine = self.unknown.entry(space).or_default();
            mine.count += theirs.count;
            mine.sample.merge(theirs.sample);
            mine.clusters.merge(theirs.clusters);
            mine.outside += theirs.outside;
        }
    }

    /// Words of the space of instructions that match nothing.
    #[must_use]
    pub fn unknown(&self, isa: &Isa) -> u64 {
        self.unknown.get(&isa.root()).map_or(0, |unknown| unknown.count)
    }

    /// A sample of the instruction words that match nothing and are in no pattern, in order.
    #[must_use]
    pub fn unknown_words(&self, isa: &Isa) -> Vec<Word> {
        self.unknown.get(&isa.root()).map_or_else(Vec::new, |unknown| unknown.sample.words())
    }

    /// Bytes of the words that match nothing, about: where instructions differ in length, a mean is taken.
    #[must_use]
    pub fn unknown_bytes(&self, isa: &Isa) -> u64 {
        let words = self.unknown_words(isa);
        let bits: u64 = words.iter().map(|word| u64::from(word.width())).sum();
        self.unknown(isa) * bits / (8 * words.len() as u64).max(1)
    }

    /// Whether another pass is needed, with the patterns of [`Clusters`](crate::Clusters): there are words that no pattern has.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.unknown.values().any(|unknown| unknown.outside > 0)
    }

    /// What is wrong with words that match, with the words.
    pub fn findings(&self) -> impl Iterator<Item = (Finding, &Stat)> {
        self.findings.0.iter().map(|(finding, stat)| (*finding, stat))
    }
}
