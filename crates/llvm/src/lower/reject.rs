//! Words that are not an instruction, as patterns.
//!
//! The problem: a table refuses values of operands, operands that are equal, or whatever a formula over fields says; a decoder only
//! compares masked bits. The method: the values of all bits in question are tried, and the table of answers is split at its most
//! significant bit until each part has one answer, so that a range is few patterns.

use std::collections::BTreeMap;

use isaglot_bits::{Pattern, Word};
use rustc_hash::FxHashMap;

use super::values::patterns;
use crate::limits::MAX_LISTED_BITS;
use crate::table::formula::Formula;
use crate::table::{InstFact, ValueSet};
use crate::target::inst::{Inst, Places};

/// Adds the words of `width` bits for which the bits at `places` have a value that is refused, as patterns.
///
/// Example: a field of two bits, its bit 0 at bit 7 and its bit 1 at bit 12 of the word, refuses 2 and 3. The table of its
/// four values is `[no, no, yes, yes]`: all of the upper half is refused, so one pattern is enough, "bit 12 is 1".
pub(super) fn reject(places: &Places, refused: &dyn Fn(u64) -> bool, width: u32, out: &mut Vec<Pattern>) {
    let bits: Vec<(u32, u32)> = (0u32..).zip(places).filter_map(|(i, at)| Some((i, (*at)?))).collect();
    if bits.len() as u32 > MAX_LISTED_BITS {
        // Too many to try; that nothing is set is the only thing asked of wide operands.
        if refused(0) && !refused(1) {
            out.push(cube(&bits.iter().map(|&(_, at)| (at, false)).collect::<Vec<_>>(), width));
        }
        return;
    }
    // The most significant first, so that ranges are few cubes.
    let mut values: Vec<u64> = Vec::with_capacity(1 << bits.len());
    values.push(0);
    for &(i, _) in &bits {
        let below = values.len();
        values.extend_from_within(..);
        values.iter_mut().skip(below).for_each(|value| *value |= 1 << i.min(63));
    }
    let table: Vec<bool> = values.into_iter().map(refused).collect();
    let mut fixed = Vec::new();
    split(&table, &bits, &mut fixed, width, out);
}

/// The same for a set of values, of fields of any width.
pub(super) fn reject_set(places: &Places, set: &ValueSet, width: u32, out: &mut Vec<Pattern>) {
    if places.iter().flatten().count() as u32 <= MAX_LISTED_BITS {
        return reject(places, &|value| set.holds(value), width, out);
    }
    for pattern in patterns(set, places.len() as u32) {
        let wanted = |(i, at): (u32, &Option<u32>)| Some((*at, pattern.bit(i)?));
        let fixed: Vec<(Option<u32>, bool)> = (0..).zip(places).filter_map(wanted).collect();
        // A bit that the word does not hold is 0.
        if fixed.iter().all(|&(at, one)| at.is_some() || !one) {
            let fixed: Vec<(u32, bool)> = fixed.into_iter().filter_map(|(at, one)| Some((at?, one))).collect();
            out.push(cube(&fixed, width));
        }
    }
}

/// The places of bits, the kind of a set of values with its two numbers, and the width of the word.
type Asked = (Places, (u8, u64, u64), u32);

/// What facts refuse, worked out once: the same bits of most instructions of a class refuse the same values.
#[derive(Default)]
pub(super) struct Refused {
    known: FxHashMap<Asked, Vec<Pattern>>,
    /// Of fields that are equal, by their places and the width of the word.
    equal: FxHashMap<(Places, Places, u32), Vec<Pattern>>,
}

impl Refused {
    /// Adds what [`reject_set`] does.
    pub(super) fn add(&mut self, places: &Places, set: &ValueSet, width: u32, out: &mut Vec<Pattern>) {
        let kind = match *set {
            ValueSet::Range(from, to) => (0, from, to),
            ValueSet::Mask(care, value) => (1, care, value),
            ValueSet::Negative => (2, 0, 0),
            ValueSet::Top(bits, value) => (3, bits.into(), value),
            ValueSet::Any => (4, 0, 0),
        };
        let known = self.known.entry((places.clone(), kind, width)).or_insert_with(|| {
            let mut own = Vec::new();
            reject_set(places, set, width, &mut own);
            own
        });
        out.extend_from_slice(known);
    }

    /// Adds what [`reject_equal`] does.
    pub(super) fn add_equal(&mut self, a: &Places, b: &Places, width: u32, out: &mut Vec<Pattern>) {
        let known = self.equal.entry((a.clone(), b.clone(), width)).or_insert_with(|| {
            let mut own = Vec::new();
            reject_equal(a, b, width, &mut own);
            own
        });
        out.extend_from_slice(known);
    }
}

