//! Texts that two words of one encoding share, and bits that no field holds.
//!
//! What shows of a word is a list of functions ([`text::observe`]). A bit is hidden in a word if no function changes
//! when it is flipped; two words share a text if all functions agree. Both are one question to the diagram, so the
//! answer is for all words. A pair found here shares its text for certain; that none is found means that texts differ
//! only if a text can be read in one way, which [`crate::parse`] decides.

use isaglot_bits::Word;
use isaglot_model::Name;
use rustc_hash::FxHashMap;

use crate::bdd::Ref;
use crate::leaf::{self, Leaf};
use crate::report::{LostBits, Pair, SharedText, Witness};
use crate::text;

/// A text that two words share, or nothing. `Err` says that the question is too hard.
pub(crate) fn shared(leaf: &mut Leaf<'_>) -> Result<Option<SharedText>, String> {
    let mut shows = Vec::new();
    text::observe(&mut leaf.sym, &leaf.tokens, leaf.when, &mut shows);
    shows.sort_unstable();
    shows.dedup();
    // Functions of few bits first: they settle most questions, and the others are then trivial.
    shows.sort_by_cached_key(|&f| leaf.sym.bdd.support(f).len());
    let hidden = hidden_bits(leaf, &shows);
    let found = match hidden {
        Some((bits, pair)) => Some(SharedText { encoding: leaf.encoding, fields: owners(leaf, &bits), bits, pair }),
        None => several(leaf, &shows).map(|pair| {
            let bits = Word::zero(pair.a.width());
            let fields = owners(leaf, &pair.a.xor(&pair.b));
            SharedText { encoding: leaf.encoding, bits, fields, pair }
        }),
    };
    if leaf.sym.bdd.exhausted() { Err("too many ways in which words could share a text".to_owned()) } else { Ok(found) }
}

/// Bits that alone can change without a change of the text, and a pair that differs in the highest of them.
fn hidden_bits(leaf: &mut Leaf<'_>, shows: &[Ref]) -> Option<(Word, Pair)> {
    let e = leaf.scopes.encoding(0);
    let bdd = &mut leaf.sym.bdd;
    let mut by_var: FxHashMap<u32, Vec<Ref>> = FxHashMap::default();
    for &f in shows {
        for var in bdd.support(f) {
            by_var.entry(var).or_default().push(f);
        }
    }
    let mut bits = Word::zero(e.width);
    let mut pair = None;
    for bit in (0..e.width).rev().filter(|&bit| e.pattern.bit(bit).is_none() && !e.dont_care.bit(bit)) {
        let var = leaf.sym.bit_var(bit);
        let bdd = &mut leaf.sym.bdd;
        let (off, on) = (bdd.fix(leaf.clean, var, false), bdd.fix(leaf.clean, var, true));
        let mut same = bdd.and(off, on);
        let mut done = FxHashMap::default();
        for &f in by_var.get(&var).map_or(&[][..], |list| list) {
            if same.is_false() {
                break;
            }
            let differ = bdd.change(f, var, &mut done);
            same = bdd.and_not(same, differ);
        }
        if let Some((a, generation)) = leaf.sym.witness(same) {
            bits.set_bit(bit, true);
            let mut b = a.clone();
            b.set_bit(bit, true);
            pair.get_or_insert(Pair { a, b, generation });
        }
    }
    Some((bits, pair?))
}

/// Two words with one text that differ in several bits at once.
fn several(leaf: &mut Leaf<'_>, shows: &[Ref]) -> Option<Pair> {
    let e = leaf.scopes.encoding(0);
    let base = leaf.sym.word_base();
    let bdd = &mut leaf.sym.bdd;
    let mut done = FxHashMap::default();
    let other = bdd.shift(leaf.clean, base, &mut done);
    let mut same = bdd.and(leaf.clean, other);
    for &f in shows {
        if same.is_false() {
            return None;
        }
        let other = bdd.shift(f, base, &mut done);
        let differ = bdd.xor(f, other);
        same = bdd.and_not(same, differ);
    }
    let mut equal = Ref::TRUE;
    for bit in (0..e.width).filter(|&bit| e.pattern.bit(bit).is_none()) {
        let var = leaf.sym.bit_var(bit);
        let bdd = &mut leaf.sym.bdd;
        let (a, b) = (bdd.var(var), bdd.var(var + 1));
        let differ = bdd.xor(a, b);
        equal = bdd.and_not(equal, differ);
    }
    let same = leaf.sym.bdd.and_not(same, equal);
    leaf.sym.witness_pair(same).map(|(a, b, generation)| Pair { a, b, generation })
}

/// The fields that bits belong to in some word, each with its bits.
fn owners(leaf: &mut Leaf<'_>, bits: &Word) -> Vec<(Name, Word)> {
    let mut out = Vec::new();
    for (name, meanings) in leaf::fields_of_bits(leaf) {
        let mut own = Word::zero(bits.width());
        for (_, list) in meanings.iter().filter(|m| !m.0.is_false()) {
            list.iter().filter(|&&b| bits.bit(b)).for_each(|&b| own.set_bit(b, true));
        }
        if !own.is_zero() {
            out.push((name, own));
        }
    }
    out
}

/// Bits of clean words that no field of the instruction holds: they are gone when it is encoded again.
pub(crate) fn lost(leaf: &mut Leaf<'_>) -> Result<Option<LostBits>, String> {
    let e = leaf.scopes.encoding(0);
    let mut held: FxHashMap<u32, Ref> = FxHashMap::default();
    for (_, meanings) in leaf::fields_of_bits(leaf) {
        for (when, bits) in meanings {
            for bit in bits {
                let known = held.entry(bit).or_insert(Ref::FALSE);
                *known = leaf.sym.bdd.or(*known, when);
            }
        }
    }
    let mut bits = Word::zero(e.width);
    let mut witness = None;
    for bit in (0..e.width).rev().filter(|&bit| e.pattern.bit(bit).is_none() && !e.dont_care.bit(bit)) {
        let held = held.get(&bit).copied().unwrap_or(Ref::FALSE);
        let set = leaf.sym.bit(bit);
        let bare = leaf.sym.bdd.and_not(leaf.clean, held);
        // A bit that must be 0 (an assert, say) or is 0 when encoded loses nothing.
        let bare = leaf.sym.bdd.and(bare, set);
        if let Some((word, generation)) = leaf.sym.witness(bare)
            && !fixed_by_assert(leaf, bit)
        {
            bits.set_bit(bit, true);
            witness.get_or_insert(Witness { word, generation });
        }
    }
    if leaf.sym.bdd.exhausted() {
        return Err("too many ways in which fields could hold its bits".to_owned());
    }
    Ok(witness.map(|witness| LostBits { encoding: leaf.encoding, bits, witness }))
}

/// Whether an assert of any case gives the bit: the encoder fills it in.
fn fixed_by_assert(leaf: &Leaf<'_>, bit: u32) -> bool {
    leaf.scopes.encoding(0).cases.iter().flat_map(|c| &c.asserts).any(|a| a.range.contains(bit))
}
