//! The front end against the corpus of isaspec descriptions: every accept/reject case of `validate.jsonl`, and the
//! descriptions that must load, with as many leaves as their XML has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use isaglot_isaspec as isaspec;
use isaglot_model::Isa;
use isaglot_model::compiled::{Header, from_bytes, to_bytes};
use isaglot_source::{Diagnostics, Severity, SourceMap, render};
use isaglot_testing::{Failed, Tally, corpus, ledger, suite};

fn main() {
    suite::run_corpus_cases(
        "isaspec",
        &[("isaspec::validate", validate), ("isaspec::micro_specs_load", micro), ("isaspec::xml", descriptions)],
    )
}

fn read_file(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| e.to_string())
}

fn listing(files: &SourceMap, all: &Diagnostics) -> String {
    all.iter().map(|d| render::text(files, d, false)).collect()
}

/// Every case: accepted exactly if the reference accepts it, and rejected with a place.
fn validate(folder: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for line in corpus::text(&folder.join("validate.jsonl"))?.lines().filter(|l| !l.trim().is_empty()) {
        let case: serde_json::Value = serde_json::from_str(line)?;
        let (name, xml) = (case["name"].as_str().unwrap_or(""), case["xml"].as_str().unwrap_or(""));
        let accepted = case["accepted"].as_bool().ok_or("`accepted` is missing")?;
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let mut only = |_: &str| Ok(xml.as_bytes().to_vec());
        let isa = isaspec::load(&mut files, "case.xml", &mut only, &mut out);
        let explained = out.iter().filter(|d| d.severity == Severity::Error).all(|d| d.span().is_some());
        let good = isa.is_some() == accepted && explained && (accepted || out.has_errors());
        let why = || format!("expected accepted = {accepted}\n{}", listing(&files, &out));
        tally.check("validate.jsonl", name, good, why);
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "isaspec", &tally)?)
}

/// Loads a description without an error; its compiled form reads as the same model.
fn load(path: &Path) -> Result<Isa, String> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let isa = isaspec::load(&mut files, &path.to_string_lossy(), &mut read_file, &mut out);
    let isa = isa.ok_or_else(|| listing(&files, &out))?;
    let bytes = to_bytes(&Header::default(), &isa);
    let (header, again) = from_bytes(&bytes).map_err(|e| format!("compiled: {e:?}"))?;
    if to_bytes(&header, &again) == bytes { Ok(isa) } else { Err("the compiled form reads as another model".into()) }
}

/// The folders of a folder.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    found.retain(|path| path.is_dir());
    found.sort();
    Ok(found)
}

/// Every description of `micro` loads.
fn micro(folder: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for path in folders(&folder.join("micro"))? {
        tally.row("micro", corpus::name(&path), load(&path.join("spec.xml")).map(drop));
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "isaspec", &tally)?)
}

/// Every description of both releases loads and has the leaves that its files have: in all, and under its root.
fn descriptions(folder: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    let all = ["xml", "xml-25.0"].map(|release| Ok::<_, Failed>((release, folders(&folder.join(release))?)));
    let all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
    for (release, path) in all.into_iter().flat_map(|(r, paths)| paths.into_iter().map(move |path| (r, path))) {
        let name = corpus::name(&path);
        let (mut sets, file) = (Vec::new(), format!("{name}.xml"));
        bitsets(&path, &file, &mut sets)?;
        let row = load(&path.join(&file)).and_then(|isa| {
            let root = isa.encodings().iter().filter(|e| e.space == isa.root()).count();
            let (found, wanted) = ((isa.encodings().len(), root), leaves(&sets, isa.text(isa[isa.root()].name)));
            if found == wanted {
                Ok(())
            } else {
                Err(format!("{found:?} leaves in all and under the root, not {wanted:?}"))
            }
        });
        tally.row(release, name, row);
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "isaspec", &tally)?)
}

/// The bitsets of a file and of those that it imports: names, and what they extend.
fn bitsets(folder: &Path, file: &str, sets: &mut Vec<(String, Option<String>)>) -> Result<(), Failed> {
    let text = corpus::text(&folder.join(file))?;
    for node in roxmltree::Document::parse(&text)?.root_element().children() {
        match node.tag_name().name() {
            "import" => bitsets(folder, node.attribute("file").ok_or("an import without a file")?, sets)?,
            "bitset" => {
                let name = node.attribute("name").ok_or("a bitset without a name")?;
                sets.push((name.to_owned(), node.attribute("extends").map(str::to_owned)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The bitsets that no other extends: all of them, and those under `root`.
fn leaves(sets: &[(String, Option<String>)], root: &str) -> (usize, usize) {
    let parents: HashMap<&str, Option<&str>> = sets.iter().map(|(n, parent)| (n.as_str(), parent.as_deref())).collect();
    let is_leaf = |name: &str| sets.iter().all(|(_, parent)| parent.as_deref() != Some(name));
    let is_under_root = |leaf: &str| {
        let mut name: &str = leaf;
        while let Some(&Some(parent)) = parents.get(name) {
            name = parent;
        }
        name == root
    };
    let leaves: Vec<&str> = sets.iter().map(|(name, _)| name.as_str()).filter(|name| is_leaf(name)).collect();
    (leaves.len(), leaves.iter().filter(|name| is_under_root(name)).count())
}
