//! Many words in one module.
//!
//! The invariant: no word of a lot defines an id that another one has anywhere, so none can say anything about another.

use std::collections::BTreeSet;

use isaglot_spirv::grammar::opcode;

use super::front::{Front, MARK, instruction};

/// Words that one module may have.
pub(super) const LOT: usize = 400;

/// A word in a module with others.
pub(super) struct Together {
    /// Its number among those that are asked about.
    pub(super) at: usize,
    pub(super) words: Vec<u32>,
    /// The id that it defines.
    pub(super) result: Option<u32>,
    /// What our side prints for it.
    pub(super) text: String,
}

/// Lots of words of which none defines an id that another one has anywhere.
pub(super) fn lots(mut open: Vec<Together>) -> Vec<Vec<Together>> {
    let mut lots = Vec::new();
    while !open.is_empty() {
        let (mut defined, mut had) = (BTreeSet::new(), BTreeSet::new());
        let (mut lot, mut rest) = (Vec::new(), Vec::new());
        for one in open {
            let others = one.words.iter().skip(1);
            let is_free =
                one.result.is_none_or(|id| !had.contains(&id)) && !others.clone().any(|id| defined.contains(id));
            if lot.len() >= LOT || !is_free {
                rest.push(one);
                continue;
            }
            had.extend(others.copied());
            defined.extend(one.result);
            lot.push(one);
        }
        lots.push(lot);
        open = rest;
    }
    lots
}

/// One module for a lot: what stands in front, and each word with its mark. And how many instructions stand in front.
pub(super) fn together(front: &Front, lot: &[Together]) -> (Vec<u32>, usize) {
    let (mut module, count) = front.module(lot.iter().flat_map(|one| one.words.iter().skip(1).copied()));
    for (number, one) in lot.iter().enumerate() {
        module.extend(&one.words);
        module.extend(instruction(opcode::OpLine, &[MARK, number as u32, 0]));
    }
    (module, count)
}
