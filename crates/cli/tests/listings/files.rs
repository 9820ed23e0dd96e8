//! Files of the corpus.

use std::path::{Path, PathBuf};

use isaglot_testing::corpus;
use serde_json::Value;

/// A file, unpacked if it is packed.
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    corpus::bytes(path).unwrap_or_else(|why| panic!("{why}"))
}

/// The records of a file of JSON lines.
pub(crate) fn records(path: &Path) -> Vec<Value> {
    let text = bytes(path);
    let lines = text.split(|&b| b == b'\n').filter(|l| !l.is_empty());
    lines.map(|l| serde_json::from_slice(l).expect("a JSON record")).collect()
}

/// What is in a folder and has a name that passes, in order.
pub(crate) fn those(dir: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
    let mut all: Vec<PathBuf> = entries.filter(|path| wanted(&corpus::name(path))).collect();
    all.sort();
    all
}
