//! A report as JSON: everything, whatever a text leaves out. Numbers of words and bytes are JSON numbers; words and patterns
//! are strings, since they may have any width.

use serde_json::{Value, json};

use crate::report::{Bits, Report, Whereabouts};

/// The report as JSON.
#[must_use]
pub fn json(report: &Report) -> Value {
    let clusters = report.clusters.iter().map(|row| {
        json!({
            "space": row.space,
            "pattern": row.pattern,
            "bits": bits(&row.bits),
            "constant": bits(&row.constant),
            "neighbours": row.neighbours,
            "note": row.note,
            "at": at(&row.at),
            "stub": row.stub,
        })
    });
    let findings = report.findings.iter().map(|row| {
        json!({
            "kind": row.kind,
            "encoding": row.encoding,
            "message": row.message,
            "place": row.place,
            "of": row.of,
            "at": at(&row.at),
        })
    });
    let unused = &report.unused;
    let encodings =
        unused.encodings.iter().map(|row| json!({ "space": row.space, "all": row.all, "names": row.names }));
    let overrides = unused
        .overrides
        .iter()
        .map(|row| json!({ "owner": row.owner, "number": row.number, "place": row.place, "encodings": row.encodings }));
    let values = unused.values.iter().map(|row| {
        let values: Vec<Value> =
            row.values.iter().map(|(value, text)| json!({ "value": value, "text": text })).collect();
        json!({ "enum": row.name, "all": row.all, "values": values })
    });
    json!({
        "isa": report.isa,
        "gen": report.generation,
        "programs": report.programs,
        "bytes": report.bytes,
        "words": report.words,
        "unknown": report.unknown,
        "flawed": report.flawed,
        "outside": report.outside,
        "clusters": clusters.collect::<Value>(),
        "findings": findings.collect::<Value>(),
        "unused": {
            "encodings": encodings.collect::<Value>(),
            "overrides": overrides.collect::<Value>(),
            "values": values.collect::<Value>(),
        },
    })
}

fn bits(bits: &[Bits]) -> Value {
    bits.iter().map(|b| json!({ "high": b.high, "low": b.low, "value": b.value })).collect()
}

fn at(at: &Whereabouts) -> Value {
    json!({
        "words": at.words,
        "programs": at.programs,
        "or_more": at.or_more,
        "names": at.names,
        "offset": at.offset,
        "example": at.example,
    })
}
