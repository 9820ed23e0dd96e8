//! Which bits of which field of one format an argument of another is.
//!
//! Where both have an instruction of one name with the same fixed bits, the bits of the word that an argument takes are bits of the
//! value of a field on the other side. An argument is the same in every instruction, or each way of it is told.

use std::collections::BTreeMap;

use super::rules::Rules;
use crate::Xlen;
use crate::formats::{Field, Table};

/// An argument as bits of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The argument.
    pub argument: String,
    /// The field.
    pub field: String,
    /// For each bit of the argument, most significant first, the bit of the field's value.
    pub bits: Vec<u32>,
}

/// The places of all arguments of `a` in fields of `b`, each with the names of the instructions that agree.
pub fn places(a: &Table, b: &Table, rules: &Rules) -> BTreeMap<Place, Vec<String>> {
    let mut found: BTreeMap<Place, Vec<String>> = BTreeMap::new();
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let mut others: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, instruction) in b.instructions.iter().enumerate() {
            others.entry(rules.name(&instruction.name)).or_default().push(index);
        }
        for instruction in &a.instructions {
            let Some(encoding) = instruction.encoding(xlen) else { continue };
            let same = others.get(&rules.name(&instruction.name)).into_iter().flatten();
            let same = same.filter_map(|&index| b.instructions.get(index)?.encoding(xlen));
            for other in same.filter(|other| other.pattern == encoding.pattern) {
                for place in encoding.fields.iter().filter_map(|argument| place(argument, &other.fields)) {
                    let names = found.entry(place).or_default();
                    if names.last() != Some(&instruction.name) {
                        names.push(instruction.name.clone());
                    }
                }
            }
        }
    }
    found
}

/// The field that has all bits of an argument.
fn place(argument: &Field, fields: &[Field]) -> Option<Place> {
    let of = |field: &Field| {
        let bit = |place: &Option<u32>| {
            let at = field.bits.iter().position(|other| other.is_some() && other == place)?;
            Some((field.bits.len() - 1 - at) as u32)
        };
        let bits: Option<Vec<u32>> = argument.bits.iter().map(bit).collect();
        Some(Place { argument: argument.name.clone(), field: field.name.clone(), bits: bits? })
    };
    fields.iter().find_map(of)
}
