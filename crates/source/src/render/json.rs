//! One JSON object per diagnostic, on one line: `{"code","severity","message","labels":[{"file","line","col",
//! "end_line","end_col","start","end","message","primary"}],"notes":[…],"fix"?}`. Lines and columns count from 1,
//! `start` and `end` are byte offsets.

use serde_json::{Value, json as object};

use crate::{Diagnostic, SourceMap, Span};

/// A span as JSON.
fn place(files: &SourceMap, span: Span) -> Value {
    let Some(file) = files.get(span.file) else { return Value::Null };
    let (start, end) = (file.line_col(span.start as usize), file.line_col(span.end as usize));
    object!({
        "file": file.name, "line": start.line, "col": start.col, "end_line": end.line, "end_col": end.col,
        "start": span.start, "end": span.end,
    })
}

/// The diagnostic as a JSON value.
pub fn json(files: &SourceMap, d: &Diagnostic) -> Value {
    let labels: Vec<Value> = (d.labels.iter())
        .map(|l| {
            let mut v = place(files, l.span);
            if let Value::Object(map) = &mut v {
                map.insert("message".into(), l.message.clone().into());
                map.insert("primary".into(), l.primary.into());
            }
            v
        })
        .collect();
    let mut out = object!({
        "code": d.code, "severity": d.severity.name(), "message": d.message, "labels": labels, "notes": d.notes,
    });
    if let (Some(fix), Value::Object(map)) = (&d.fix, &mut out) {
        let mut v = place(files, fix.span);
        if let Value::Object(fields) = &mut v {
            fields.insert("message".into(), fix.message.clone().into());
            fields.insert("replacement".into(), fix.replacement.clone().into());
        }
        map.insert("fix".into(), v);
    }
    out
}
