//! Variants of one leaf for several gens that leave a gen out, or hold for one gen twice.

use isaglot_model::{Encoding, Isa, Name};
use isaglot_source::Diagnostic;
use rustc_hash::FxHashMap;

pub(super) fn check(isa: &Isa, out: &mut Vec<Diagnostic>) {
    for space in isa.spaces() {
        let mut by_name: FxHashMap<Name, Vec<&Encoding>> = FxHashMap::default();
        for &id in &space.encodings {
            by_name.entry(isa[id].name).or_default().push(&isa[id]);
        }
        for mut variants in by_name.into_values() {
            variants.sort_by_key(|e| (e.gens.min, e.gens.max, e.span.start));
            for pair in variants.windows(2) {
                if let &[a, b] = pair {
                    // Parts of one leaf, and variants by features, stand beside each other by right.
                    if a.span != b.span && a.condition == b.condition {
                        two(isa, a, b, out);
                    }
                }
            }
        }
    }
}

fn two(isa: &Isa, a: &Encoding, b: &Encoding, out: &mut Vec<Diagnostic>) {
    let name = isa.text(a.name);
    if b.gens.min <= a.gens.max {
        let message = format!("gen {} has two variants of `{name}`", b.gens.min);
        let d = Diagnostic::warning("verify-gens-overlap", message).label(b.span, crate::diagnostics::gens(b.gens));
        out.push(d.secondary(a.span, crate::diagnostics::gens(a.gens)));
        return;
    }
    let (first, last) = (a.gens.max + 1, b.gens.min - 1);
    // Where gens have names only those are asked about: there is nothing between them.
    let names = isa.gens();
    let is_hole = first <= last && (names.is_empty() || names.iter().any(|n| (first..=last).contains(&n.value)));
    if is_hole {
        let which = if first == last { format!("gen {first} has") } else { format!("gens {first} to {last} have") };
        let d = Diagnostic::warning("verify-gens-hole", format!("{which} no `{name}`, but gens before and after"));
        let d = d.label(b.span, format!("from gen {} on", b.gens.min));
        out.push(d.secondary(a.span, format!("up to gen {}", a.gens.max)));
    }
}
