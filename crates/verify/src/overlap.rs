//! Encodings that claim the same words, and encodings that are never decoded: cube algebra only, so always decided.

use isaglot_bits::{Pattern, Word, cover};
use isaglot_model::{Condition, Encoding, EncodingId, FeatureId, GenRange, Isa, Overlap, SpaceId};

use crate::bdd::Ref;
use crate::features::{closed, mentioned};
use crate::report::{OverlapPair, Relation, Unreachable};
use crate::symbols::Symbols;

/// Every pair of encodings between which nothing decides, in the order of the description; `generation` limits it to
/// one gen.
pub fn overlaps(isa: &Isa, generation: Option<u32>) -> Vec<OverlapPair> {
    let mut out = Vec::new();
    for (s, space) in isa.spaces().iter().enumerate() {
        for (i, &a) in space.encodings.iter().enumerate() {
            for &b in &space.encodings[i + 1..] {
                out.extend(pair(isa, SpaceId(s as u32), a, b, generation));
            }
        }
    }
    // Only now, when it is known how few there are: a witness that no third encoding claims too.
    for found in &mut out {
        let others: Vec<Pattern> = isa[found.space]
            .encodings
            .iter()
            .filter(|&&id| id != found.a && id != found.b)
            .map(|&id| &isa[id])
            .filter(|e| e.gens.contains(found.gens.min) && e.pattern.overlaps(&found.words))
            .map(|e| e.pattern.clone())
            .chain(isa[found.a].except.iter().chain(&isa[found.b].except).cloned())
            .collect();
        if let Some(Some(word)) = cover::uncovered_witness(&found.words, &others) {
            found.witness = word;
        }
    }
    out
}

fn pair(isa: &Isa, space: SpaceId, ia: EncodingId, ib: EncodingId, generation: Option<u32>) -> Option<OverlapPair> {
    let (a, b) = (&isa[ia], &isa[ib]);
    if !a.pattern.overlaps(&b.pattern) || decided(isa, space, a, b) {
        return None;
    }
    let gens = a.gens.intersect(b.gens);
    let gens = match generation {
        Some(g) => gens.intersect(GenRange { min: g, max: g }),
        None => gens,
    };
    if gens.min > gens.max {
        return None;
    }
    let features = together(isa, &a.condition, &b.condition)?;
    let words = a.pattern.intersect(&b.pattern)?;
    let except: Vec<Pattern> = a.except.iter().chain(&b.except).cloned().collect();
    let witness = match except.as_slice() {
        [] => words.witness(),
        // Where it cannot be said within bounds, the overlap is reported.
        except => cover::uncovered_witness(&words, except).unwrap_or_else(|| Some(words.witness()))?,
    };
    let relation = match (a.pattern.contains(&b.pattern), b.pattern.contains(&a.pattern)) {
        (true, true) => Relation::Equal,
        (true, false) => Relation::FirstContains,
        (false, true) => Relation::SecondContains,
        (false, false) => Relation::Partial,
    };
    Some(OverlapPair { space, a: ia, b: ib, gens, features, relation, words, witness })
}

/// Whether the space has a rule that chooses between two encodings that match.
fn decided(isa: &Isa, space: SpaceId, a: &Encoding, b: &Encoding) -> bool {
    // Of different lengths: the first parcel says which of them a word is.
    if a.width != b.width && space == isa.root() && !isa.format().lengths.is_empty() {
        return true;
    }
    isa[space].overlap == Overlap::MostSpecific && a.precedence() != b.precedence()
}

/// Features under which both conditions hold: those that must be on in the smallest solution.
fn together(isa: &Isa, a: &Condition, b: &Condition) -> Option<Vec<FeatureId>> {
    if *a == Condition::Always && *b == Condition::Always {
        return Some(Vec::new());
    }
    // A target has hundreds of features. Those that neither condition speaks of, nor what these imply, may be off.
    let mut some = Vec::new();
    mentioned(a, &mut some);
    mentioned(b, &mut some);
    let some = closed(isa, some);
    let mut sym = Symbols::new(1, Some(0), isa.features().len());
    let mut features = vec![Ref::TRUE; isa.features().len()];
    for &id in &some {
        if let Some(feature) = features.get_mut(id.index()) {
            *feature = sym.feature(id.index());
        }
    }
    let (a, b) = (sym.condition(&features, a), sym.condition(&features, b));
    let both = sym.bdd.and(a, b);
    let implied = sym.implications(isa, &features, &some);
    let both = sym.bdd.and(both, implied);
    // Where it cannot be said within bounds, the overlap is reported.
    if sym.bdd.exhausted() { Some(Vec::new()) } else { sym.features_on(both) }
}

/// Encodings all of whose words are taken by others, in every gen that they have.
pub fn unreachable(isa: &Isa, overlaps: &[OverlapPair]) -> Vec<Unreachable> {
    let mut out = Vec::new();
    for space in isa.spaces() {
        for &id in &space.encodings {
            let rivals: Vec<EncodingId> = match space.overlap {
                Overlap::Conflict => (overlaps.iter())
                    .filter_map(|o| if o.a == id { Some(o.b) } else { (o.b == id).then_some(o.a) })
                    .collect(),
                Overlap::MostSpecific => {
                    space.encodings.iter().copied().filter(|&other| beats(isa, other, id)).collect()
                }
            };
            if !rivals.is_empty() && covered(isa, id, &rivals) {
                out.push(Unreachable { encoding: id, by: rivals });
            }
        }
    }
    out
}

/// Whether `a` is taken where both match, in a space where the most specific one is.
fn beats(isa: &Isa, a: EncodingId, b: EncodingId) -> bool {
    a != b
        && isa[a].width == isa[b].width
        && isa[a].pattern.overlaps(&isa[b].pattern)
        && (isa[a].precedence(), a) < (isa[b].precedence(), b)
}

fn covered(isa: &Isa, id: EncodingId, rivals: &[EncodingId]) -> bool {
    let e = &isa[id];
    // A rival that is not always there when this one is takes nothing away for certain.
    let sure = |other: &Encoding| other.condition == Condition::Always || other.condition == e.condition;
    let mut starts: Vec<u32> = vec![e.gens.min];
    for &rival in rivals {
        let gens = isa[rival].gens;
        starts.extend([Some(gens.min), gens.max.checked_add(1)].into_iter().flatten().filter(|&g| e.gens.contains(g)));
    }
    starts.sort_unstable();
    starts.dedup();
    starts.iter().all(|&generation| {
        // What a rival excepts it may leave to this one.
        let there = rivals.iter().map(|&r| &isa[r]);
        let there = there.filter(|r| r.except.is_empty() && r.gens.contains(generation) && sure(r));
        let patterns: Vec<Pattern> = there.map(|r| r.pattern.clone()).collect();
        cover::uncovered_witness(&e.pattern, &patterns) == Some(None::<Word>)
    })
}
