//! Which features would give a plan an encoding that it lacks: for messages such as "`add.uw` needs `zba`".
//!
//! Found by trying: the features that the encoding's condition names, and that are off, are switched on one at a time, then
//! in twos, then in threes, each with what it implies, until the condition holds. A set that goes together with the features that are on comes before one that does not.

use std::collections::BTreeSet;

use isaglot_model::{Encoding, FeatureId};

use crate::Plan;
use crate::limits::{MAX_MISSING_FEATURES, MAX_MISSING_SETS};

/// The smallest sets of features that would switch an encoding on; empty if it is on, if no set of up to
/// [`MAX_MISSING_FEATURES`] does it, or if it is of other gens. Those that nothing
/// that is on [excludes](obstacles), if there are any.
#[must_use]
pub fn missing_features(plan: &Plan<'_>, encoding: &Encoding) -> Vec<Vec<FeatureId>> {
    if plan.active(encoding) || !encoding.gens.contains(plan.generation()) {
        return Vec::new();
    }
    let named: BTreeSet<FeatureId> = encoding.condition.features().into_iter().collect();
    let off: Vec<FeatureId> = named.into_iter().filter(|&f| !plan.feature(f)).collect();
    let mut sets: Vec<Vec<FeatureId>> = off.iter().map(|&f| vec![f]).collect();
    for _ in 0..MAX_MISSING_FEATURES {
        let good: Vec<Vec<FeatureId>> = sets.iter().filter(|set| holds(plan, encoding, set)).cloned().collect();
        let fitting: Vec<Vec<FeatureId>> = good.iter().filter(|set| obstacles(plan, set).is_empty()).cloned().collect();
        if !good.is_empty() {
            return if fitting.is_empty() { good } else { fitting };
        }
        let larger = sets.iter().flat_map(|set| {
            let after = off.iter().filter(|&f| set.last().is_some_and(|last| f > last));
            after.map(|&f| set.iter().copied().chain([f]).collect())
        });
        sets = larger.take(MAX_MISSING_SETS).collect();
    }
    Vec::new()
}

/// The features that are on and cannot be on together with these.
#[must_use]
pub fn obstacles(plan: &Plan<'_>, set: &[FeatureId]) -> Vec<FeatureId> {
    let with: Vec<FeatureId> = plan.features().chain(set.iter().copied()).collect();
    let conflicts = plan.isa().conflicts(&with).into_iter().flat_map(|(one, others)| others.into_iter().chain([one]));
    let found: BTreeSet<FeatureId> = conflicts.filter(|&f| plan.feature(f)).collect();
    found.into_iter().collect()
}

/// Whether the condition of an encoding holds with these features too.
fn holds(plan: &Plan<'_>, encoding: &Encoding, set: &[FeatureId]) -> bool {
    let on = plan.isa().implied(set);
    encoding.condition.holds(&|feature| plan.feature(feature) || on.get(feature.index()).copied().unwrap_or(false))
}
