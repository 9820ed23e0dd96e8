//! Seeded faults: descriptions with one small mistake put in, each found with its place.
//!
//! A list `faults/SET.txt` has edits (see `isaglot_testing::edits`). A fault is found if the description with the edit has a
//! finding that it does not have without, and one of its places is on the lines that were edited, or on a line with the
//! text that the fact `place` gives. What is not found is a row of the ledger. The findings of the unchanged descriptions
//! are goldens, `faults/shipped/NAME.txt`, each looked at: `faults/verdicts.txt` says with what result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use isaglot_source::{Diagnostic, Diagnostics, SourceMap, render};
use isaglot_testing::edits::{self, Edit};
use isaglot_testing::{Failed, Tally, Trial, bless, corpus, ledger, suite};
use isaglot_verify::since::{Findings, compare};

/// The lists.
const SETS: [(&str, &str); 2] =
    [("encode", include_str!("faults/encode.txt")), ("lints", include_str!("faults/lints.txt"))];

/// The descriptions whose findings are goldens.
const SHIPPED: [&str; 3] = ["ir3", "afuc", "etnaviv"];

/// The findings of a description.
fn findings(top: &Path, load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> (SourceMap, Vec<Diagnostic>) {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let isa = isaglot_isaspec::load(&mut files, &top.to_string_lossy(), &mut |path| load(path), &mut out);
    let mut all: Vec<Diagnostic> = out.iter().cloned().collect();
    if let Some(isa) = isa {
        all.extend(isaglot_isaspec::lints(&files));
        all.extend(isaglot_verify::lints(&isa, None));
    }
    (files, all)
}

/// Findings, with the files of their places.
type Found = Arc<(SourceMap, Vec<Diagnostic>)>;

/// The findings without the edit, for each description once.
fn before(edit: &Edit, top: &Path) -> Found {
    static KNOWN: Mutex<BTreeMap<String, Found>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(edit.spec.clone()).or_insert_with(|| Arc::new(findings(top, &mut corpus::load))).clone()
}

/// Whether a fault is found; else what there was.
fn one(edit: &Edit, top: &Path) -> Result<(), String> {
    let text = corpus::text(&top.with_file_name(&edit.file))?;
    let (_, (first, last)) = edit.apply(&text)?;
    let (files, after) = findings(top, &mut |path| edit.load(path));
    let known = before(edit, top);
    let since = compare(Findings { files: &known.0, list: &known.1 }, Findings { files: &files, list: &after });
    let new: Vec<&Diagnostic> = since.new.iter().map(|&i| &after[i]).collect();
    let there = |d: &&&Diagnostic| {
        d.labels.iter().filter_map(|l| Some((files.get(l.span.file)?, l.span))).any(|(file, span)| {
            let line = file.line_of(span.start as usize);
            let text = String::from_utf8_lossy(file.line(line));
            let edited = file.name.ends_with(&edit.file) && (first..=last).contains(&(line as usize));
            edited || edit.facts("place").any(|place| text.contains(place))
        })
    };
    let codes: BTreeSet<&str> = new.iter().filter(there).map(|d| d.code).collect();
    match codes.is_empty() {
        false if edit.facts("code").all(|code| codes.contains(code)) => Ok(()),
        false => Err(format!("found as {codes:?}")),
        true => {
            let all: Vec<String> = new.iter().map(|d| render::text(&files, d, false)).collect();
            Err(format!("not found, first line {first}; new: {}", all.concat()))
        }
    }
}

fn set(name: &str, list: &str) -> Result<(), Failed> {
    let list = edits::read(list);
    let mut tally = Tally::default();
    for edit in &list {
        let Some(top) = edit.top() else { continue };
        tally.row(&format!("{name}.txt"), &edit.name, one(edit, &top));
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "faults", &tally)?)
}

fn shipped(folder: &Path, which: &str) -> Result<(), Failed> {
    let top = folder.join("xml").join(which).join(format!("{which}.xml"));
    let (files, all) = findings(&top, &mut corpus::load);
    let line = |d: &Diagnostic| {
        let place = d.span().and_then(|s| Some((files.get(s.file)?, s.start)));
        let place = place.map_or_else(String::new, |(file, at)| {
            format!("{}:{}: ", corpus::name(Path::new(&file.name)), file.line_of(at as usize))
        });
        let notes: String = d.notes.iter().map(|n| format!("; {n}")).collect();
        format!("{place}{} {}: {}{notes}\n", d.severity.name(), d.code, d.message)
    };
    let text: String = all.iter().map(line).collect();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/shipped").join(format!("{which}.txt"));
    Ok(bless::golden(&golden, &text)?)
}

/// The most findings on the shipped descriptions that may be false, in all.
const MOST_FALSE: usize = 10;

/// Every finding on the shipped descriptions has a verdict, and every verdict a finding.
fn verdicts() -> Result<(), Failed> {
    let rows: Vec<[&str; 4]> = include_str!("faults/verdicts.txt").lines().filter_map(verdict).collect();
    let mut used = vec![false; rows.len()];
    let mut wrong = 0;
    for which in SHIPPED {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/shipped").join(format!("{which}.txt"));
        for finding in std::fs::read_to_string(golden)?.lines() {
            let mut parts = finding.splitn(4, ':');
            let (file, line, code) = (parts.next(), parts.next(), parts.next());
            let code = code.and_then(|severity_and_code| severity_and_code.split(' ').next_back());
            let fits =
                |[f, l, c, _]: &[&str; 4]| Some(*f) == file && Some(*c) == code && (*l == "*" || Some(*l) == line);
            let Some(at) = rows.iter().position(fits) else {
                return Err(format!("no verdict for: {finding}").into());
            };
            used[at] = true;
            wrong += usize::from(rows[at][3].starts_with("false"));
        }
    }
    if let Some(at) = used.iter().position(|used| !used) {
        return Err(format!("no finding for the verdict {:?}", rows[at]).into());
    }
    println!("verdicts: {wrong} findings are false");
    if wrong > MOST_FALSE { Err(format!("{wrong} false findings").into()) } else { Ok(()) }
}

/// `FILE LINE CODE: WORDS`; `None` for a comment.
fn verdict(row: &str) -> Option<[&str; 4]> {
    let (place, words) = row.split_once(": ").filter(|_| !row.starts_with('#'))?;
    let mut parts = place.split(' ');
    Some([parts.next()?, parts.next()?, parts.next()?, words])
}

fn main() {
    suite::run_corpus("isaspec", |folder| {
        let mut trials = Vec::new();
        for which in SHIPPED {
            let folder = folder.to_owned();
            trials.push(Trial::test(format!("verify::faults::shipped::{which}"), move || shipped(&folder, which)));
        }
        trials.push(Trial::test("verify::faults::verdicts", verdicts));
        for (name, list) in SETS {
            trials.push(Trial::test(format!("verify::faults::{name}"), move || set(name, list)));
        }
        trials
    });
}
