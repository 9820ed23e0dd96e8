//! Mnemonics that the description has, but not with these features or this gen: what a message about one says.

use std::collections::BTreeMap;

use isaglot_codec::{Plan, missing_features, obstacles};
use isaglot_model::FeatureId;

use super::index;

/// Why a mnemonic is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lacking {
    /// Sets of features, each of which would give it.
    pub features: Vec<Vec<FeatureId>>,
}

impl Lacking {
    /// For people: "the feature `zba`", "the features `c` and `d`".
    #[must_use]
    pub fn needs(&self, plan: &Plan<'_>) -> Option<String> {
        let name = |feature: &FeatureId| format!("`{}`", plan.isa()[*feature].name);
        let sets = self.features.iter().map(|set| set.iter().map(name).collect::<Vec<_>>().join(" and "));
        let sets: Vec<String> = sets.collect();
        let plural = self.features.first()?.len() > 1;
        Some(format!("the feature{} {}", if plural { "s" } else { "" }, sets.join(" or ")))
    }

    /// For people: the features that are on and go with none of these, "`zfinx`".
    #[must_use]
    pub fn excluded_by(&self, plan: &Plan<'_>) -> Option<String> {
        let found: Vec<Vec<FeatureId>> = self.features.iter().map(|set| obstacles(plan, set)).collect();
        let first = found.iter().all(|list| !list.is_empty()).then(|| found.first()).flatten()?;
        Some(first.iter().map(|&f| format!("`{}`", plan.isa()[f].name)).collect::<Vec<_>>().join(" and "))
    }
}

/// All such mnemonics of a plan.
pub(super) fn all(plan: &Plan<'_>) -> BTreeMap<String, Lacking> {
    let isa = plan.isa();
    let mut found: BTreeMap<String, Lacking> = BTreeMap::new();
    for &id in &isa[isa.root()].encodings {
        let encoding = &isa[id];
        if plan.active(encoding) {
            continue;
        }
        let features = missing_features(plan, encoding);
        for word in index::mnemonics(plan, encoding) {
            let lacking = found.entry(word).or_default();
            for set in &features {
                if !lacking.features.contains(set) {
                    lacking.features.push(set.clone());
                }
            }
        }
    }
    for lacking in found.values_mut() {
        let least = lacking.features.iter().map(Vec::len).min();
        lacking.features.retain(|set| Some(set.len()) == least);
    }
    found
}
