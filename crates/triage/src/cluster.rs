//! From unknown words to patterns, with the description as the guide.
//!
//! The problem: of thousands of words that match nothing, which belong together? Their operands differ, and nothing says which
//! bits are operands. The description does say which bits tell *its* instructions apart, and an instruction that it lacks is
//! told from its neighbours by the same bits. The method follows a word as a decision among the encodings would go:
//!
//! 1. Of the encodings that the word still agrees with, take the bits that most of them care about. The bits on which these
//!    encodings differ are *opcode bits*, the bits that are the same in all of them are *constant bits*.
//! 2. Words with different opcode bits are apart. Encodings that contradict these bits are dropped.
//! 3. A constant bit that all words of a group have alike belongs to the pattern. Where words of one group differ in constant
//!    bits, and take most of the values that these bits can have, the bits have become an operand; if they take few values,
//!    the words are apart.
//! 4. Again, until no encoding is left. The encodings that were dropped last and contradict the fewest bits are the neighbours.
//! 5. Of the neighbours, the bits that come next are looked at in the same way, for an instruction that differs from another one
//!    in one bit most likely has the same layout. All bits looked at are the pattern.
//!
//! Example: `add` is `000 ----`, `sub` is `001 ----`, `jmp` is `1- ---0`; unknown are the words `011 0101` and `011 1100`. All three care
//! about the top bit, so it is looked at first; `jmp` is dropped. `add` and `sub` care for the next two bits and differ in the lower one:
//! it is an opcode bit, and the upper one is constant, 0 in both and 1 in the words. So the pattern is `011 ----`.
//!
//! Invariant: each word that was given is in a pattern, and no pattern has a word that an encoding matches, unless the
//! encoding excepts it: the bits of a pattern contradict each encoding that cares for them.

use std::collections::BTreeMap;

use isaglot_bits::{Pattern, Word};
use isaglot_codec::Plan;
use isaglot_model::{EncodingId, SpaceId};
use rustc_hash::FxHashMap;

use crate::limits::{MAX_CLUSTERS, MAX_LEVELS, MAX_VALUES};
use crate::tally::Tally;

/// Neighbours that are kept of a pattern.
const NEIGHBOURS: usize = 3;

/// Fewer different words, or values of bits that can have more, are taken for different instructions.
const LEAST: usize = 4;

/// Fewer words for each of many values speak for an operand.
const FEW: usize = 4;

/// Standard deviations that the frequencies of values may differ from equal ones.
const MARGIN: f64 = 5.0;

/// A pattern of unknown words.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The space of the words: of instructions, or of the values of a field.
    pub space: SpaceId,
    /// The bits that tell these words from all that are known.
    pub pattern: Pattern,
    /// The encodings that come nearest, the nearest first.
    pub neighbours: Vec<EncodingId>,
    /// The words are of the first neighbour, but for operands that it excepts.
    pub is_excepted: bool,
}

/// Fixed bits, and the number of the pattern by their value.
type Table = (Word, FxHashMap<Word, u32>);

/// All patterns of unknown words.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    all: Vec<Cluster>,
    /// Per space, and per set of fixed bits, the number of the pattern by the value of the bits; those that fix the most bits
    /// come first.
    by_bits: FxHashMap<SpaceId, Vec<Table>>,
}

impl Clusters {
    /// All patterns.
    #[must_use]
    pub fn all(&self) -> &[Cluster] {
        &self.all
    }

    /// The number of the pattern that an unknown word is in.
    pub(crate) fn of(&self, space: SpaceId, word: &Word) -> Option<u32> {
        let tables = self.by_bits.get(&space)?;
        let fits = tables.iter().filter(|(care, _)| care.width() == word.width());
        fits.filter_map(|(care, table)| table.get(&word.and(care))).next().copied()
    }

    /// Makes patterns of the words that a pass has found outside of those that there are.
    pub fn grow(&mut self, plan: &Plan<'_>, tally: &Tally) {
        for (&space, unknown) in &tally.unknown {
            let mut by_width: BTreeMap<u32, Vec<Word>> = BTreeMap::new();
            for word in unknown.sample.words() {
                by_width.entry(word.width()).or_default().push(word);
            }
            for (width, words) in by_width {
                let isa = plan.isa();
                let exact = !isa.format().lengths.is_empty() && space == isa.root();
                let encodings = isa[space].encodings.iter().copied();
                let rivals = encodings.filter(|&id| plan.active(&isa[id]) && (!exact || isa[id].width == width));
                let mut splitter = Splitter { plan, space, found: Vec::new() };
                let all: Vec<&Word> = words.iter().collect();
                splitter.split(&all, &rivals.collect::<Vec<_>>(), &Word::zero(width), 0);
                splitter.found.into_iter().for_each(|cluster| self.add(cluster));
            }
        }
    }

