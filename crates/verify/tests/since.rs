//! Which findings are new and which are gone, on pairs of descriptions that were made by editing one thing.
//!
//! The pairs are `isaglot_testing::edits::PAIRS`; each has a golden `since/NAME.txt` with the findings that the edit makes and
//! mends, and nothing else: every one was looked at. A pair with the roles of old and new exchanged gives the same lists
//! exchanged, and a description against itself, in another file, gives none.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_testing::edits::{self, Edit};
use isaglot_testing::{Failed, Trial, bless, corpus, suite};
use isaglot_verify::since::{Findings, Since, compare, fingerprint};

struct Found {
    files: SourceMap,
    list: Vec<Diagnostic>,
}

impl Found {
    fn of(top: &str, load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Found {
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let isa = isaglot_isaspec::load(&mut files, top, &mut |path| load(path), &mut out);
        let mut list: Vec<Diagnostic> = out.iter().cloned().collect();
        if let Some(isa) = isa {
            let report = isaglot_verify::check(&isa, isaglot_verify::Options::default(), &mut |_, _| ());
            list.extend(isaglot_isaspec::lints(&files));
            list.extend(isaglot_verify::diagnostics::diagnostics(&isa, &report));
            isaglot_isaspec::silence(&files, &mut list);
        }
        Found { files, list }
    }

    fn findings(&self) -> Findings<'_> {
        Findings { files: &self.files, list: &self.list }
    }

    fn line(&self, what: &str, i: usize) -> String {
        let d = &self.list[i];
        let place = d.span().and_then(|s| Some((self.files.get(s.file)?, s.start)));
        let place = place.map_or_else(String::new, |(file, at)| {
            format!("{}:{}: ", corpus::name(Path::new(&file.name)), file.line_of(at as usize))
        });
        format!("{what} {} {} {place}{}\n", d.severity.name(), d.code, d.message)
    }
}

/// The findings of an unchanged description, found once.
fn before(top: &str) -> Arc<Found> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Found>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(top.to_owned()).or_insert_with(|| Arc::new(Found::of(top, &mut corpus::load))).clone()
}

/// Pairs of large descriptions take long: the ordinary run has these, and `ISAGLOT_FULL=1` all.
const SAMPLE: [&str; 4] = ["ir3-assert", "ir3-map", "etnaviv-derived", "riscv-enum-text"];

fn is_run(edit: &Edit) -> bool {
    let is_large = ["ir3", "etnaviv", "riscv"].iter().any(|large| edit.name.starts_with(large));
    !is_large || SAMPLE.contains(&edit.name.as_str()) || std::env::var_os("ISAGLOT_FULL").is_some()
}

fn pair(edit: &Edit, top: &Path) -> Result<(), Failed> {
    let name = top.to_string_lossy();
    let old = before(&name);
    let new = Found::of(&name, &mut |path| edit.load(path));
    let found = compare(old.findings(), new.findings());
    let mut text: String = found.new.iter().map(|&i| new.line("new ", i)).collect();
    text.extend(found.gone.iter().map(|&i| old.line("gone", i)));
    if text.is_empty() {
        text.push_str("nothing\n");
    }
    let back = compare(new.findings(), old.findings());
    if back.new != found.gone || back.gone != found.new {
        return Err(format!("the other way round: {back:?}, not {found:?}").into());
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/since").join(format!("{}.txt", edit.name));
    Ok(bless::golden(&golden, &text)?)
}

/// Another name of the file, and lines before everything, change nothing; nor do they change what code hosts know findings by.
fn moved() -> Result<(), Failed> {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    for path in corpus::files(&ui, ".xml") {
        let old = Found::of(&path.to_string_lossy(), &mut corpus::load);
        let later = |text: String| text.replacen("<isa", "<!-- a line -->\n\n<isa", 1).into_bytes();
        let new = Found::of("other/name.xml", &mut |_| Ok(later(corpus::text(&path)?)));
        let found = compare(old.findings(), new.findings());
        if found != (Since { unchanged: (0..new.list.len()).collect(), ..Since::default() }) {
            return Err(format!("{}: {found:?}", path.display()).into());
        }
        for (a, b) in old.list.iter().zip(&new.list) {
            if fingerprint(&old.files, a) != fingerprint(&new.files, b) {
                return Err(format!("{}: another fingerprint of {}", path.display(), a.message).into());
            }
        }
    }
    Ok(())
}

fn main() {
    let mut trials = vec![Trial::test("verify::since::moved", moved)];
    for edit in edits::read(edits::PAIRS) {
        let name = format!("verify::since::{}", edit.name);
        trials.push(match edit.top() {
            Some(top) if is_run(&edit) => Trial::test(name, move || pair(&edit, &top)),
            _ => Trial::test(name, || Ok(())).with_ignored_flag(true),
        });
    }
    suite::run(trials);
}
