//! How much of each space is claimed, conflicts and is free: exact counts, per class of gens and features.
//!
//! A class is a set of gens and features for which the same encodings exist. Gens fall apart at the bounds that
//! encodings state; of features every combination is a class while they are few, otherwise all on and the defaults.
//! What is free is also counted by opcode, where it is known which bits that is.

use isaglot_bits::{Count, Pattern, Word, cover};
use isaglot_model::{Encoding, EncodingId, FeatureId, GenRange, Isa, LengthRule, Overlap, SpaceId};

use crate::check::Options;
use crate::features::{closed, mentioned};
use crate::limits;
use crate::report::{Coverage, OpcodeRow, Opcodes, OverlapPair, Undecided};

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

/// The sets of features to tell apart, each sorted; closed under what features imply.
fn feature_classes(isa: &Isa, space: SpaceId, undecided: &mut Vec<Undecided>) -> Vec<Vec<FeatureId>> {
    let mut features = Vec::new();
    for &id in &isa[space].encodings {
        mentioned(&isa[id].condition, &mut features);
    }
    features.sort_unstable();
    features.dedup();
    let closed = |seed: Vec<FeatureId>| closed(isa, seed);
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

/// Words that are counted.
struct Universe {
    words: Pattern,
    /// Their width.
    width: u32,
    /// Words among them that an earlier rule gives another length.
    other: Vec<Pattern>,
}

/// Words of one length, or all.
fn universes(isa: &Isa, space: SpaceId, features: Option<&[FeatureId]>) -> Vec<Universe> {
    let on = |rule: &&LengthRule| features.is_none_or(|on| rule.condition.holds(&|f| on.contains(&f)));
    let lengths: Vec<&LengthRule> = isa.format().lengths.iter().filter(on).collect();
    if space != isa.root() || isa.format().lengths.is_empty() {
        let width = isa[space].width;
        return vec![Universe { words: Pattern::any(width), width, other: Vec::new() }];
    }
    let wide = |p: &Pattern, bits: u32| Pattern::new(&p.value().resized(bits), p.care().resized(bits));
    let universe = |(at, rule): (usize, &&LengthRule)| {
        let other = lengths.iter().take(at).map(|earlier| wide(&earlier.pattern, rule.bits)).collect();
        Universe { words: wide(&rule.pattern, rule.bits), width: rule.bits, other }
    };
    lengths.iter().enumerate().map(universe).collect()
}

/// Whether a class of gens can be asked for: where gens have names, it must hold a named one.
fn is_meant(isa: &Isa, gens: GenRange) -> bool {
    isa.gens().is_empty() || isa.gens().iter().any(|named| gens.contains(named.value))
}

/// Counts and holes of every space, for every class or for one gen.
pub(crate) fn coverage(
    isa: &Isa,
    options: &Options,
    overlaps: &[OverlapPair],
    undecided: &mut Vec<Undecided>,
) -> Vec<Coverage> {
    let mut out: Vec<Coverage> = Vec::new();
    for s in 0..isa.spaces().len() {
        let space = SpaceId(s as u32);
        let classes = match options.generation {
            Some(g) => vec![GenRange { min: g, max: g }],
            None => {
                let all = gen_classes(isa[space].encodings.iter().map(|&id| &isa[id]));
                all.into_iter().filter(|&gens| is_meant(isa, gens)).collect()
            }
        };
        if classes.len() > limits::MAX_GEN_CLASSES {
            undecided.push(Undecided {
                what: format!("counts of `{}` for every gen", isa.text(isa[space].name)),
                why: format!("{} classes of gens, the first {} are counted", classes.len(), limits::MAX_GEN_CLASSES),
                span: isa[space].span,
            });
        }
        let sets = match &options.features {
            Some(features) => vec![closed(isa, features.clone())],
            None => feature_classes(isa, space, undecided),
        };
        for features in sets {
            for gens in classes.iter().take(limits::MAX_GEN_CLASSES) {
                for universe in universes(isa, space, Some(&features)) {
                    let mut counted = count(isa, space, *gens, Some(&features), &universe, overlaps);
                    counted.opcodes = opcodes(isa, &counted, &universe, options);
                    out.push(counted);
                }
            }
        }
    }
    irregular(isa, &out, undecided);
    out
}

/// Counts of the instructions alone, of all gens together: with the features that were chosen, or whatever features they need.
pub(crate) fn of_instructions(
    isa: &Isa,
    options: &Options,
    overlaps: &[OverlapPair],
    undecided: &mut Vec<Undecided>,
) -> Vec<Coverage> {
    let features = options.features.clone().map(|features| closed(isa, features));
    let gens = options.generation.map_or(GenRange::default(), |g| GenRange { min: g, max: g });
    let counted = universes(isa, isa.root(), features.as_deref()).into_iter().map(|universe| {
        let mut counted = count(isa, isa.root(), gens, features.as_deref(), &universe, overlaps);
        counted.opcodes = opcodes(isa, &counted, &universe, options);
        counted
    });
    let out: Vec<Coverage> = counted.collect();
    irregular(isa, &out, undecided);
    out
}

fn irregular(isa: &Isa, counted: &[Coverage], undecided: &mut Vec<Undecided>) {
    for c in counted.iter().filter(|c| c.free.is_none()) {
        undecided.push(Undecided {
            what: format!("how much of `{}` is claimed", isa.text(isa[c.space].name)),
            why: "its patterns are too irregular for the budget".to_owned(),
            span: isa[c.space].span,
        });
    }
}

fn count(
    isa: &Isa,
    space: SpaceId,
    gens: GenRange,
    features: Option<&[FeatureId]>,
    universe: &Universe,
    overlaps: &[OverlapPair],
) -> Coverage {
    let Universe { words: universe, width, other } = universe;
    let there = |id: EncodingId| {
        let e = &isa[id];
        e.width == *width
            && e.gens.contains(gens.min)
            && features.is_none_or(|on| e.condition.holds(&|f| on.contains(&f)))
    };
    let active: Vec<EncodingId> = isa[space].encodings.iter().copied().filter(|&id| there(id)).collect();
    let taken = active.iter().flat_map(|&id| isa[id].cubes()).chain(other.iter().cloned());
    let patterns: Vec<Pattern> = taken.collect();
    let total = cover::uncovered_count(universe, other).unwrap_or_else(|| universe.count());
    let free = cover::uncovered_count(universe, &patterns);
    let claimed = free.as_ref().map(|free| total.minus(free));
    let is_decided = isa[space].overlap == Overlap::MostSpecific;
    let conflicting = if is_decided && !overlaps.iter().any(|o| o.space == space) {
        Some(Count::zero())
    } else {
        let both = overlaps.iter().filter(|o| o.space == space && there(o.a) && there(o.b));
        let words: Vec<Pattern> = both.filter_map(|o| o.words.intersect(universe)).collect();
        cover::uncovered_count(universe, &words).map(|rest| universe.count().minus(&rest))
    };
    let holes = cover::largest_holes(universe, &patterns, limits::SHOWN_HOLES);
    let universe = universe.clone();
    let features = features.unwrap_or_default().to_vec();
    let encodings = active.len();
    Coverage { space, gens, features, universe, encodings, total, claimed, conflicting, free, holes, opcodes: None }
}

/// What is free by opcode, among instructions.
fn opcodes(isa: &Isa, counted: &Coverage, universe: &Universe, options: &Options) -> Option<Opcodes> {
    let width = universe.width;
    if counted.space != isa.root() || counted.encodings == 0 {
        return None;
    }
    let of_width = || isa.opcodes().iter().find(|opcode| opcode.width == width).map(|opcode| opcode.bits.clone());
    let bits = match &options.by {
        Some(bits) => bits.clone(),
        None => of_width()?,
    };
    let count: u32 = bits.iter().map(|range| range.width).sum();
    if bits.iter().any(|range| range.end() > width) || count > limits::MAX_OPCODE_BITS {
        return None;
    }
    let there = |id: &&EncodingId| {
        let e = &isa[**id];
        let has = e.condition.holds(&|f| counted.features.contains(&f));
        e.width == width && e.gens.contains(counted.gens.min) && has
    };
    let patterns: Vec<Pattern> =
        isa[counted.space].encodings.iter().filter(there).flat_map(|&id| isa[id].cubes()).collect();
    let mut rows = Vec::new();
    for value in 0..1u64 << count {
        let (mut word, mut care) = (Word::zero(width), Word::zero(width));
        let mut left = value;
        for range in bits.iter().rev() {
            word.insert(range.lo, range.width, left);
            care.insert(range.lo, range.width, u64::MAX);
            left = left.checked_shr(range.width).unwrap_or(0);
        }
        let Some(part) = counted.universe.intersect(&Pattern::new(&word, care)) else { continue };
        let within = |list: &[Pattern]| list.iter().filter_map(|pattern| pattern.intersect(&part)).collect::<Vec<_>>();
        let mut inside = within(&universe.other);
        let total = cover::uncovered_count(&part, &inside).unwrap_or_else(|| part.count());
        if total.is_zero() {
            continue;
        }
        inside.extend(within(&patterns));
        rows.push(OpcodeRow { value, total, free: cover::uncovered_count(&part, &inside) });
    }
    Some(Opcodes { bits, rows })
}