    fn add(&mut self, cluster: Cluster) {
        if self.all.len() == MAX_CLUSTERS {
            return;
        }
        let (care, value) = (cluster.pattern.care().clone(), cluster.pattern.value().clone());
        let tables = self.by_bits.entry(cluster.space).or_default();
        let at = match tables.iter().position(|(bits, _)| *bits == care) {
            Some(at) => at,
            None => {
                let fixed = care.count_ones();
                let at = tables.iter().position(|(bits, _)| bits.count_ones() < fixed).unwrap_or(tables.len());
                tables.insert(at, (care, FxHashMap::default()));
                at
            }
        };
        let number = self.all.len() as u32;
        if let Some((_, table)) = tables.get_mut(at)
            && !table.contains_key(&value)
        {
            table.insert(value, number);
            self.all.push(cluster);
        }
    }
}

struct Splitter<'s, 'a> {
    plan: &'s Plan<'a>,
    space: SpaceId,
    found: Vec<Cluster>,
}

impl Splitter<'_, '_> {
    /// Splits words that agree on the bits of `fixed`, and with these encodings on them.
    fn split(&mut self, words: &[&Word], rivals: &[EncodingId], fixed: &Word, level: usize) {
        let Some(first) = words.first() else { return };
        let asked = self.most_asked(rivals, fixed);
        if asked.is_zero() || level == MAX_LEVELS {
            self.excepted(words, rivals, fixed);
            return;
        }
        let (opcode, constant) = self.kinds(rivals, &asked);
        let groups = grouped(words, &opcode);
        let varying = differing(words, &opcode);
        if is_sea(&groups, words.len(), varying.count_ones()) {
            self.push(first, &fixed.or(&opcode).and_not(&varying), rivals, false);
            return;
        }
        for group in groups.into_values() {
            let Some(one) = group.first() else { continue };
            let varying = differing(&group, &constant);
            let told = fixed.or(&opcode).or(&constant);
            let parts = grouped(&group, &varying);
            if parts.len() > 1 && is_operand(parts.len(), group.len(), varying.count_ones()) {
                self.push(one, &told.and_not(&varying), rivals, false);
                continue;
            }
            for part in parts.into_values() {
                let Some(one) = part.first() else { continue };
                let left: Vec<EncodingId> = rivals.iter().copied().filter(|&id| self.agrees(id, one, &asked)).collect();
                if left.is_empty() {
                    self.refine(&part, &self.nearest(rivals, one, &told), &told, level + 1);
                } else {
                    self.split(&part, &left, &told, level + 1);
                }
            }
        }
    }

    /// Splits words that nothing is left for, by the bits that the nearest encodings ask next: what differs from these in one bit
    /// most likely has its other bits where they have them. Words stay together where these bits look like an operand.
    fn refine(&mut self, words: &[&Word], near: &[EncodingId], fixed: &Word, level: usize) {
        let Some(first) = words.first() else { return };
        let asked = self.most_asked(near, fixed);
        if asked.is_zero() || level >= MAX_LEVELS {
            self.push(first, fixed, near, false);
            return;
        }
        let varying = differing(words, &asked);
        let parts = grouped(words, &varying);
        if is_sea(&parts, words.len(), varying.count_ones()) {
            // Bits that are an operand here tell nothing of these encodings.
            self.push(first, &fixed.or(&asked).and_not(&varying), near, false);
            return;
        }
        let told = fixed.or(&asked);
        for part in parts.into_values() {
            let Some(one) = part.first() else { continue };
            self.refine(&part, &self.nearest(near, one, &told), &told, level + 1);
        }
    }

    /// Those of some encodings that differ from a word in the fewest of these bits.
    fn nearest(&self, of: &[EncodingId], word: &Word, bits: &Word) -> Vec<EncodingId> {
        let least = of.iter().map(|&id| self.distance(id, word, bits)).min();
        of.iter().copied().filter(|&id| Some(self.distance(id, word, bits)) == least).collect()
    }

    /// In how many of these bits an encoding contradicts a word.
    fn distance(&self, id: EncodingId, word: &Word, bits: &Word) -> u32 {
        let pattern = &self.plan.isa()[id].pattern;
        word.xor(pattern.value()).and(pattern.care()).and(bits).count_ones()
    }

