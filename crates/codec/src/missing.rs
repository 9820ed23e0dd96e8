//! Which features would give a plan an encoding that it lacks: for messages such as "`add.uw` needs `zba`".
//!
//! Found by trying: the features that the encoding's condition names, and that are off, are switched on one at a time, then
//! in twos, then in threes, each with what it implies, until the condition holds.

use std::collections::BTreeSet;

use isaglot_model::{Condition, Encoding, FeatureId};

use crate::Plan;
use crate::limits::{MAX_MISSING_FEATURES, MAX_MISSING_SETS};

/// The smallest sets of features that would switch an encoding on; empty if it is on, if no set of up to
/// [`MAX_MISSING_FEATURES`] does it, or if it is of other gens.
#[must_use]
pub fn missing_features(plan: &Plan<'_>, encoding: &Encoding) -> Vec<Vec<FeatureId>> {
    if plan.active(encoding) || !encoding.gens.contains(plan.generation()) {
        return Vec::new();
    }
    let mut named = BTreeSet::new();
    names(&encoding.condition, &mut named);
    let off: Vec<FeatureId> = named.into_iter().filter(|&f| !plan.feature(f)).collect();
    let mut sets: Vec<Vec<FeatureId>> = off.iter().map(|&f| vec![f]).collect();
    for _ in 0..MAX_MISSING_FEATURES {
        let good: Vec<Vec<FeatureId>> = sets.iter().filter(|set| holds(plan, encoding, set)).cloned().collect();
        if !good.is_empty() {
            return good;
        }
        let larger = sets.iter().flat_map(|set| {
            let after = off.iter().filter(|&f| set.last().is_some_and(|last| f > last));
            after.map(|&f| set.iter().copied().chain([f]).collect())
        });
        sets = larger.take(MAX_MISSING_SETS).collect();
    }
    Vec::new()
}

fn names(condition: &Condition, out: &mut BTreeSet<FeatureId>) {
    match condition {
        Condition::Always => {}
        Condition::Feature(feature) => {
            out.insert(*feature);
        }
        Condition::Not(inner) => names(inner, out),
        Condition::All(list) | Condition::Any(list) => list.iter().for_each(|inner| names(inner, out)),
    }
}

/// Whether the condition of an encoding holds with these features too.
fn holds(plan: &Plan<'_>, encoding: &Encoding, set: &[FeatureId]) -> bool {
    let on = plan.isa().implied(set);
    encoding.condition.holds(&|feature| plan.feature(feature) || on.get(feature.index()).copied().unwrap_or(false))
}
