//! Words around given ones, for descriptions whose words are checked by more than their fields.
//!
//! The problem: where a word has many fields with reserved values, a word with its free bits all set is refused for ten reasons at the same time,
//! and what an eleventh one does is not seen. The method: from a word that is accepted one step is made: each bit inverted, each field at its
//! corners, small fields at all values. What is accepted is found by trying: fields get values that have a meaning until a word is accepted.

use std::collections::BTreeSet;

use isaglot_bits::{BitRange, Word};
use isaglot_model::{Encoding, FieldType, Isa};

use super::corners::{fields, with_value};
use super::{Random, flipped, within};
use crate::limits::{ALL_VALUES_BITS, BASE_TRIES};

/// Words of an encoding that are accepted, at most `count`.
pub(crate) fn accepted(
    isa: &Isa,
    encoding: &Encoding,
    seed: u32,
    count: usize,
    is_accepted: &mut dyn FnMut(&Word) -> bool,
) -> Vec<Word> {
    let mut random = Random::new(u64::from(seed) ^ 0xACCE_97ED);
    let fields = meaningful(isa, encoding);
    let mut all = Vec::new();
    for attempt in 0..BASE_TRIES {
        if all.len() >= count {
            break;
        }
        let mut word = random.word(encoding.width);
        // Some words are sparse: fields that mean nothing when they are set are 0 then.
        if attempt % 2 == 0 {
            word = word.and(&random.word(encoding.width)).and(&random.word(encoding.width));
        }
        for (ranges, values) in &fields {
            if let Some(value) = values.get(random.next() as usize % values.len().max(1)) {
                word = with_value(&word, ranges, value);
            }
        }
        let word = within(&encoding.pattern, &word);
        if is_accepted(&word) && !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// One step from a word. With `all_values`, fields of up to [`ALL_VALUES_BITS`] bits get all their values.
pub(crate) fn around(isa: &Isa, encoding: &Encoding, word: &Word, all_values: bool, words: &mut BTreeSet<Word>) {
    words.insert(word.clone());
    words.extend((0..encoding.width).map(|bit| flipped(word, bit)));
    for (ranges, values) in fields(isa, encoding) {
        let width: u32 = ranges.iter().map(|range| range.width).sum();
        if all_values && width <= ALL_VALUES_BITS {
            words.extend((0..1_u64 << width).map(|value| with_value(word, &ranges, &Word::from_u64(value, width))));
        } else {
            words.extend(values.iter().map(|value| with_value(word, &ranges, value)));
        }
    }
}

/// The bits of the fields whose values are not all alike, with those that have a meaning.
fn meaningful(isa: &Isa, encoding: &Encoding) -> Vec<(Vec<BitRange>, Vec<Word>)> {
    let mut all: Vec<(Vec<BitRange>, Vec<Word>)> = Vec::new();
    for field in encoding.cases.iter().flat_map(|case| &case.fields) {
        let ranges: Vec<BitRange> = field.source.ranges().collect();
        let width: u32 = ranges.iter().map(|range| range.width).sum();
        let values: Vec<Word> = match field.ty {
            FieldType::Enum(id) => {
                let fit = isa[id].values.iter().filter(|v| width >= 64 || v.value >> width == 0);
                fit.map(|v| Word::from_u64(v.value, width)).collect()
            }
            FieldType::Sub(space) => {
                let patterns = isa[space].encodings.iter().map(|&id| isa[id].pattern.resized(width));
                patterns.flat_map(|p| [p.value().clone(), within(&p, &Word::ones(width))]).collect()
            }
            _ => continue,
        };
        if !values.is_empty() && !all.iter().any(|(known, _)| *known == ranges) {
            all.push((ranges, values));
        }
    }
    all
}
