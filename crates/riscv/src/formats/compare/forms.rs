//! The instructions of a table by the names that all formats share.
//!
//! Formats cut differently: one has an instruction for each ordering of memory, another has two fields; one has a form for each
//! width of registers, another has one of each name. So an instruction is split where a field is part of a name, names are mapped by
//! rules, and all that has one name then is one *form*: a set of words.

use std::collections::BTreeMap;

use isaglot_bits::{Pattern, Word};

use super::rules::Rules;
use crate::Xlen;
use crate::formats::opcodes::dict::segment_name;
use crate::formats::{Encoding, Instruction, Table, words};

/// All that a table has under one name, for one width of registers and of instructions.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Its words, as patterns without a common word.
    pub words: Vec<Pattern>,
    /// The instructions in the table.
    pub members: Vec<usize>,
    /// All of it is another reading of words of other instructions.
    pub reading: bool,
}

/// Forms by width of the instruction and name.
pub type Forms = BTreeMap<(u32, String), Form>;

/// The forms of a table for a width of registers.
pub fn forms(table: &Table, xlen: Xlen, rules: &Rules) -> Forms {
    let mut forms = Forms::new();
    for (index, instruction) in table.instructions.iter().enumerate() {
        let Some(encoding) = instruction.encoding(xlen) else { continue };
        let all = words::of(encoding);
        for (name, pattern) in splits(instruction, encoding, rules) {
            let part = match &pattern {
                Some(pattern) => words::common(&all, std::slice::from_ref(pattern)),
                None => all.clone(),
            };
            if part.is_empty() {
                continue;
            }
            let reading = instruction.special_case_of.is_some();
            let form = forms.entry((encoding.width, rules.name(&name)));
            let form = form.or_insert_with(|| Form { reading, ..Form::default() });
            words::add(&mut form.words, &part);
            form.reading &= reading;
            if form.members.last() != Some(&index) {
                form.members.push(index);
            }
        }
    }
    forms
}

/// The names that an instruction stands for, each with the words of it.
fn splits(instruction: &Instruction, encoding: &Encoding, rules: &Rules) -> Vec<(String, Option<Pattern>)> {
    let place = |name: &String| encoding.fields.iter().find(|field| field.name == *name);
    for split in &rules.splits {
        let fields: Option<Vec<_>> = split.fields.iter().map(place).collect();
        let Some(fields) = fields else { continue };
        let bits: Vec<Option<u32>> = fields.iter().flat_map(|field| field.bits.iter().copied()).collect();
        let named = split.suffixes.iter().zip(0u64..);
        return named
            .map(|(suffix, value)| (format!("{}{suffix}", instruction.name), at(encoding, &bits, value)))
            .collect();
    }
    if let Some(field) = rules.segments.iter().find_map(place) {
        let count = 1u64 << field.bits.len().min(8);
        let named = (0..count).map(|value| (segment_name(&instruction.name, value), at(encoding, &field.bits, value)));
        return named.collect();
    }
    vec![(instruction.name.clone(), None)]
}

/// All words in which these bits have a value.
fn at(encoding: &Encoding, bits: &[Option<u32>], value: u64) -> Option<Pattern> {
    let pattern = Pattern::any(encoding.width);
    let mut places = (0..bits.len()).rev().zip(bits);
    Some(
        places
            .try_fold(pattern, |pattern, (bit, place)| {
                place.map(|place| pattern.with_bit(place, value >> bit & 1 == 1)).ok_or(())
            })
            .unwrap_or_else(|()| Pattern::exact(Word::zero(encoding.width))),
    )
}