    /// The bits outside of `fixed` that the most of these encodings care about.
    fn most_asked(&self, rivals: &[EncodingId], fixed: &Word) -> Word {
        let isa = self.plan.isa();
        let width = fixed.width();
        let mut counts = vec![0_u32; width as usize];
        for &id in rivals {
            for bit in isa[id].pattern.care().and_not(fixed).ones_iter() {
                if let Some(count) = counts.get_mut(bit as usize) {
                    *count += 1;
                }
            }
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        let mut asked = Word::zero(width);
        let bits = counts.iter().zip(0..).filter(|(count, _)| most > 0 && **count == most);
        bits.for_each(|(_, bit)| asked.set_bit(bit, true));
        asked
    }

    /// Of these bits those in which the encodings differ, and those that all that care have alike.
    fn kinds(&self, rivals: &[EncodingId], asked: &Word) -> (Word, Word) {
        let isa = self.plan.isa();
        let width = asked.width();
        let (mut ones, mut zeros) = (Word::zero(width), Word::zero(width));
        for &id in rivals {
            let pattern = &isa[id].pattern;
            ones = ones.or(&pattern.value().and(asked));
            zeros = zeros.or(&pattern.care().and(asked).and_not(pattern.value()));
        }
        let opcode = ones.and(&zeros);
        let constant = asked.and_not(&opcode);
        (opcode, constant)
    }

    /// Whether an encoding agrees with a word on these bits.
    fn agrees(&self, id: EncodingId, word: &Word, bits: &Word) -> bool {
        self.distance(id, word, bits) == 0
    }

    /// Words that some encodings match, so that they are exceptions of these.
    fn excepted(&mut self, words: &[&Word], rivals: &[EncodingId], fixed: &Word) {
        let isa = self.plan.isa();
        let mut groups: BTreeMap<(EncodingId, Word), &Word> = BTreeMap::new();
        for word in words {
            let exception = rivals.iter().find_map(|&id| {
                let except = isa[id].except.iter().find(|except| except.matches(word))?;
                Some((id, except.care().clone()))
            });
            match exception {
                Some((id, care)) => {
                    groups.entry((id, fixed.or(&care).resized(fixed.width()))).or_insert(word);
                }
                None => self.push(word, fixed, rivals, false),
            }
        }
        for ((id, care), word) in groups {
            self.push(word, &care, &[id], true);
        }
    }

    fn push(&mut self, word: &Word, fixed: &Word, rivals: &[EncodingId], is_excepted: bool) {
        let pattern = Pattern::new(word, fixed.clone());
        let mut neighbours = rivals.to_vec();
        neighbours.sort_by_key(|&id| (self.distance(id, word, fixed), id));
        neighbours.truncate(NEIGHBOURS);
        self.found.push(Cluster { space: self.space, pattern, neighbours, is_excepted });
    }
}

/// Words by the value of some bits.
fn grouped<'w>(words: &[&'w Word], bits: &Word) -> BTreeMap<Word, Vec<&'w Word>> {
    let mut groups: BTreeMap<Word, Vec<&Word>> = BTreeMap::new();
    for word in words {
        groups.entry(word.and(bits)).or_default().push(word);
    }
    groups
}

/// Those of some bits in which words differ.
fn differing(words: &[&Word], bits: &Word) -> Word {
    let Some(first) = words.first() else { return Word::zero(bits.width()) };
    words.iter().fold(Word::zero(bits.width()), |all, word| all.or(&word.xor(first).and(bits)))
}

/// Whether opcode bits are an operand in these words: they take all values about equally often, or a great many.
fn is_sea(groups: &BTreeMap<Word, Vec<&Word>>, words: usize, bits: u32) -> bool {
    let all = 1_usize.checked_shl(bits).unwrap_or(usize::MAX);
    let many = groups.len() > MAX_VALUES && (groups.len() >= all / 2 || words < FEW * groups.len());
    many || looks_random(groups, words, bits)
}

/// Whether the values of `bits` bits are those of an operand, and come about equally often: a chi-squared test with a wide margin.
fn looks_random(groups: &BTreeMap<Word, Vec<&Word>>, words: usize, bits: u32) -> bool {
    if groups.len() < 2 || !is_operand(groups.len(), words, bits) {
        return false;
    }
    let mean = words as f64 / groups.len() as f64;
    let chi: f64 = groups.values().map(|group| (group.len() as f64 - mean).powi(2) / mean).sum();
    let freedom = (groups.len() - 1) as f64;
    chi <= freedom + MARGIN * (2.0 * freedom).sqrt()
}

/// Whether so many values of `bits` bits, in so many words, are those of an operand: nearly all that there can be. One value, that
/// of the encodings, may be missing, since words with it are known.
fn is_operand(values: usize, words: usize, bits: u32) -> bool {
    let all = 1_usize.checked_shl(bits).unwrap_or(usize::MAX);
    words >= LEAST && 4 * values >= 3 * all.min(words) && values >= (all - 1).min(LEAST)
}
