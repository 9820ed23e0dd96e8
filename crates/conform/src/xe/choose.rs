//! Which words of a machine of Intel Xe a tool is asked about.
//!
//! Words of 128 bits are chosen from the model, as for any description, and around words that the machine accepts: its rules look at more than
//! a field each, so among words with arbitrary bits hardly one is refused for one reason only. Words of 64 bits are short forms: their indexes
//! take every row of every table, two of them together at all their values for one operation of each form and at each row for all others.

use std::collections::BTreeSet;

use isaglot_bits::{BitRange, Word};
use isaglot_codec::{Plan, Values};
use isaglot_model::{Encoding, EncodingId, Expansion, Isa};
use isaglot_xe::Xe;

use super::{LONG, SHORT, SHORT_BIT, fits};
use crate::choose::around::{accepted, around};
use crate::choose::corners::{corners, with_value};
use crate::choose::{Choice, Length, Random, Wanted, flipped, within};
use crate::limits::{ALL_VALUES_BITS, BASE_TRIES, BASES};

/// The lengths of instructions in bits.
#[must_use]
pub fn lengths() -> [u32; 2] {
    [SHORT, LONG]
}

/// Chooses words.
#[must_use]
pub fn choose(xe: &mut Xe<'_>, isa: &Isa, wanted: Wanted) -> Choice {
    let plan = Plan::new(isa, xe.platform.generation());
    let active: Vec<(EncodingId, &Encoding)> = isa[isa.root()]
        .encodings
        .iter()
        .map(|&id| (id, &isa[id]))
        .filter(|(_, encoding)| plan.active(encoding))
        .collect();
    let mut choice = Choice::default();
    for bits in lengths().into_iter().filter(|bits| wanted.bits.is_none_or(|only| only == *bits)) {
        let (mut words, gaps_left) = match bits {
            SHORT => (short(xe, isa, &active), Some(0)),
            _ => long(xe, isa, &plan, &active),
        };
        words.retain(fits);
        choice.lengths.push(Length { bits, words: words.len(), whole: false, gaps_left });
        choice.words.extend(words);
    }
    choice
}

/// Words of 128 bits, and how many free patterns were left out.
fn long(
    xe: &mut Xe<'_>,
    isa: &Isa,
    plan: &Plan<'_>,
    active: &[(EncodingId, &Encoding)],
) -> (BTreeSet<Word>, Option<usize>) {
    let found = crate::choose::choose(plan, Wanted { bits: Some(LONG), all: false });
    let gaps_left = found.lengths.first().and_then(|length| length.gaps_left);
    let mut words: BTreeSet<Word> = found.words.into_iter().collect();
    let mut values = Values::default();
    for (id, encoding) in active {
        let mut is_accepted = |word: &Word| fits(word) && xe.decode(word.low_u128(), &mut values).is_ok();
        let bases = accepted(isa, encoding, id.0, BASES, &mut is_accepted);
        for (at, base) in bases.iter().enumerate() {
            around(isa, encoding, base, at < 2, &mut words);
        }
    }
    (words, gaps_left)
}

/// Short forms.
fn short(xe: &mut Xe<'_>, isa: &Isa, active: &[(EncodingId, &Encoding)]) -> BTreeSet<Word> {
    let mut words = BTreeSet::new();
    let mut met: BTreeSet<&str> = BTreeSet::new();
    for (id, encoding) in active {
        let name = encoding.meta.iter().find(|(key, _)| key == "compact").map(|(_, name)| name.as_str());
        let generation = xe.platform.generation();
        let form = isa.expansions().iter().find(|e| Some(e.name.as_str()) == name && e.gens.contains(generation));
        let Some(form) = form.filter(|form| form.width == SHORT) else {
            // No word may be a short form of it.
            let mut word = begun(encoding, &Word::zero(SHORT));
            word.set_bit(SHORT_BIT, true);
            words.insert(word);
            continue;
        };
        let parts = parts(form);
        let bases = short_bases(xe, encoding, form, id.0);
        for (at, base) in bases.iter().enumerate() {
            words.extend((0..SHORT).map(|bit| flipped(base, bit)));
            for (part, is_index) in &parts {
                let width: u32 = part.iter().map(|range| range.width).sum();
                let all = *is_index || (at == 0 && width <= ALL_VALUES_BITS);
                match all {
                    true => words.extend(values(base, part, width)),
                    false => words.extend(corners(width).iter().map(|value| with_value(base, part, value))),
                }
            }
        }
        // Which rows go together is a matter of the form, not of the operation.
        if let Some(base) = bases.first().filter(|_| met.insert(&form.name)) {
            let indexes: Vec<&Vec<BitRange>> = parts.iter().filter(|(_, index)| *index).map(|(part, _)| part).collect();
            for (at, one) in indexes.iter().enumerate() {
                for first in values(base, one, one.iter().map(|range| range.width).sum()) {
                    for other in indexes.iter().skip(at + 1) {
                        words.extend(values(&first, other, other.iter().map(|range| range.width).sum()));
                    }
                }
            }
        }
        words.extend(bases);
    }
    words
}

/// A word with each value of some of its bits.
fn values(word: &Word, part: &[BitRange], width: u32) -> Vec<Word> {
    (0..1_u64 << width.min(SHORT - 1)).map(|value| with_value(word, part, &Word::from_u64(value, width))).collect()
}

/// The parts of a short form, and whether each is an index. Parts with the same bits are one.
fn parts(form: &Expansion) -> Vec<(Vec<BitRange>, bool)> {
    let mut all: Vec<(Vec<BitRange>, bool)> = Vec::new();
    // The first step has the operation.
    for step in form.steps.iter().skip(1) {
        match all.iter_mut().find(|(from, _)| *from == step.from) {
            Some((_, is_index)) => *is_index |= step.table.is_some(),
            None => all.push((step.from.clone(), step.table.is_some())),
        }
    }
    all
}

/// Short forms of an operation: of 0, and some that the machine accepts.
fn short_bases(xe: &mut Xe<'_>, encoding: &Encoding, form: &Expansion, seed: u32) -> Vec<Word> {
    let mut random = Random::new(u64::from(seed) ^ 0x5407_F0B3);
    let mut values = Values::default();
    let mut all = Vec::new();
    for _ in 0..BASE_TRIES {
        if all.len() >= BASES {
            break;
        }
        let word = begun(encoding, &within(&form.pattern, &random.word(SHORT)));
        if xe.decode_short(word.low_u64(), &mut values).is_ok() && !all.contains(&word) {
            all.push(word);
        }
    }
    all.push(begun(encoding, &within(&form.pattern, &Word::zero(SHORT))));
    all
}

/// A short form with the bits that say which operation it is.
fn begun(encoding: &Encoding, word: &Word) -> Word {
    const OPERATION: BitRange = BitRange::new(0, 7);
    let mut word = word.clone();
    word.insert_word(OPERATION, &encoding.pattern.value().slice(OPERATION));
    word
}
