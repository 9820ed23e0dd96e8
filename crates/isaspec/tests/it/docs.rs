//! `docs/isaspec.md` is true: every description in it loads without a word, and it lists exactly the codes there are.

use std::collections::BTreeSet;
use std::path::Path;

use isaglot_isaspec as isaspec;
use isaglot_source::{Diagnostics, SourceMap, render};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/isaspec.md");
    std::fs::read_to_string(path).expect("docs/isaspec.md")
}

#[test]
fn examples_load() {
    let page = page();
    let examples: Vec<&str> = page.split("```xml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 11, "an example of every extension");
    let mut before = "";
    for (i, example) in examples.iter().enumerate() {
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        // Roles are those of the description before them.
        let roles = example.starts_with("<roles").then_some(example.as_bytes());
        let overlay = roles.map(|bytes| isaspec::Overlay { name: "example.roles.xml", bytes, partial: false });
        before = if roles.is_some() { before } else { example };
        let mut read = |_: &str| Ok(before.as_bytes().to_vec());
        let isa = isaspec::load_with_roles(&mut files, &format!("example-{i}.xml"), overlay, &mut read, &mut out);
        let problems: String = out.iter().map(|d| render::text(&files, d, false)).collect();
        assert!(isa.is_some() && problems.is_empty(), "{problems}\n{example}");
    }
}

/// The codes in a text: between quotes or backquotes.
fn codes(text: &str, quote: char, found: &mut BTreeSet<String>) {
    for piece in text.split(quote) {
        let plain = piece.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if piece.starts_with("isaspec-") && plain {
            found.insert(piece.to_owned());
        }
    }
}

fn sources(directory: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).expect("the crate's sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            codes(&std::fs::read_to_string(&path).expect("a source file"), '"', found);
        }
    }
}

#[test]
fn every_code_is_listed() {
    let (mut real, mut listed) = (BTreeSet::new(), BTreeSet::new());
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut real);
    for row in page().lines().filter(|l| l.starts_with("| `isaspec-")) {
        codes(row, '`', &mut listed);
    }
    let missing: Vec<_> = real.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&real).collect();
    assert!(missing.is_empty() && stale.is_empty(), "not in docs/isaspec.md: {missing:?}, only there: {stale:?}");
}
