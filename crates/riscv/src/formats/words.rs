//! Exact sets of words, as patterns that have no word in common.

use isaglot_bits::{Count, Pattern, Word};

use super::{Encoding, Field};

/// The words of an encoding: those of its pattern without the values and patterns that it leaves out.
pub fn of(encoding: &Encoding) -> Vec<Pattern> {
    let values =
        encoding.fields.iter().flat_map(|field| field.not.iter().filter_map(|&value| with(encoding, field, value)));
    let holes: Vec<Pattern> = values.chain(encoding.except.iter().cloned()).collect();
    minus(std::slice::from_ref(&encoding.pattern), &holes)
}

/// The words of an encoding in which a field has a value; nothing if no word has it there.
pub fn with(encoding: &Encoding, field: &Field, value: u64) -> Option<Pattern> {
    let width = field.bits.len() as u32;
    if width < 64 && value >> width != 0 {
        return None;
    }
    let mut pattern = encoding.pattern.clone();
    for (bit, place) in (0..width).rev().zip(&field.bits) {
        let wanted = value >> bit.min(63) & 1 == 1;
        match *place {
            Some(at) if pattern.bit(at).is_some_and(|fixed| fixed != wanted) => return None,
            Some(at) => pattern = pattern.with_bit(at, wanted),
            None if wanted => return None,
            None => {}
        }
    }
    Some(pattern)
}

/// The words of `a` that are not in `b`.
pub fn minus(a: &[Pattern], b: &[Pattern]) -> Vec<Pattern> {
    b.iter().fold(a.to_vec(), |left, hole| {
        if left.iter().all(|cube| !cube.overlaps(hole)) {
            return left;
        }
        left.iter().flat_map(|cube| cube.subtract(hole)).collect()
    })
}

/// The words in both.
pub fn common(a: &[Pattern], b: &[Pattern]) -> Vec<Pattern> {
    a.iter().flat_map(|cube| b.iter().filter_map(|other| cube.intersect(other))).collect()
}

/// Adds words.
pub fn add(a: &mut Vec<Pattern>, b: &[Pattern]) {
    let fresh = minus(b, a);
    a.extend(fresh);
}

/// Whether every word of `b` is in `a`.
pub fn contains(a: &[Pattern], b: &[Pattern]) -> bool {
    minus(b, a).is_empty()
}

/// How many.
pub fn count(words: &[Pattern]) -> Count {
    words.iter().fold(Count::zero(), |mut sum, cube| {
        sum.add(&cube.count());
        sum
    })
}

/// The smallest.
pub fn smallest(words: &[Pattern]) -> Option<Word> {
    words.iter().map(Pattern::witness).min_by(|a, b| a.limbs().iter().rev().cmp(b.limbs().iter().rev()))
}
