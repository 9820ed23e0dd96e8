//! Broken inputs: each fault is found, in the file and at the key or line where it is.

#[allow(dead_code, reason = "not every test reads an archive")]
mod formats;

use std::path::Path;

use formats::rows;
use isaglot_riscv::formats::check::{OPCODES, UDB, check};
use isaglot_riscv::formats::compare::rules::Rules;
use isaglot_riscv::formats::opcodes;
use isaglot_riscv::formats::udb::{self, Folder, Sources};
use isaglot_source::{Diagnostic, Diagnostics, Severity, SourceMap};
use isaglot_testing::{Failed, Tally, ledger, suite};
use serde_json::Value;

fn main() {
    suite::run_corpus_cases("riscv", &[("negatives", negatives)]);
}

fn negatives(corpus: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    let rules = Rules::shipped();
    for row in rows(corpus, "golden-negative.jsonl.gz")? {
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let loaded = match row["format"].as_str() {
            Some("udb") => {
                let overlay = row.get("overlay").map(|_| folder(&row, "overlay"));
                let sources = Sources { base: folder(&row, "files"), overlay, ..Sources::default() };
                let table = udb::load(sources, &mut files, &mut out);
                table.inspect(|table| check(table, UDB, &rules, &mut out)).is_some() && !out.has_errors()
            }
            Some("opcodes") => {
                let all = opcodes::load(&mut files, &folder(&row, "files").files, &mut out);
                check(&opcodes::table::table(&all), OPCODES, &rules, &mut out);
                !out.has_errors()
            }
            _ => return Err("unknown format".into()),
        };
        let place = format!("{} {}", text(&row, "id"), text(&row, "category"));
        tally.row(text(&row, "format"), place, is_found(&row, loaded, &files, &out));
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "negatives", &tally)?)
}

fn text<'r>(row: &'r Value, key: &str) -> &'r str {
    row[key].as_str().unwrap_or_default()
}

fn folder(row: &Value, key: &str) -> Folder {
    let files = row[key].as_object().into_iter().flatten();
    let files = files.map(|(path, text)| (path.clone(), text.as_str().unwrap_or_default().as_bytes().to_vec()));
    Folder { name: String::new(), files: files.collect() }
}

/// The fault that the row names is among the messages, and the tree is refused or read as it should be.
fn is_found(row: &Value, loaded: bool, files: &SourceMap, out: &Diagnostics) -> Result<(), String> {
    let error = row["severity"] == "error";
    let severity = if error { Severity::Error } else { Severity::Warning };
    let is_it = |d: &&Diagnostic| {
        let span = d.span().unwrap_or_default();
        let file = files.get(span.file).is_some_and(|f| f.name == text(row, "file"));
        let code = [d.code, d.code.split_once('-').map_or("", |(_, code)| code)].contains(&text(row, "category"));
        let key = row["key"].as_str().is_none_or(|key| d.message.starts_with(&format!("`{key}`:")));
        // In a program text the line counts from its first.
        let line = row["line"].as_u64().is_none_or(|line| match row["key"].as_str() {
            None => files.get(span.file).is_some_and(|f| u64::from(f.line_of(span.start as usize)) == line),
            Some(key) => first_line(files, span, key).is_some_and(|first| first + line == line_of(files, span)),
        });
        d.severity == severity && file && code && key && line
    };
    if !out.iter().any(|d| is_it(&d)) {
        let found: Vec<String> = out
            .iter()
            .map(|d| format!("{} {} {}", files.location(d.span().unwrap_or_default()), d.code, d.message))
            .collect();
        return Err(format!(
            "expected {} at {} {}, found {found:?}",
            text(row, "category"),
            text(row, "file"),
            row["key"]
        ));
    }
    if loaded == error { Err(format!("loaded: {loaded}")) } else { Ok(()) }
}

fn line_of(files: &SourceMap, span: isaglot_source::Span) -> u64 {
    files.get(span.file).map_or(0, |f| u64::from(f.line_of(span.start as usize)))
}

/// The line of a key in the file of a span.
fn first_line(files: &SourceMap, span: isaglot_source::Span, key: &str) -> Option<u64> {
    let file = files.get(span.file)?;
    let mut lines = file.bytes.split(|&b| b == b'\n');
    lines.position(|line| line.starts_with(key.as_bytes())).map(|at| at as u64 + 1)
}
