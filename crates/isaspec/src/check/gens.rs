//! Generations: a bitset's own limits may not reach beyond its ancestors'.

use isaglot_model::GenRange;
use isaglot_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

use super::Place;
use crate::gather::Tables;
use crate::syntax::{Bitset, Int};

/// The last stated minimum and maximum of a bitset.
fn stated(decl: &Bitset) -> (Option<Int>, Option<Int>) {
    let min = decl.gens.iter().rev().find_map(|g| g.min);
    let max = decl.gens.iter().rev().find_map(|g| g.max);
    (min, max)
}

fn value(limit: Option<Int>, default: u32) -> u32 {
    limit.and_then(|l| u32::try_from(l.value).ok()).unwrap_or(default)
}

/// The range that a bitset itself states.
pub(crate) fn own(decl: &Bitset) -> GenRange {
    let (min, max) = stated(decl);
    GenRange { min: value(min, GenRange::ALL.min), max: value(max, GenRange::ALL.max) }
}

/// The range in which a bitset holds: its own, cut by its ancestors'.
pub(crate) fn effective(tables: &Tables<'_>, place: &Place) -> GenRange {
    let levels = place.levels.iter().filter_map(|l| tables.sets.get(*l));
    levels.fold(GenRange::ALL, |range, set| range.intersect(own(set.decl)))
}

/// Warns of variants that begin at the same gen: the reference gives them one C name, and here every word has two matches.
fn same_beginning(tables: &Tables<'_>, out: &mut Diagnostics) {
    for (name, list) in tables.leaves.iter().filter(|(_, list)| list.len() > 1) {
        let mut first: FxHashMap<u32, Span> = FxHashMap::default();
        for set in list.iter().filter_map(|id| tables.sets.get(*id)) {
            let min = own(set.decl).min;
            let Some(other) = first.insert(min, set.decl.name.span()) else { continue };
            let message = format!("two variants of `{name}` begin at gen {min}");
            let d = Diagnostic::warning("isaspec-duplicate-variant", message);
            out.push(if other == set.decl.name.span() {
                d.label(other, "read twice").note("the file is imported twice, and imports have no guard against that")
            } else {
                d.label(set.decl.name.span(), "second").secondary(other, "first")
            });
        }
    }
}

/// Checks all limits against those above them.
pub(crate) fn check(tables: &Tables<'_>, places: &[Option<Place>], live: &[bool], out: &mut Diagnostics) {
    same_beginning(tables, out);
    for (id, set) in tables.sets.iter().enumerate() {
        let (Some(Some(place)), Some(true)) = (places.get(id), live.get(id)) else { continue };
        let mut above = GenRange::ALL;
        let mut bound: (Option<Span>, Option<Span>) = (None, None);
        for ancestor in place.levels.iter().skip(1).filter_map(|l| tables.sets.get(*l)) {
            let (range, (min, max)) = (own(ancestor.decl), stated(ancestor.decl));
            if range.min > above.min {
                bound.0 = min.map(|m| m.span);
            }
            if range.max < above.max {
                bound.1 = max.map(|m| m.span);
            }
            above = above.intersect(range);
        }
        let (range, (min, max)) = (own(set.decl), stated(set.decl));
        let name = &set.decl.name.value;
        // A stated 0, or a stated maximum of all, counts as not stated.
        if let Some(min) = min.filter(|_| range.min != 0 && range.min < above.min) {
            let message = format!("`{name}` begins at gen {}, before its ancestors' {}", range.min, above.min);
            let d = Diagnostic::error("isaspec-gen-min", message).label(min.span, "too low");
            out.push(bound.0.iter().fold(d, |d, span| d.secondary(*span, "the ancestor's limit")));
        }
        if let Some(max) = max.filter(|_| range.max != u32::MAX && range.max > above.max) {
            let message = format!("`{name}` ends at gen {}, after its ancestors' {}", range.max, above.max);
            let d = Diagnostic::error("isaspec-gen-max", message).label(max.span, "too high");
            out.push(bound.1.iter().fold(d, |d, span| d.secondary(*span, "the ancestor's limit")));
        }
        let all = range.intersect(above);
        if all.min > all.max && (min.is_some() || max.is_some()) {
            let message = format!("no gen has `{name}`: it would begin at {} and end at {}", all.min, all.max);
            let span = min.or(max).map_or(set.decl.span, |limit| limit.span);
            out.push(Diagnostic::warning("isaspec-empty-gen", message).label(span, "here"));
        }
    }
}
