//! Every fault that loading the Unified Database can find: one edit of a sound tree each, and all that is said of it.

use std::fmt::Write as _;
use std::path::Path;

use isaglot_riscv::formats::udb::{self, Folder, Sources};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::bless;

const TREE: &str = include_str!("../data/udb.txt");
const EDITS: &str = include_str!("../data/udb-faults.txt");

/// The files of the tree; an overlay is there only where an edit is about one.
fn tree() -> Vec<(String, String)> {
    let parts = TREE.split("==> ").filter_map(|part| part.split_once('\n'));
    parts.filter(|(path, _)| !path.starts_with("overlay/")).map(|(p, t)| (p.to_owned(), t.to_owned())).collect()
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\u{1}", "\u{1}").replace("\\|", "|")
}

fn edited(path: &str, old: &str, new: &str) -> Vec<(String, String)> {
    let mut tree = tree();
    match tree.iter_mut().find(|(p, _)| p == path) {
        Some((_, text)) if old.is_empty() => text.push_str(new),
        Some((_, text)) => {
            assert!(text.contains(old), "{path} has no `{old}`");
            *text = text.replacen(old, new, 1);
        }
        None => tree.push((path.to_owned(), new.to_owned())),
    }
    tree
}

fn messages(tree: Vec<(String, String)>) -> String {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut sources = Sources { details: true, ..Sources::default() };
    let mut overlay = Folder { name: "overlay".to_owned(), files: Vec::new() };
    for (path, text) in tree {
        let bytes = text.into_bytes();
        match path.strip_prefix("overlay/") {
            Some(inner) => overlay.files.push((inner.to_owned(), bytes)),
            None if path == "config.yaml" => {
                sources.configuration = udb::configuration("config.yaml", bytes, &mut files, &mut out);
            }
            None => sources.base.files.push((path, bytes)),
        }
    }
    sources.overlay = Some(overlay).filter(|o| !o.files.is_empty());
    let loaded = udb::load(sources, &mut files, &mut out);
    assert!(loaded.is_some() || out.has_errors());
    let mut text = String::new();
    for d in &out {
        let (severity, place) = (d.severity.name(), files.location(d.span().unwrap_or_default()));
        let _ = writeln!(text, "  {place}: {severity} [{}] {}", d.code, d.message);
        for note in &d.notes {
            let _ = writeln!(text, "    {note}");
        }
    }
    text
}

#[test]
fn faults() {
    let usual: Vec<String> = messages(tree()).lines().map(str::to_owned).collect();
    let mut text = String::new();
    for line in EDITS.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.splitn(3, " | ").collect();
        let [path, old, new] = parts[..] else { panic!("expected PATH | OLD | NEW: {line}") };
        let said = messages(edited(path, &unescaped(old), &unescaped(new)));
        // What is said of the sound tree too is left out.
        let news: String = said.lines().filter(|l| !usual.iter().any(|u| u == l)).map(|l| format!("{l}\n")).collect();
        let _ = write!(text, "{line}\n{}", if news.is_empty() { "  nothing\n".to_owned() } else { news });
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/udb-faults.txt");
    bless::golden(&golden, &text).unwrap_or_else(|e| panic!("{e}"));
}
