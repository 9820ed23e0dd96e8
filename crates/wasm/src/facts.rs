//! Answers of the package as JSON: what is known of a description, and an instruction taken apart.

use std::collections::BTreeMap;

use isaglot::Engine;
use isaglot::engine::{Field, Instruction, Nested};
use isaglot::explain::full_hex;
use isaglot_codec::Plan;
use isaglot_model::{ByteOrder, Encoding, FeatureId};
use serde_json::{Value, json};

use crate::answers::all;

/// What is known of a description and its choices.
pub(crate) fn about(engine: &Engine) -> Value {
    let on = engine.features();
    let isa = engine.isa();
    let gens = isa.map(|isa| isa.gens().iter().map(|g| json!({ "name": g.name, "value": g.value })).collect());
    let features = isa.map(|isa| {
        let rows = isa.features().iter();
        rows.map(|f| json!({ "name": f.name, "on": on.contains(&f.name.as_str()), "doc": f.doc })).collect()
    });
    let order = isa.map(|isa| if isa.format().byte_order == ByteOrder::Big { "big" } else { "little" });
    json!({
        "version": 1,
        "name": isa.map_or(engine.name(), |isa| isa.name()),
        "gen": engine.generation(),
        "gens": gens.unwrap_or(Value::Array(Vec::new())),
        "features": features.unwrap_or(Value::Array(Vec::new())),
        "bits": isa.map(|isa| isa.format().max_bits),
        "byteOrder": order,
        "warnings": all(engine.warnings()),
    })
}

/// The mnemonics that contain a text, whatever its case, in the order of the alphabet; those that begin with it come first.
pub(crate) fn mnemonics(engine: &Engine, part: &str) -> Value {
    let (Some(isa), Some(generation)) = (engine.isa(), engine.generation()) else { return Value::Array(Vec::new()) };
    let on = engine.features();
    let ids = (0..isa.features().len() as u32).map(FeatureId).filter(|&id| on.contains(&isa[id].name.as_str()));
    let plan = Plan::with_features(isa, generation, &ids.collect::<Vec<_>>());
    let part = part.trim().to_lowercase();
    let mut found: BTreeMap<(bool, &str), Vec<&Encoding>> = BTreeMap::new();
    for &id in &isa[isa.root()].encodings {
        let encoding = &isa[id];
        let name = if encoding.display_name.is_empty() { isa.text(encoding.name) } else { &encoding.display_name };
        let folded = name.to_lowercase();
        if plan.active(encoding) && folded.contains(&part) {
            found.entry((!folded.starts_with(&part), name)).or_default().push(encoding);
        }
    }
    let rows = found.into_iter().map(|((_, name), encodings)| {
        let example = encodings.first().map(|e| format!("0x{}", full_hex(&e.pattern.witness())));
        let names: Vec<&str> = encodings.iter().map(|e| isa.text(e.name)).collect();
        json!({ "mnemonic": name, "encodings": names, "example": example })
    });
    rows.collect()
}

/// An instruction. Numbers are hexadecimal texts, since they can have any width.
pub(crate) fn instruction(one: &Instruction) -> Value {
    let operands = one.operands.iter();
    let operands = operands.map(|o| json!({ "kind": o.kind.name(), "isWritten": o.is_written, "text": o.text }));
    json!({
        "mnemonic": one.mnemonic, "text": one.text, "problem": one.problem, "encoding": one.encoding,
        "word": format!("0x{}", full_hex(&one.word)), "bits": one.word.width(), "size": one.size,
        "operands": operands.collect::<Vec<_>>(), "fields": fields(&one.fields),
    })
}

fn fields(all: &[Field]) -> Value {
    let row = |field: &Field| {
        let ranges = field.ranges.iter().map(|r| json!({ "low": r.lo, "width": r.width }));
        let nested = field.nested.as_ref();
        let nested = nested
            .map(|Nested { encoding, fields: inner, .. }| json!({ "encoding": encoding, "fields": fields(inner) }));
        json!({
            "name": field.name, "bits": ranges.collect::<Vec<_>>(), "derived": field.derived,
            "value": format!("0x{}", full_hex(&field.value)), "width": field.value.width(), "text": field.text,
            "nested": nested,
        })
    };
    all.iter().map(row).collect()
}
