//! Everything about one encoding of an instruction space, symbolically: its text, its clean words, its scopes.
//!
//! A word is *clean* if a decoder has nothing to report about it: no don't-care bit set, no assert broken, every name
//! and sub-encoding resolved, a text found. Questions about shared text and round trips are about clean words.

use isaglot_model::{EncodingId, FeatureId, FieldSource, Isa, Name, Node};

use crate::bdd::Ref;
use crate::features::{closed, mentioned};
use crate::limits;
use crate::scope::Scopes;
use crate::symbols::Symbols;
use crate::text::{self, Notes, TextToken};

/// An encoding, followed.
pub(crate) struct Leaf<'a> {
    pub(crate) encoding: EncodingId,
    pub(crate) sym: Symbols,
    pub(crate) scopes: Scopes<'a>,
    pub(crate) tokens: Vec<TextToken>,
    pub(crate) notes: Notes,
    /// The words, gens and features of the encoding.
    pub(crate) when: Ref,
    /// The clean ones.
    pub(crate) clean: Ref,
}

impl<'a> Leaf<'a> {
    /// Follows an encoding, for all gens or one. `Err` says why it cannot be done.
    pub(crate) fn new(isa: &'a Isa, encoding: EncodingId, generation: Option<u32>) -> Result<Leaf<'a>, String> {
        let e = &isa[encoding];
        if e.width > limits::SYMBOLIC_BITS {
            return Err(format!("words of more than {} bits are not looked into", limits::SYMBOLIC_BITS));
        }
        let mut sym = Symbols::new(e.width, generation, isa.features().len());
        let features: Vec<Ref> = (0..isa.features().len()).map(|i| sym.feature(i)).collect();
        let (mut scopes, when) = enter(isa, &mut sym, encoding, &features);
        let mut notes = Notes::default();
        let tokens = text::text(&mut sym, &mut scopes, 0, when, &mut notes);
        everything_else(&mut sym, &mut scopes, &notes);
        let clean = clean(&mut sym, &scopes, &notes, when);
        if sym.bdd.exhausted() {
            return Err(format!("its conditions need more than {} decision-diagram nodes", limits::BDD_NODES));
        }
        Ok(Leaf { encoding, sym, scopes, tokens, notes, when, clean })
    }
}

/// The words of `when` about which a decoder has nothing to report.
pub(crate) fn clean(sym: &mut Symbols, scopes: &Scopes<'_>, notes: &Notes, when: Ref) -> Ref {
    let mut clean = when;
    for &dirty in &notes.dirty {
        clean = sym.bdd.and_not(clean, dirty);
    }
    // A guard or derived field that misses a name is reported as well.
    for scope in 0..scopes.list.len() {
        for (_, evaluated) in scopes.evaluated(scope) {
            for &(_, missing) in &evaluated.missing {
                let dirty = sym.bdd.and(missing, evaluated.needed);
                clean = sym.bdd.and_not(clean, dirty);
            }
        }
    }
    clean
}

/// The scope of an encoding, and the set of its words, gens and features.
pub(crate) fn enter<'a>(isa: &'a Isa, sym: &mut Symbols, encoding: EncodingId, features: &[Ref]) -> (Scopes<'a>, Ref) {
    let when = words(isa, sym, encoding, features);
    let implied = sym.implications(isa, features, &some_features(isa, encoding));
    (Scopes::new(isa, sym, encoding, features.to_vec()), sym.bdd.and(when, implied))
}

/// The features on which an encoding or an expression depends, and what they imply.
fn some_features(isa: &Isa, encoding: EncodingId) -> Vec<FeatureId> {
    let mut some = Vec::new();
    mentioned(&isa[encoding].condition, &mut some);
    for node in isa.exprs().iter().flat_map(|e| &e.nodes) {
        if let Node::Feature(feature) = node {
            some.push(*feature);
        }
    }
    some.sort_unstable();
    some.dedup();
    closed(isa, some)
}

/// The words, gens and features for which an encoding matches.
pub(crate) fn words(isa: &Isa, sym: &mut Symbols, encoding: EncodingId, features: &[Ref]) -> Ref {
    let e = &isa[encoding];
    let word: Vec<Ref> = (0..e.width).map(|bit| sym.bit(bit)).collect();
    sym.claims(&word, e, features)
}

/// Evaluates what no text asks for, too, where it applies: names in it can be unresolved all the same.
fn everything_else(sym: &mut Symbols, scopes: &mut Scopes<'_>, notes: &Notes) {
    for scope in 0..scopes.list.len() {
        let entered = notes.entered(sym, scope);
        for case in &scopes.encoding(scope).cases {
            let mut applies = entered;
            if let Some(guard) = case.guard {
                scopes.offer(sym, scope, guard, entered);
                let holds = scopes.holds(sym, scope, guard);
                applies = sym.bdd.and(entered, holds);
            }
            for field in &case.fields {
                if let FieldSource::Derived(expr) = field.source {
                    scopes.offer(sym, scope, expr, applies);
                }
            }
        }
    }
}

/// When a field is read from which bits of the word.
pub(crate) type Meanings = Vec<(Ref, Vec<u32>)>;

/// The fields of the instruction's own scope that are read from a bit of the word, in the order of their names' ids.
pub(crate) fn fields_of_bits(leaf: &mut Leaf<'_>) -> Vec<(Name, Meanings)> {
    let e = leaf.scopes.encoding(0);
    let mut names = e.field_names();
    names.sort_unstable();
    let mut out = Vec::new();
    for name in names {
        let lookup = leaf.scopes.lookup(&mut leaf.sym, 0, name);
        let mut meanings = Vec::new();
        for found in &lookup.found {
            let source = &leaf.scopes.field(found).source;
            if matches!(source, FieldSource::Bits(_)) {
                meanings.push((found.when, source.ranges().flat_map(|range| range.lo..range.end()).collect()));
            }
        }
        if !meanings.is_empty() {
            out.push((name, meanings));
        }
    }
    out
}
