//! The words of one encoding at which something can go wrong, and those beside it.
//!
//! A field is tried at 0, 1, its greatest value, its sign bit, the greatest number without it, and at each value that has a text of
//! its own and at one that has none; all of that with the other free bits 0, 1 and mixed. A nested field is tried at each encoding of
//! its space. Each two fields are tried at their corners, fields that one guard reads in more ways. Each fixed bit is flipped, and each fixed bit of an exception.

use std::collections::BTreeSet;

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_invariant::Impossible as _;
use isaglot_model::{Encoding, Field, FieldType, Isa};

use super::{Bag, Random, backgrounds, flipped, within};
use crate::limits::{COUPLED_BITS, MAX_ENUM_VALUES, RANDOM_ACCEPTED};

/// Adds the words of an encoding and those beside it. `seed` tells encodings apart.
pub(super) fn of(bag: &mut Bag<'_, '_>, seed: u32, encoding: &Encoding) {
    let (isa, bits) = (bag.plan.isa(), bag.bits);
    let mut random = Random::new(u64::from(seed));
    let mixed = random.word(bits);
    let pattern = &encoding.pattern;
    bag.add_corners(pattern, &mixed);
    pairs(bag, &within(pattern, &Word::zero(bits)), &fields(isa, encoding));
    for _ in 0..RANDOM_ACCEPTED {
        let free = random.word(bits);
        bag.add(within(pattern, &free));
    }
    for background in backgrounds(bits, &mixed) {
        let word = within(pattern, &background);
        // Each free bit alone, and each neighbour of the pattern.
        (0..bits).for_each(|bit| bag.add(flipped(&word, bit)));
        for (ranges, values) in fields(isa, encoding) {
            for value in values {
                bag.add(with_value(&word, &ranges, &value));
            }
        }
        for ranges in couples(isa, encoding) {
            coupled(bag, &word, &ranges);
        }
        for except in encoding.except.iter().filter_map(|except| except.intersect(pattern)) {
            let inside = within(&except, &background);
            for bit in except.care().and_not(pattern.care()).ones_iter() {
                bag.add(flipped(&inside, bit));
            }
            bag.add(inside);
        }
    }
}

/// The bits of each field, the most significant range first, with the values to try. A field that several cases define alike is there once.
pub(crate) fn fields(isa: &Isa, encoding: &Encoding) -> Vec<(Vec<BitRange>, BTreeSet<Word>)> {
    let mut all: Vec<(Vec<BitRange>, BTreeSet<Word>)> = Vec::new();
    for field in encoding.cases.iter().flat_map(|case| &case.fields) {
        let ranges: Vec<BitRange> = field.source.ranges().collect();
        let width: u32 = ranges.iter().map(|range| range.width).sum();
        if width == 0 {
            continue;
        }
        let values = values(isa, field, width);
        match all.iter_mut().find(|(known, _)| *known == ranges) {
            Some((_, known)) => known.extend(values),
            None => all.push((ranges, values)),
        }
    }
    all
}

/// Adds a word with the corners of each two fields.
fn pairs(bag: &mut Bag<'_, '_>, word: &Word, fields: &[(Vec<BitRange>, BTreeSet<Word>)]) {
    for (at, (one, _)) in fields.iter().enumerate() {
        let width = |ranges: &[BitRange]| ranges.iter().map(|range| range.width).sum();
        for value in corners(width(one)) {
            let first = with_value(word, one, &value);
            for (other, _) in fields.iter().skip(at + 1) {
                corners(width(other)).iter().for_each(|value| bag.add(with_value(&first, other, value)));
            }
        }
    }
}

/// 0, 1, the sign bit and the greatest value.
pub(crate) fn corners(width: u32) -> [Word; 4] {
    let mut sign = Word::zero(width);
    sign.set_bit(width.saturating_sub(1), true);
    [Word::zero(width), Word::from_u64(1, width), sign, Word::ones(width)]
}

