//! A report and a difference as JSON, for tools. Words are hexadecimal without prefix, counts decimal strings (they
//! exceed 64 bits), gens `{"min","max"}`. The schema is described in `docs/check.md`.

use isaglot_bits::{Count, Pattern, Word};
use isaglot_model::{EncodingId, FeatureId, GenRange, Isa};
use isaglot_source::SourceMap;
use serde_json::{Value, json};

use crate::cause::{Cause, Causes, Standing};
use crate::diff::{Change, Difference, Side};
use crate::report::{Coverage, OpcodeRow, Opcodes, OverlapPair, Report, Row, SharedText, Undecided, Verdict};

/// Which form the answer of a check has, of which [`report`] is a part: the value of its `$schema`.
pub const FORM: &str = "urn:isaglot:check:1";

fn gens(range: GenRange) -> Value {
    json!({ "min": range.min, "max": range.max })
}

fn name(isa: &Isa, id: EncodingId) -> &str {
    isa.text(isa[id].name)
}

fn features(isa: &Isa, list: &[FeatureId]) -> Vec<String> {
    list.iter().map(|&f| isa[f].name.clone()).collect()
}

fn count(value: Option<&Count>) -> Value {
    value.map_or(Value::Null, |c| c.to_string().into())
}

fn patterns(list: &[Pattern]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

fn bits(word: &Word) -> Vec<u32> {
    word.ones_iter().collect()
}

/// The findings of a check apart from its messages: overlaps, counts, the table of proofs, shared texts, undecided
/// questions.
pub fn report(isa: &Isa, report: &Report) -> Value {
    json!({
        "isa": isa.name(),
        "overlaps": report.overlaps.iter().map(|o| overlap(isa, o)).collect::<Vec<_>>(),
        "coverage": report.coverage.iter().map(|c| coverage(isa, c)).collect::<Vec<_>>(),
        "encodings": report.rows.iter().map(|r| row(isa, r)).collect::<Vec<_>>(),
        "shared_text": report.shared.iter().map(|s| shared(isa, s)).collect::<Vec<_>>(),
        "undecided": report.undecided.iter().map(undecided).collect::<Vec<_>>(),
    })
}

fn overlap(isa: &Isa, o: &OverlapPair) -> Value {
    json!({
        "space": isa.text(isa[o.space].name), "a": name(isa, o.a), "b": name(isa, o.b), "gens": gens(o.gens),
        "features": features(isa, &o.features), "relation": o.relation.name(), "words": o.words.to_string(),
        "count": o.words.count().to_string(), "witness": o.witness.hex(),
    })
}

fn coverage(isa: &Isa, c: &Coverage) -> Value {
    json!({
        "space": isa.text(isa[c.space].name), "gens": gens(c.gens), "features": features(isa, &c.features),
        "words": c.universe.to_string(), "encodings": c.encodings, "total": c.total.to_string(),
        "claimed": count(c.claimed.as_ref()), "conflicting": count(c.conflicting.as_ref()),
        "free": count(c.free.as_ref()), "holes": c.holes.as_ref().map(|h| patterns(h)),
        "opcodes": c.opcodes.as_ref().map(opcodes),
    })
}

fn opcodes(o: &Opcodes) -> Value {
    let bits: Vec<Value> = o.bits.iter().map(|range| json!([range.end() - 1, range.lo])).collect();
    let row = |r: &OpcodeRow| json!({ "value": r.value, "total": r.total.to_string(), "free": count(r.free.as_ref()) });
    json!({ "bits": bits, "rows": o.rows.iter().map(row).collect::<Vec<_>>() })
}

fn verdict(v: &Verdict) -> Value {
    match v {
        Verdict::Proved(m) | Verdict::Refuted(m) => json!({ "answer": v.name(), "method": m.name() }),
        Verdict::Undecided(why) => json!({ "answer": v.name(), "why": why }),
        Verdict::None => json!({ "answer": v.name() }),
    }
}

fn row(isa: &Isa, r: &Row) -> Value {
    let e = &isa[r.encoding];
    json!({
        "name": name(isa, r.encoding), "display": &*e.display_name, "space": isa.text(isa[e.space].name),
        "gens": gens(e.gens), "unique": verdict(&r.unique), "round_trip": verdict(&r.round_trip),
        "text": verdict(&r.text),
    })
}

fn shared(isa: &Isa, s: &SharedText) -> Value {
    let fields: Vec<Value> =
        s.fields.iter().map(|(name, word)| json!({ "field": isa.text(*name), "bits": bits(word) })).collect();
    json!({
        "encoding": name(isa, s.encoding), "bits": bits(&s.bits), "fields": fields,
        "pair": [s.pair.a.hex(), s.pair.b.hex()], "gen": s.pair.generation,
    })
}

fn undecided(u: &Undecided) -> Value {
    json!({ "what": u.what, "why": u.why })
}

/// A difference.
pub fn difference(a: Side<'_>, b: Side<'_>, d: &Difference) -> Value {
    json!({
        "a": { "isa": a.isa.name(), "gen": a.generation },
        "b": { "isa": b.isa.name(), "gen": b.generation },
        "changes": d.changes.iter().map(|c| change(a.isa, b.isa, c)).collect::<Vec<_>>(),
        "undecided": d.undecided.iter().map(undecided).collect::<Vec<_>>(),
    })
}

fn change(a: &Isa, b: &Isa, c: &Change) -> Value {
    json!({
        "change": c.kind.name(), "a": c.a.map(|id| name(a, id)), "b": c.b.map(|id| name(b, id)),
        "gens": c.gens.map(gens), "count": c.count.to_string(), "patterns": patterns(&c.patterns),
        "complete": c.complete, "sample": c.sample.hex(),
    })
}

/// The causes of a difference: what changed in the sources, with old and new lines, what each reaches, and the indices of the
/// changes that it caused.
pub fn causes(files: &SourceMap, causes: &Causes) -> Value {
    let standing = |s: &Standing| json!({ "file": files.get(s.file).map(|file| &file.name), "line": s.line });
    let lines = |list: &[(u32, String)]| {
        list.iter().map(|(line, text)| json!({ "line": line, "text": text })).collect::<Vec<Value>>()
    };
    let cause = |c: &Cause| {
        json!({
            "kind": c.kind, "name": c.name, "old": c.old.as_ref().map(standing), "new": c.new.as_ref().map(standing),
            "removed": lines(&c.removed), "added": lines(&c.added), "packer": c.packer, "reaches": c.reaches,
            "changes": c.changes,
        })
    };
    json!({ "list": causes.list.iter().map(cause).collect::<Vec<_>>(), "others": causes.others })
}
