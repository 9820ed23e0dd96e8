//! The corpus: where it is, and its files unpacked.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A folder of the corpus, if there is one.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("ISAGLOT_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let path = root.join(name);
    path.is_dir().then_some(path)
}

/// A file, unpacked if it is packed.
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    let packed = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if path.extension().is_none_or(|e| e != "gz") {
        return packed;
    }
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut out).expect("a gzip file");
    out
}

/// The records of a file of JSON lines.
pub(crate) fn records(path: &Path) -> Vec<Value> {
    let text = bytes(path);
    let lines = text.split(|&b| b == b'\n').filter(|l| !l.is_empty());
    lines.map(|l| serde_json::from_slice(l).expect("a JSON record")).collect()
}

/// The files of a folder whose names pass, in order.
pub(crate) fn those(dir: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
    let name = |p: &PathBuf| p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut all: Vec<PathBuf> = entries.filter(|p| wanted(&name(p))).collect();
    all.sort();
    all
}

/// Bytes from hexadecimal digits.
pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    let nibble = |b: u8| char::from(b).to_digit(16).expect("a hexadecimal digit") as u8;
    digits.as_bytes().chunks(2).map(|p| p.iter().fold(0, |v, &b| v << 4 | nibble(b))).collect()
}
