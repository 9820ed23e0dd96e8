//! How much of each space is claimed, conflicts and is free: exact counts, per class of gens and features.
//!
//! A class is a set of gens and features for which the same encodings exist. Gens fall apart at the bounds that
//! encodings state; of features every combination is a class while they are few, otherwise all on and the defaults.

use isaglot_bits::{Count, Pattern, cover};
use isaglot_model::{Condition, Encoding, EncodingId, FeatureId, GenRange, Isa, Overlap, SpaceId};

use crate::limits;
use crate::report::{Coverage, OverlapPair, Undecided};

/// The gens of a set of encodings, cut at every bound that one of them has, in order.
pub(crate) fn gen_classes<'e>(encodings: impl Iterator<Item = &'e Encoding>) -> Vec<GenRange> {
    let mut starts = vec![0];
    for e in encodings {
        starts.push(e.gens.min);
        starts.extend(e.gens.max.checked_add(1));
    }
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).map(|&next| next - 1).chain([u32::MAX]);
    starts.iter().zip(ends).map(|(&min, max)| GenRange { min, max }).collect()
}

/// Every feature that a condition speaks of.
fn mentioned(condition: &Condition, out: &mut Vec<FeatureId>) {
    match condition {
        Condition::Always => {}
        Condition::Feature(f) => out.push(*f),
        Condition::Not(c) => mentioned(c, out),
        Condition::All(list) | Condition::Any(list) => list.iter().for_each(|c| mentioned(c, out)),
    }
}

/// The sets of features to tell apart, each sorted; closed under what features imply.
fn feature_classes(isa: &Isa, space: SpaceId, undecided: &mut Vec<Undecided>) -> Vec<Vec<FeatureId>> {
    let mut features = Vec::new();
    for &id in &isa[space].encodings {
        mentioned(&isa[id].condition, &mut features);
    }
    features.sort_unstable();
    features.dedup();
    let closed = |seed: Vec<FeatureId>| {
        let mut on = seed;
        let mut next = 0;
        while let Some(&f) = on.get(next) {
            next += 1;
            let more: Vec<FeatureId> = isa[f].implies.iter().copied().filter(|i| !on.contains(i)).collect();
            on.extend(more);
        }
        on.sort_unstable();
        on
    };
    let mut classes: Vec<Vec<FeatureId>> = if features.len() <= limits::MAX_CLASS_FEATURES {
        let chosen = |set: usize| {
            let on = features.iter().enumerate().filter(move |(i, _)| set >> i & 1 != 0);
            on.map(|(_, &f)| f).collect()
        };
        (0..1usize << features.len()).map(|set| closed(chosen(set))).collect()
    } else {
        undecided.push(Undecided {
            what: format!("counts of `{}` for every set of features", isa.text(isa[space].name)),
            why: format!(
                "{} features matter, {} at most are told apart: counted with the defaults and with all",
                features.len(),
                limits::MAX_CLASS_FEATURES
            ),
            span: isa[space].span,
        });
        let defaults = features.iter().copied().filter(|&f| isa[f].default).collect();
        vec![closed(defaults), closed(features)]
    };
    classes.sort();
    classes.dedup();
    classes
}

/// Words of one length, or all.
fn universes(isa: &Isa, space: SpaceId) -> Vec<(Pattern, u32)> {
    let lengths = &isa.format().lengths;
    if space != isa.root() || lengths.is_empty() {
        return vec![(Pattern::any(isa[space].width), isa[space].width)];
    }
    let wide = |p: &Pattern, bits: u32| Pattern::new(&p.value().resized(bits), p.care().resized(bits));
    lengths.iter().map(|rule| (wide(&rule.pattern, rule.bits), rule.bits)).collect()
}

/// Counts and holes of every space, for every class or for one gen.
pub(crate) fn coverage(
    isa: &Isa,
    generation: Option<u32>,
    overlaps: &[OverlapPair],
    undecided: &mut Vec<Undecided>,
) -> Vec<Coverage> {
    let mut out: Vec<Coverage> = Vec::new();
    for s in 0..isa.spaces().len() {
        let space = SpaceId(s as u32);
        let classes = match generation {
            Some(g) => vec![GenRange { min: g, max: g }],
            None => gen_classes(isa[space].encodings.iter().map(|&id| &isa[id])),
        };
        if classes.len() > limits::MAX_GEN_CLASSES {
            undecided.push(Undecided {
                what: format!("counts of `{}` for every gen", isa.text(isa[space].name)),
                why: format!("{} classes of gens, the first {} are counted", classes.len(), limits::MAX_GEN_CLASSES),
                span: isa[space].span,
            });
        }
        for features in feature_classes(isa, space, undecided) {
            for gens in classes.iter().take(limits::MAX_GEN_CLASSES) {
                for (universe, width) in universes(isa, space) {
                    out.push(count(isa, space, *gens, &features, universe, width, overlaps));
                }
            }
        }
    }
    for c in out.iter().filter(|c| c.free.is_none()) {
        undecided.push(Undecided {
            what: format!("how much of `{}` is claimed", isa.text(isa[c.space].name)),
            why: "its patterns are too irregular for the budget".to_owned(),
            span: isa[c.space].span,
        });
    }
    out
}

fn count(
    isa: &Isa,
    space: SpaceId,
    gens: GenRange,
    features: &[FeatureId],
    universe: Pattern,
    width: u32,
    overlaps: &[OverlapPair],
) -> Coverage {
    let there = |id: EncodingId| {
        let e = &isa[id];
        e.width == width && e.gens.contains(gens.min) && e.condition.holds(&|f| features.contains(&f))
    };
    let active: Vec<EncodingId> = isa[space].encodings.iter().copied().filter(|&id| there(id)).collect();
    let patterns: Vec<Pattern> = active.iter().flat_map(|&id| isa[id].cubes()).collect();
    let total = universe.count();
    let free = cover::uncovered_count(&universe, &patterns);
    let claimed = free.as_ref().map(|free| total.minus(free));
    let conflicting = if isa[space].overlap == Overlap::MostSpecific {
        Some(Count::zero())
    } else {
        let both = overlaps.iter().filter(|o| o.space == space && there(o.a) && there(o.b));
        let words: Vec<Pattern> = both.filter_map(|o| o.words.intersect(&universe)).collect();
        cover::uncovered_count(&universe, &words).map(|rest| total.minus(&rest))
    };
    let holes = cover::largest_holes(&universe, &patterns, limits::SHOWN_HOLES);
    let features = features.to_vec();
    Coverage { space, gens, features, universe, encodings: active.len(), claimed, conflicting, free, holes }
}
