//! A difference of two descriptions that differ in one thing names that thing first, in a few lines: the pairs of
//! `isaglot-testing`, those of the corpus where there is one.

use std::path::Path;

use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::edits::{self, Edit};
use isaglot_testing::{Failed, Trial, corpus, suite};
use isaglot_verify::cause::causes;
use isaglot_verify::cause_text;
use isaglot_verify::diff::{Side, diff, diff_of};

/// The most lines of a text.
const MOST: usize = 60;

fn main() {
    let has_corpus = corpus::folder("isaspec").is_some();
    let trials = edits::read(edits::PAIRS).into_iter().map(|edit| {
        let ignored = edit.is_corpus() && !has_corpus;
        Trial::test(format!("causes/{}", edit.name), move || pair(&edit)).with_ignored_flag(ignored)
    });
    suite::run(trials.collect());
}

fn load(
    files: &mut SourceMap,
    top: &Path,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Isa, String> {
    let mut out = Diagnostics::new();
    let isa = isaglot_isaspec::load(files, &top.to_string_lossy(), &mut |path: &str| read(path), &mut out);
    isa.ok_or_else(|| out.iter().map(|d| format!("{}: {}\n", d.code, d.message)).collect())
}

fn pair(edit: &Edit) -> Result<(), Failed> {
    let top = edit.top().ok_or("no description")?;
    let mut files = SourceMap::new();
    let one = load(&mut files, &top, &mut |path| corpus::load(path))?;
    let middle = files.iter().count();
    let two = load(&mut files, &top, &mut |path| edit.load(path))?;
    let (a, b) = (Side { isa: &one, generation: None }, Side { isa: &two, generation: None });
    let old: Vec<_> = files.iter().take(middle).collect();
    let new: Vec<_> = files.iter().skip(middle).collect();
    let mut why = causes((&one, &old), (&two, &new));
    let found = diff_of(a, b, &|isa, id| why.touches(isa, id), &mut |_, _| ())?;
    // What is left out has not changed. On the large ones that takes minutes without optimisation.
    let is_small = !edit.is_corpus() && !edit.spec.contains("riscv");
    if is_small || std::env::var_os("ISAGLOT_FULL").is_some() {
        let all = diff(a, b, &mut |_, _| ())?;
        let words = |d: &isaglot_verify::diff::Difference| format!("{:?}", d.changes);
        if words(&all) != words(&found) {
            return Err("what is not reached by the cause changed, too".into());
        }
    }
    why.assign(a, b, &found);
    let text = cause_text::text(a, b, &files, &found, &why, &mut |_| ("old".to_owned(), "new".to_owned()));
    let first = text.lines().next().unwrap_or_default();
    let cause = edit.facts("cause").next().ok_or("no cause")?;
    let (kind, name) = cause.split_once(' ').ok_or("a cause has a kind and a name")?;
    let lines = text.lines().count();
    let is_packer = edit.facts("packer").next().is_some();
    let says = text.contains("no word changes, the packer does");
    if !first.starts_with(&format!("{kind} `{name}`")) || lines > MOST || is_packer != says || !why.others.is_empty() {
        return Err(format!("{cause}, packer {is_packer}: {lines} lines\n{text}").into());
    }
    println!("{}: {lines} lines", edit.name);
    Ok(())
}
