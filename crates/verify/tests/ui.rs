//! Descriptions that load but are not right, each with what a check must report written on the line that it is about.
//!
//! A case is a file `ui/NAME.xml` with markers (see [`isaglot_source::expect`]) and a golden `ui/NAME.txt` with the
//! messages as people see them. `BLESS=1` writes the goldens. Every code that this crate has must occur in a case, and
//! in `docs/check.md`, as must those of the front end and of the model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use isaglot_source::{Diagnostics, SourceMap, expect, render};
use isaglot_testing::{Failed, Trial, bless, corpus, suite};

fn run(path: &Path) -> Result<(), Failed> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let name = corpus::name(path);
    let mut read = |_: &str| std::fs::read(path).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut files, &name, &mut read, &mut out).ok_or("the description does not load")?;
    let report = isaglot_verify::check(&isa, isaglot_verify::Options::default(), &mut |_, _| ());
    let mut all = isaglot_isaspec::lints(&files);
    all.extend(isaglot_verify::diagnostics::diagnostics(&isa, &report));
    isaglot_isaspec::silence(&files, &mut all);
    all.into_iter().for_each(|d| out.push(d));
    let mut problems = expect::mismatches(&files, &out);
    let text: String = out.iter().map(|d| render::text(&files, d, false)).collect();
    problems.extend(bless::golden(&path.with_extension("txt"), &text).err());
    if problems.is_empty() { Ok(()) } else { Err(format!("{}\n{text}", problems.join("\n")).into()) }
}

/// Every code of a family in the sources below a directory.
fn codes(directory: &Path, family: &str) -> Result<BTreeSet<String>, Failed> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(codes(&path, family)?);
        } else {
            let source = std::fs::read_to_string(&path)?;
            let plain = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
            let quoted = source.split('"').filter(|text| text.starts_with(family) && plain(text));
            found.extend(quoted.map(str::to_owned));
        }
    }
    Ok(found)
}

/// Every code has a case, and a place in the documentation.
fn complete(root: &Path, cases: &[PathBuf]) -> Result<(), Failed> {
    let texts: String = cases.iter().filter_map(|p| std::fs::read_to_string(p).ok()).collect();
    let tested: BTreeSet<&str> = texts.split_whitespace().filter(|w| w.starts_with("verify-")).collect();
    let documented = std::fs::read_to_string(root.join("../../docs/check.md"))?;
    let mut all = codes(&root.join("src"), "verify-")?;
    let mut missing: Vec<String> = all.iter().filter(|code| !tested.contains(code.as_str())).cloned().collect();
    all.extend(codes(&root.join("../isaspec/src"), "isaspec-")?);
    all.extend(codes(&root.join("../model/src"), "model-")?);
    missing.extend(all.iter().filter(|code| !documented.contains(&format!("`{code}`"))).cloned());
    if missing.is_empty() && all.len() > 50 { Ok(()) } else { Err(format!("no case or no text: {missing:?}").into()) }
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf();
    let paths = bless::cases(&root.join("tests/ui"), ".xml");
    let mut trials = suite::file_cases("verify::ui", paths.clone(), run);
    trials.push(Trial::test("verify::ui::every_code", move || complete(&root, &paths)));
    suite::run(trials)
}