fn split(table: &[bool], bits: &[(u32, u32)], fixed: &mut Vec<(u32, bool)>, width: u32, out: &mut Vec<Pattern>) {
    if table.iter().all(|refused| !refused) {
        return;
    }
    let (Some((&(_, at), rest)), false) = (bits.split_last(), table.iter().all(|refused| *refused)) else {
        out.push(cube(fixed, width));
        return;
    };
    let (low, high) = table.split_at(table.len() / 2);
    if low == high {
        return split(low, rest, fixed, width, out);
    }
    for (half, one) in [(low, false), (high, true)] {
        fixed.push((at, one));
        split(half, rest, fixed, width, out);
        fixed.pop();
    }
}

fn cube(fixed: &[(u32, bool)], width: u32) -> Pattern {
    let (mut value, mut care) = (Word::zero(width), Word::zero(width));
    for &(at, one) in fixed.iter().filter(|(at, _)| *at < width) {
        care.set_bit(at, true);
        value.set_bit(at, one);
    }
    Pattern::new(&value, care)
}

/// Adds the words in which two fields have one value; at most as many as a field of [`MAX_LISTED_BITS`] / 2 bits has.
fn reject_equal(a: &Places, b: &Places, width: u32, out: &mut Vec<Pattern>) {
    let count = a.len().max(b.len());
    if count as u32 > MAX_LISTED_BITS / 2 {
        return;
    }
    'values: for value in 0..1u64 << count {
        let mut fixed = Vec::new();
        for places in [a, b] {
            for bit in 0..count {
                let one = value >> bit & 1 == 1;
                match places.get(bit).copied().flatten() {
                    Some(at) => fixed.push((at, one)),
                    None if one => continue 'values,
                    None => {}
                }
            }
        }
        out.push(cube(&fixed, width));
    }
}

/// Adds the words for which a formula over fields is not 0; what is wrong with the formula if it cannot be tried.
///
/// Bits of the same weight are next to each other, so that comparisons of two fields are few patterns.
pub(super) fn reject_where(
    fields: &BTreeMap<String, Places>,
    formula: &Formula,
    width: u32,
    out: &mut Vec<Pattern>,
) -> Result<(), String> {
    let mut names = Vec::new();
    formula.names(&mut names);
    let mut bits: Vec<(usize, u32, u32)> = Vec::new();
    for (field, name) in names.iter().enumerate() {
        let Some(places) = fields.get(*name) else { return Err(format!("nothing is called `{name}` here")) };
        bits.extend((0u32..).zip(places).filter_map(|(i, at)| Some((field, i, (*at)?))));
    }
    if bits.len() as u32 > MAX_LISTED_BITS {
        return Err(format!(
            "the fields of the formula have {} bits; at most {MAX_LISTED_BITS} can be tried",
            bits.len()
        ));
    }
    bits.sort_unstable_by_key(|&(field, i, _)| (i, field));
    let mut table = Vec::with_capacity(1 << bits.len());
    for index in 0..1u64 << bits.len() {
        let value = |name: &str| {
            let field = names.iter().position(|known| *known == name)?;
            let own = (0u32..).zip(&bits).filter(|(_, (of, ..))| *of == field);
            Some(own.fold(0i64, |value, (n, &(_, i, _))| value | ((index >> n & 1) as i64) << i.min(63)))
        };
        let Some(value) = formula.value(&value) else { return Err("features cannot be tried here".to_owned()) };
        table.push(value != 0);
    }
    let places: Vec<(u32, u32)> = bits.iter().map(|&(_, i, at)| (i, at)).collect();
    split(&table, &places, &mut Vec::new(), width, out);
    Ok(())
}

/// Adds the words in which two fields differ: two patterns for each bit that both have.
fn reject_unequal(a: &Places, b: &Places, width: u32, out: &mut Vec<Pattern>) {
    for (a, b) in a.iter().zip(b) {
        if let (Some(a), Some(b)) = (*a, *b) {
            out.extend([true, false].map(|one| cube(&[(a, one), (b, !one)], width)));
        }
    }
}

/// The words of an instruction in which a field that is there twice has two values.
pub(super) fn reject_copies(inst: &Inst<'_>, width: u32, out: &mut Vec<Pattern>) {
    for (name, places) in &inst.copies {
        if let Some(own) = inst.fields.get(name) {
            reject_unequal(own, places, width, out);
        }
    }
}

/// What a fact refuses.
#[derive(PartialEq)]
enum Refusal<'f> {
    Equal(&'f str, &'f str),
    Set(&'f str, &'f ValueSet),
    If(&'f Formula),
}

/// Whether two instructions with the same bits refuse the same words: otherwise each may be the one that a word is.
pub(super) fn refuse_alike(one: &[InstFact], other: &[InstFact]) -> bool {
    fn refusal(fact: &InstFact) -> Option<Refusal<'_>> {
        match fact {
            InstFact::RejectEqual(a, b) => Some(Refusal::Equal(a, b)),
            InstFact::Reject(name, set) => Some(Refusal::Set(name, set)),
            InstFact::RejectIf(formula, _) => Some(Refusal::If(formula)),
            _ => None,
        }
    }
    one.iter().filter_map(refusal).eq(other.iter().filter_map(refusal))
}