/// The values of a field's bits in the word that are tried.
fn values(isa: &Isa, field: &Field, width: u32) -> BTreeSet<Word> {
    let number = |value: u64| Word::from_u64(value, width);
    let ones = Word::ones(width);
    let mut sign = Word::zero(width);
    sign.set_bit(width - 1, true);
    let mut all = BTreeSet::from([number(0), number(1), sign.not(), sign, ones]);
    // Bits of the value that are not in the word come lowest or nowhere: a value is shifted by as many.
    let implied = field.width.saturating_sub(width).min(63);
    let is_value = |value: u64| width >= 64 || value >> implied < 1 << width;
    match field.ty {
        FieldType::Enum(id) => {
            let known: BTreeSet<u64> = isa[id].values.iter().map(|v| v.value).collect();
            let missing = (0..=known.len() as u64).find(|v| !known.contains(v));
            let tried = known.into_iter().take(MAX_ENUM_VALUES).chain(missing);
            all.extend(tried.filter(|v| is_value(*v)).map(|v| number(v >> implied)));
        }
        FieldType::Register(id) => {
            let names = &isa[id].names;
            let unnamed = names.iter().position(Option::is_none).unwrap_or(names.len());
            all.extend(
                [names.len() as u64, (names.len() as u64).saturating_sub(1), unnamed as u64]
                    .into_iter()
                    .filter(|v| is_value(*v))
                    .map(number),
            );
        }
        FieldType::Sub(space) => {
            for &id in isa[space].encodings.iter().take(MAX_ENUM_VALUES) {
                let pattern: Pattern = isa[id].pattern.resized(width);
                all.extend([within(&pattern, &Word::zero(width)), within(&pattern, &Word::ones(width))]);
                all.extend(pattern.care().ones_iter().map(|bit| flipped(pattern.value(), bit)));
            }
        }
        _ => {}
    }
    all
}

/// A word with a value in some of its bits, the most significant range first.
pub(crate) fn with_value(word: &Word, ranges: &[BitRange], value: &Word) -> Word {
    let mut word = word.clone();
    let mut top = value.width();
    for range in ranges {
        top = top.checked_sub(range.width).or_impossible(0);
        word.insert_word(*range, &value.slice(BitRange::new(top, range.width)));
    }
    word
}

/// The bits of the fields that each guard, and each computed field, reads.
fn couples(isa: &Isa, encoding: &Encoding) -> Vec<Vec<BitRange>> {
    let guards = encoding.cases.iter().filter_map(|case| case.guard);
    let mut all: Vec<Vec<BitRange>> = Vec::new();
    for guard in guards {
        let names = &isa[guard].fields;
        let fields = encoding.cases.iter().flat_map(|case| &case.fields).filter(|field| names.contains(&field.name));
        let mut ranges: Vec<BitRange> = fields.flat_map(|field| field.source.ranges()).collect();
        ranges.sort_by_key(|range| (range.lo, range.width));
        ranges.dedup();
        if !ranges.is_empty() && !all.contains(&ranges) {
            all.push(ranges);
        }
    }
    all
}

/// Adds a word with the values of coupled bits combined: all of them if they are few, else the corners of each range with those of
/// each other one.
fn coupled(bag: &mut Bag<'_, '_>, word: &Word, ranges: &[BitRange]) {
    let bits: BTreeSet<u32> = ranges.iter().flat_map(|range| range.lo..range.end()).collect();
    if bits.len() as u32 <= COUPLED_BITS {
        for value in 0..1_u32 << bits.len() {
            let mut word = word.clone();
            bits.iter().enumerate().for_each(|(at, &bit)| word.set_bit(bit, value >> at & 1 == 1));
            bag.add(word);
        }
        return;
    }
    for (at, one) in ranges.iter().enumerate() {
        for other in ranges.iter().skip(at + 1) {
            for value in corners(one.width) {
                let first = with_value(word, &[*one], &value);
                corners(other.width).iter().for_each(|value| bag.add(with_value(&first, &[*other], value)));
                // Many guards say that two fields are equal.
                if one.width == other.width {
                    bag.add(with_value(&first, &[*other], &value));
                }
            }
        }
    }
}
