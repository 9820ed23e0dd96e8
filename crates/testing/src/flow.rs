//! Definitions and liveness by what the words mean: a walk from step to step, which knows nothing of blocks or bit sets.
//! Dataflow is held against it on programs that are small.

use std::collections::BTreeSet;

/// A step of a program: the values that it reads, the one that it writes, and where control goes.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// What it reads.
    pub reads: Vec<u32>,
    /// What it writes.
    pub write: Option<u32>,
    /// The places of the steps that may come next.
    pub nexts: Vec<usize>,
}

/// Where each step comes from.
#[must_use]
pub fn preds(steps: &[&Step]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); steps.len()];
    for (at, step) in steps.iter().enumerate() {
        step.nexts.iter().for_each(|&next| all[next].push(at));
    }
    all
}

/// The steps that define what `at` reads as `value`.
#[must_use]
pub fn definitions(steps: &[&Step], preds: &[Vec<usize>], at: usize, value: u32) -> BTreeSet<u32> {
    let (mut found, mut seen, mut left) = (BTreeSet::new(), BTreeSet::new(), preds[at].clone());
    while let Some(p) = left.pop() {
        if !seen.insert(p) {
            continue;
        }
        if steps[p].write == Some(value) {
            found.insert(p as u32);
        } else {
            left.extend(&preds[p]);
        }
    }
    found
}

/// Whether some way from `at` on reads `value` before it is written.
#[must_use]
pub fn live(steps: &[&Step], at: usize, value: u32) -> bool {
    let (mut seen, mut left) = (BTreeSet::new(), vec![at]);
    while let Some(i) = left.pop() {
        if !seen.insert(i) {
            continue;
        }
        if steps[i].reads.contains(&value) {
            return true;
        }
        if steps[i].write != Some(value) {
            left.extend(&steps[i].nexts);
        }
    }
    false
}
