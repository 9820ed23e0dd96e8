//! The front end against the corpus of isaspec descriptions: every accept/reject case of `validate.jsonl`, and the
//! descriptions that must load.
//!
//! The corpus is found through `ISAGLOT_CORPUS`, else beside the workspace; without it the cases are reported as ignored.

use std::path::{Path, PathBuf};

use isaglot_isaspec as isaspec;
use isaglot_model::compiled::{Header, from_bytes, to_bytes};
use isaglot_source::{Diagnostics, Severity, SourceMap, render};
use libtest_mimic::{Arguments, Failed, Trial};

/// How many cases the corpus has, and how many of them a front end must judge as the reference does.
const VALIDATE_CASES: usize = 36;

/// Descriptions in the corpus that must load without an error, with their leaves in all and under `#instruction`.
const DESCRIPTIONS: [(&str, usize, usize); 3] =
    [("xml/ir3/ir3.xml", 290, 248), ("xml/afuc/afuc.xml", 89, 85), ("xml/etnaviv/etnaviv.xml", 85, 81)];

fn corpus() -> Option<PathBuf> {
    let root = match std::env::var_os("ISAGLOT_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let path = root.join("isaspec");
    path.is_dir().then_some(path)
}

fn read_file(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| e.to_string())
}

fn listing(files: &SourceMap, all: &Diagnostics) -> String {
    all.iter().map(|d| render::text(files, d, false)).collect()
}

/// Every case: accepted exactly if the reference accepts it, and rejected with a place.
fn validate(corpus: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(corpus.join("validate.jsonl"))?;
    let mut wrong = Vec::new();
    let mut total = 0;
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let case: serde_json::Value = serde_json::from_str(line)?;
        let (name, xml) = (case["name"].as_str().unwrap_or(""), case["xml"].as_str().unwrap_or(""));
        let accepted = case["accepted"].as_bool().ok_or("`accepted` is missing")?;
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let mut only = |_: &str| Ok(xml.as_bytes().to_vec());
        let isa = isaspec::load(&mut files, "case.xml", &mut only, &mut out);
        total += 1;
        let explained = out.iter().filter(|d| d.severity == Severity::Error).all(|d| d.span().is_some());
        if isa.is_some() != accepted || !explained || (!accepted && !out.has_errors()) {
            wrong.push(format!("{name}: expected accepted = {accepted}\n{}", listing(&files, &out)));
        }
    }
    println!("validate.jsonl: {}/{total}", total - wrong.len());
    if total != VALIDATE_CASES {
        return Err(format!("expected {VALIDATE_CASES} cases, found {total}").into());
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The compiled form of a model is read as what was written.
fn compiled(isa: &isaglot_model::Isa) -> Result<(), Failed> {
    let bytes = to_bytes(&Header::default(), isa);
    let (header, again) = from_bytes(&bytes).map_err(|e| format!("compiled: {e:?}"))?;
    if to_bytes(&header, &again) == bytes { Ok(()) } else { Err("the compiled form reads as another model".into()) }
}

/// A description loads without an error, also from its compiled form, and has the leaves that it is known to have.
fn description(corpus: &Path, file: &str, leaves: usize, instructions: usize) -> Result<(), Failed> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let path = corpus.join(file);
    let isa = isaspec::load(&mut files, &path.to_string_lossy(), &mut read_file, &mut out);
    let isa = isa.ok_or_else(|| listing(&files, &out))?;
    let count = |root: bool| {
        let wanted = |e: &&isaglot_model::Encoding| !root || e.space == isa.root();
        isa.encodings().iter().filter(wanted).count()
    };
    let warnings: Vec<&str> = out.iter().map(|d| d.code).collect();
    println!("{file}: {} leaves, {} under the root, warnings {warnings:?}", count(false), count(true));
    if (count(false), count(true)) != (leaves, instructions) {
        return Err(format!("expected {leaves} and {instructions} leaves").into());
    }
    compiled(&isa)
}

/// Every description of `micro` loads.
fn micro(corpus: &Path) -> Result<(), Failed> {
    let (mut good, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(corpus.join("micro"))? {
        let path = entry?.path().join("spec.xml");
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        match isaspec::load(&mut files, &path.to_string_lossy(), &mut read_file, &mut out) {
            Some(isa) => {
                compiled(&isa)?;
                good += 1;
            }
            None => wrong.push(listing(&files, &out)),
        }
    }
    println!("micro: {good}/{} load", good + wrong.len());
    if wrong.is_empty() && good > 0 { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn main() {
    let arguments = Arguments::from_args();
    let found = corpus();
    if found.is_none() {
        println!("no corpus: set ISAGLOT_CORPUS to run the isaspec corpus tests");
    }
    let missing = found.is_none();
    let root = found.unwrap_or_default();
    let at = |run: fn(&Path) -> Result<(), Failed>| {
        let root = root.clone();
        move || run(&root)
    };
    let mut trials =
        vec![Trial::test("isaspec::validate", at(validate)), Trial::test("isaspec::micro_specs_load", at(micro))];
    for (file, leaves, instructions) in DESCRIPTIONS {
        let root = root.clone();
        let run = move || description(&root, file, leaves, instructions);
        trials.push(Trial::test(format!("isaspec::{file}"), run));
    }
    let trials = trials.into_iter().map(|t| t.with_ignored_flag(missing)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}
