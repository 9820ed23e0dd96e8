//! Basic blocks: where control can come in, and where it can go.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_invariant::Impossible as _;

use crate::steps::{Next, Step};

/// A basic block.
pub(crate) struct Block {
    /// Its instructions: from this one up to but not including that one.
    pub(crate) steps: std::ops::Range<usize>,
    /// Blocks to which control goes, ascending; not those that it calls.
    pub(crate) succs: Vec<u32>,
    /// Blocks from which it comes, ascending.
    pub(crate) preds: Vec<u32>,
}

/// The blocks of a program, in its order.
pub(crate) fn blocks(steps: &[Step]) -> Vec<Block> {
    let by_pc: BTreeMap<u64, usize> = steps.iter().enumerate().map(|(at, s)| (s.pc, at)).collect();
    // A target inside an instruction begins no block.
    let place = |target: Option<u64>| target.and_then(|pc| by_pc.get(&pc).copied());
    let mut starts: BTreeSet<usize> = BTreeSet::from([0]);
    for (at, step) in steps.iter().enumerate() {
        // What has a name may be come to from elsewhere.
        starts.extend(step.label.is_some().then_some(at));
        let (target, ends) = match step.next {
            Next::Through => (None, false),
            Next::To { target, .. } => (place(target), true),
            Next::Call { target } => (place(target), false),
            Next::Away => (None, true),
        };
        starts.extend(target);
        if ends {
            starts.insert(at + 1);
        }
    }
    starts.retain(|&at| at < steps.len());
    let starts: Vec<usize> = starts.into_iter().collect();
    let block_of = |at: usize| starts.binary_search(&at).ok().map(|b| b as u32);
    let mut all: Vec<Block> = Vec::new();
    for (n, &start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(steps.len());
        let mut succs = BTreeSet::new();
        match steps.get(end.saturating_sub(1)).map(|s| s.next) {
            Some(Next::To { target, may }) => {
                succs.extend(place(target).and_then(block_of));
                if may {
                    succs.extend(block_of(end));
                }
            }
            Some(Next::Away) | None => {}
            Some(Next::Through | Next::Call { .. }) => succs.extend(block_of(end)),
        }
        all.push(Block { steps: start..end, succs: succs.into_iter().collect(), preds: Vec::new() });
    }
    for from in 0..all.len() {
        let succs = all.get(from).map(|b| b.succs.clone()).or_impossible_default();
        for to in succs {
            if let Some(block) = all.get_mut(to as usize) {
                block.preds.push(from as u32);
            }
        }
    }
    all
}
