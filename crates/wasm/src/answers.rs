//! Problems as JSON.

use isaglot::Problem;
use serde_json::{Value, json};

/// Problems as an array.
pub(crate) fn all(problems: &[Problem]) -> Value {
    let row = |problem: &Problem| {
        let place = problem.place.as_ref().map(|place| {
            json!({
                "file": place.file, "line": place.line, "column": place.column, "offset": place.offset,
                "length": place.length,
            })
        });
        json!({
            "code": problem.code, "severity": problem.severity, "message": problem.message, "notes": problem.notes,
            "place": place, "text": problem.text,
        })
    };
    problems.iter().map(row).collect()
}

/// Problems as text.
pub(crate) fn problems(problems: &[Problem]) -> String {
    all(problems).to_string()
}
