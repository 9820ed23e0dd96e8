//! What a page shows before anything is asked: the description, its gens and features, and its mnemonics with an example each.

use std::collections::BTreeMap;

use isaglot_bits::Word;
use isaglot_codec::{Match, Plan};
use isaglot_model::{Encoding, EncodingId, FeatureId, FieldSource, Isa, Piece};
use serde_json::{Value, json};

use crate::explain::{Explanation, explain, full_hex};

/// What is known of a description: `features` are those that are on at first.
#[must_use]
pub fn status(isa: &Isa, generation: u32, features: &[FeatureId]) -> Value {
    let gens: Vec<Value> = isa.gens().iter().map(|g| json!({ "name": g.name, "value": g.value })).collect();
    let rows = isa
        .features()
        .iter()
        .zip(0..)
        .map(|(f, id)| json!({ "name": f.name, "default": features.contains(&FeatureId(id)), "doc": f.doc }));
    json!({
        "usable": true, "name": isa.name(), "generation": generation, "gens": gens,
        "features": rows.collect::<Vec<_>>(), "bits": isa.format().max_bits,
    })
}

/// Changes of features that make exactly these be on, whatever is on by default: those of a [`Choice`](crate::spec::Choice). The
/// features are closed under what they imply.
#[must_use]
pub fn switched(isa: &Isa, on: &[FeatureId]) -> Vec<String> {
    let rows = isa.features().iter().zip(0..).filter(|(f, id)| f.default != on.contains(&FeatureId(*id)));
    let (mut off, mut more): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (feature, id) in rows {
        if on.contains(&FeatureId(id)) {
            more.push(format!("+{}", feature.name));
        } else {
            off.push(format!("-{}", feature.name));
        }
    }
    off.append(&mut more);
    off
}

/// The mnemonics in the order of the alphabet, each with its encodings: number, name and a word that is one of its instructions.
pub(super) fn mnemonics(plan: &Plan<'_>) -> Value {
    let isa = plan.isa();
    let mut found: BTreeMap<&str, Vec<(EncodingId, &Encoding)>> = BTreeMap::new();
    for &id in &isa[isa.root()].encodings {
        let encoding = &isa[id];
        if plan.active(encoding) {
            let shown = if encoding.display_name.is_empty() { isa.text(encoding.name) } else { &encoding.display_name };
            found.entry(shown).or_default().push((id, encoding));
        }
    }
    let rows = found.into_iter().map(|(name, all)| {
        let row = |(id, e): &(EncodingId, &Encoding)| {
            json!([id.index(), isa.text(e.name), format!("0x{}", full_hex(&example(plan, *id)))])
        };
        json!([name, all.iter().map(row).collect::<Vec<_>>()])
    });
    rows.collect()
}

/// A word that decodes as an encoding, if one is soon found: fields have different small numbers, so that one sees which is which; else
/// the word whose free bits are 0.
#[must_use]
pub fn example(plan: &Plan<'_>, id: EncodingId) -> Word {
    let encoding = &plan.isa()[id];
    let zero = encoding.pattern.witness();
    let numbered = [10, 1].map(|first| numbered(encoding, first));
    let mut tries =
        numbered.into_iter().chain([zero.clone(), encoding.pattern.care().not().or(encoding.pattern.value())]);
    tries.find(|word| plan.decode(word) == Match::One(id)).unwrap_or(zero)
}

/// Two words of each instruction with their texts, for pages about them: one with different small numbers, and one with other values. What
/// decodes them is the gen and the features, or where these are open the latest gen that has the encoding and all features.
#[must_use]
pub fn examples(
    isa: &Isa,
    generation: Option<u32>,
    features: Option<&[FeatureId]>,
) -> BTreeMap<EncodingId, Vec<(String, String)>> {
    let all: Vec<FeatureId> = (0..isa.features().len()).map(|at| FeatureId(at as u32)).collect();
    let mut by_gen: BTreeMap<u32, Vec<EncodingId>> = BTreeMap::new();
    for &id in &isa[isa.root()].encodings {
        let gens = isa[id].gens;
        let latest = isa.gens().iter().map(|g| g.value).filter(|g| gens.contains(*g)).max();
        by_gen.entry(generation.unwrap_or_else(|| latest.unwrap_or(gens.min))).or_default().push(id);
    }
    let mut found = BTreeMap::new();
    for (generation, ids) in by_gen {
        let plan = Plan::with_features(isa, generation, features.unwrap_or(&all));
        found.extend(ids.into_iter().map(|id| (id, of_one(&plan, id))));
    }
    found
}

fn of_one(plan: &Plan<'_>, id: EncodingId) -> Vec<(String, String)> {
    let encoding = &plan.isa()[id];
    let words = [numbered(encoding, 10), numbered(encoding, 1), encoding.pattern.witness()];
    let mut rows: Vec<(String, String)> = Vec::new();
    for word in words {
        let Explanation::Match(found) = explain(plan, &word) else { continue };
        let row = (format!("0x{}", full_hex(&word)), String::from_utf8_lossy(&found.text).trim().to_owned());
        if found.encoding == id && found.errors.is_empty() && !rows.contains(&row) && rows.len() < EXAMPLES {
            rows.push(row);
        }
    }
    rows
}

/// Examples of an encoding on its page.
const EXAMPLES: usize = 2;

/// The word whose fields are `first`, `first + 1` and so on, cut to their widths.
fn numbered(encoding: &Encoding, first: u64) -> Word {
    let mut pattern = encoding.pattern.clone();
    let fields = encoding.cases.iter().filter(|case| case.guard.is_none()).flat_map(|case| &case.fields);
    for (field, value) in fields.zip(first..) {
        let FieldSource::Bits(pieces) = &field.source else { continue };
        let mut at = 0;
        for piece in pieces.iter().rev() {
            let Piece::Bits(range) = piece else { continue };
            for bit in range.lo..range.end() {
                if pattern.bit(bit).is_none() {
                    pattern = pattern.with_bit(bit, value.checked_shr(at).unwrap_or(0) & 1 == 1);
                }
                at += 1;
            }
        }
    }
    pattern.witness()
}
