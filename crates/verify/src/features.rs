//! Which features matter: what a condition speaks of, and what these imply.

use isaglot_model::{Condition, FeatureId, Isa};

/// Every feature that a condition speaks of.
pub(crate) fn mentioned(condition: &Condition, out: &mut Vec<FeatureId>) {
    match condition {
        Condition::Always => {}
        Condition::Feature(f) => out.push(*f),
        Condition::Not(c) => mentioned(c, out),
        Condition::All(list) | Condition::Any(list) => list.iter().for_each(|c| mentioned(c, out)),
    }
}

/// These features and those that they imply, sorted.
pub(crate) fn closed(isa: &Isa, seed: Vec<FeatureId>) -> Vec<FeatureId> {
    let mut on = seed;
    let mut next = 0;
    while let Some(&f) = on.get(next) {
        next += 1;
        let more: Vec<FeatureId> = isa[f].implies.iter().copied().filter(|i| !on.contains(i)).collect();
        on.extend(more);
    }
    on.sort_unstable();
    on
}
