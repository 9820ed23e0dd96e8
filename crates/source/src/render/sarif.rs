//! SARIF 2.1.0, the format that code hosts and editors read: one run, a rule per code, a result per diagnostic.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{Diagnostic, Severity, SourceMap, Span};

fn location(files: &SourceMap, span: Span, message: &str) -> Option<Value> {
    let file = files.get(span.file)?;
    let (start, end) = (file.line_col(span.start as usize), file.line_col(span.end as usize));
    Some(json!({
        "physicalLocation": {
            "artifactLocation": { "uri": file.name.replace('\\', "/") },
            "region": {
                "startLine": start.line, "startColumn": start.col, "endLine": end.line, "endColumn": end.col,
                "byteOffset": span.start, "byteLength": span.end - span.start,
            },
        },
        "message": { "text": message },
    }))
}

/// A whole SARIF log with these diagnostics as results of one run.
pub fn sarif<'a>(files: &SourceMap, version: &str, list: impl IntoIterator<Item = &'a Diagnostic>) -> Value {
    let mut codes = BTreeSet::new();
    let mut results = Vec::new();
    for d in list {
        codes.insert(d.code);
        let of = |primary: bool| -> Vec<Value> {
            let chosen = d.labels.iter().filter(|l| l.primary == primary);
            chosen.filter_map(|l| location(files, l.span, &l.message)).collect()
        };
        let text = std::iter::once(&d.message).chain(&d.notes).cloned().collect::<Vec<_>>().join("\n");
        let level = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        results.push(json!({
            "ruleId": d.code, "level": level, "message": { "text": text },
            "locations": of(true), "relatedLocations": of(false),
        }));
    }
    let rules: Vec<Value> = codes.iter().map(|c| json!({ "id": c })).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "isaglot", "version": version, "rules": rules } },
            "results": results,
        }],
    })
}
