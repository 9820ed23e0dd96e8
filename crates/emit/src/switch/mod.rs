//! Quick programs as straight code, in either language: a function for every place that something goes to.
//!
//! The steps are those of the tables; only how they are run differs. What is rare is left to the runtime's functions.

mod c;
mod rust;

use std::collections::{BTreeMap, BTreeSet};

use isaglot_invariant::Impossible as _;

use crate::blueprint::Blueprint;
use crate::runtime::tables::{Code, NONE, Op, Run};

pub use c::write as c;
pub use rust::write as rust;

/// The places where programs begin, and those that choices lead to.
fn places(b: &Blueprint<'_>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut work: Vec<u32> = roots(b).into_iter().collect();
    while let Some(at) = work.pop() {
        if !found.insert(at) {
            continue;
        }
        for op in block(b, at) {
            match op.0 {
                Code::Jump | Code::JumpMany | Code::Call | Code::CallMany => work.extend(table(b, op)),
                Code::Goto => work.push(op.3),
                Code::If => work.extend(b.ifs.get(op.3 as usize).into_iter().flat_map(|i| [i.1, i.2])),
                Code::Sub => {
                    let Some(sub) = b.subs.get(op.3 as usize) else { continue };
                    work.extend(sub_targets(b, sub.2, sub.3));
                }
                _ => {}
            }
        }
    }
    found
}

/// The places where the programs of instructions begin.
fn roots(b: &Blueprint<'_>) -> BTreeSet<u32> {
    let from = b.spaces.get(b.root as usize).map(|space| space.first as usize).or_impossible(0);
    let to = b.spaces.get(b.root as usize + 1).map_or(b.leaves.len(), |space| space.first as usize);
    b.leaves.get(from..to).or_impossible(&[]).iter().map(|leaf| leaf.program).collect()
}

fn sub_targets(b: &Blueprint<'_>, space: u32, from: u32) -> Vec<u32> {
    let first = b.spaces.get(space as usize).map(|space| space.first).or_impossible(0);
    let end = b.spaces.get(space as usize + 1).map_or(b.leaves.len() as u32, |space| space.first);
    let targets = b.targets.get(from as usize..(from + end - first) as usize).or_impossible(&[]);
    targets.iter().map(|target| target.0).collect()
}

/// The steps from a place on, to the one that ends them.
fn block<'b>(b: &'b Blueprint<'_>, at: u32) -> &'b [Op] {
    let rest = b.ops.get(at as usize..).or_impossible(&[]);
    let ends = |op: &Op| matches!(op.0, Code::End | Code::Bail | Code::Jump | Code::JumpMany | Code::Goto);
    let len = rest.iter().position(ends).map_or(rest.len(), |end| end + 1);
    rest.get(..len).or_impossible(rest)
}

/// The runs of a step.
fn runs(b: &Blueprint<'_>, op: &Op) -> Vec<Run> {
    match op.0 {
        Code::PickMany | Code::JumpMany | Code::CallMany => {
            let from = usize::from(op.1.2);
            b.runs.get(from..from + usize::from(op.1.0)).or_impossible(&[]).to_vec()
        }
        _ => [op.1, op.2].into_iter().filter(|run| run.2 != 0).collect(),
    }
}

/// The places of a choice, by its bits.
fn table(b: &Blueprint<'_>, op: &Op) -> Vec<u32> {
    let bits: u32 = runs(b, op).iter().map(|run| run.2.count_ones()).sum();
    b.jumps.get(op.3 as usize..op.3 as usize + (1 << bits)).or_impossible(&[]).to_vec()
}

/// The bits that lead to each place, as ranges; the place that most lead to comes last.
fn arms(table: &[u32]) -> Vec<(u32, Vec<(usize, usize)>)> {
    let mut by_place: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for (i, &place) in table.iter().enumerate() {
        let ranges = by_place.entry(place).or_default();
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == i => last.1 = i,
            _ => ranges.push((i, i)),
        }
    }
    let mut arms: Vec<_> = by_place.into_iter().collect();
    arms.sort_by_key(|(place, ranges)| (ranges.len(), *place));
    arms
}

/// How long the texts are that a step picks from, and whether each of them is there.
fn shape(b: &Blueprint<'_>, op: &Op) -> (usize, bool) {
    let bits: u32 = runs(b, op).iter().map(|run| run.2.count_ones()).sum();
    let entries = b.picks.get(op.3 as usize..op.3 as usize + (1 << bits)).or_impossible(&[]);
    let there = entries.iter().filter(|&&entry| entry != NONE);
    (there.map(|entry| (entry & 255) as usize).max().unwrap_or(0), !entries.contains(&NONE))
}

/// The different ways to make an index, numbered.
#[derive(Default)]
struct Indices {
    known: BTreeMap<Vec<Run>, usize>,
}

impl Indices {
    /// The number of a step's way; `None` if it looks at no bits.
    fn of(&mut self, b: &Blueprint<'_>, op: &Op) -> Option<usize> {
        let runs = runs(b, op);
        if runs.is_empty() {
            return None;
        }
        let next = self.known.len();
        Some(*self.known.entry(runs).or_insert(next))
    }

    /// All of them, by number.
    fn all(self) -> Vec<(Vec<Run>, usize)> {
        let mut all: Vec<_> = self.known.into_iter().collect();
        all.sort_by_key(|(_, n)| *n);
        all
    }
}
