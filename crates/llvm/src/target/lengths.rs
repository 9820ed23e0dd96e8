//! How the first parcel tells the length, worked out from the patterns of all instructions.
//!
//! The method: a decision tree over the bits of the first parcel. A bit that all instructions fix splits the set; where all that are left
//! have one length, that is a rule. Where nothing splits them, those with the most known bits count, as they do in decoding; if their lengths
//! differ, that of most of them is taken and the rule says so.

use isaglot_bits::Pattern;

/// A rule: the pattern of the first parcel, the length in bits, and how many instructions it gets wrong that are not less specific than others.
pub(crate) struct Rule {
    pub(crate) pattern: Pattern,
    pub(crate) bits: u32,
    pub(crate) wrong: usize,
}

/// The rules for instructions with these patterns of their first parcel, and lengths.
pub(crate) fn rules(all: &[(Pattern, u32)], parcel: u32) -> Vec<Rule> {
    let mut out = Vec::new();
    let set: Vec<&(Pattern, u32)> = all.iter().collect();
    split(&set, Pattern::any(parcel), &mut out);
    // What no instruction begins with has the length of one parcel, so that the next word is found.
    out.push(Rule { pattern: Pattern::any(parcel), bits: parcel, wrong: 0 });
    out
}

fn split(set: &[&(Pattern, u32)], known: Pattern, out: &mut Vec<Rule>) {
    let Some(first) = set.first() else { return };
    if set.iter().all(|one| one.1 == first.1) {
        out.push(Rule { pattern: known, bits: first.1, wrong: 0 });
        return;
    }
    // The bit that leaves the fewest pairs of one length and another together; instructions that do not fix it go both ways.
    let cost = |bit: u32| {
        let of = |one: bool| {
            let side = || set.iter().filter(move |(p, _)| !p.care().bit(bit) || p.value().bit(bit) == one);
            let least = side().map(|s| s.1).min();
            side().filter(|s| Some(s.1) != least).count().min(side().filter(|s| Some(s.1) == least).count())
                + side().filter(|s| !s.0.care().bit(bit)).count()
        };
        of(false) + of(true)
    };
    let open = (0..known.width()).filter(|&bit| !known.care().bit(bit));
    let useful = open.filter(|&bit| set.iter().any(|(p, _)| p.care().bit(bit)));
    match useful.min_by_key(|&bit| (cost(bit), bit)) {
        Some(bit) => {
            for one in [false, true] {
                let side: Vec<&(Pattern, u32)> =
                    set.iter().copied().filter(|(p, _)| !p.care().bit(bit) || p.value().bit(bit) == one).collect();
                split(&side, known.with_bit(bit, one), out);
            }
        }
        None => {
            // All have these bits, whatever others fix: of such instructions the one with the most known bits is decoded.
            let known_bits = |one: &(Pattern, u32)| one.0.care().count_ones();
            let most = set.iter().map(|one| known_bits(one)).max().unwrap_or(0);
            let of: Vec<u32> = set.iter().filter(|one| known_bits(one) == most).map(|one| one.1).collect();
            let count = |bits: u32| of.iter().filter(|one| **one == bits).count();
            let bits = of.iter().copied().max_by_key(|&bits| (count(bits), std::cmp::Reverse(bits)));
            let bits = bits.unwrap_or(first.1);
            out.push(Rule { pattern: known, bits, wrong: of.len() - count(bits) });
        }
    }
}
