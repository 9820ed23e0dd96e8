//! Finding and reading the corpus, and counting.

use std::fmt::Display;
use std::path::Path;

pub(crate) use isaglot_testing::corpus::unhex;
use isaglot_testing::{Failed, Tally, corpus, ledger};
use serde_json::Value;

/// A file, unpacked if it is packed.
pub(crate) fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    corpus::bytes(&folder.join(name)).unwrap_or_else(|e| panic!("{e}"))
}

/// The records of a file of JSON lines, with the numbers of their lines.
pub(crate) fn records(folder: &Path, name: &str) -> impl Iterator<Item = (usize, Value)> + use<> {
    let text = bytes(folder, name);
    let lines = text.split(|&b| b == b'\n').zip(1..).filter(|(l, _)| !l.is_empty());
    let all: Vec<_> = lines.map(|(l, n)| (n, serde_json::from_slice(l).expect("a JSON record"))).collect();
    all.into_iter()
}

/// A field that is text.
pub(crate) fn text<'a>(v: &'a Value, key: &str) -> &'a str {
    v[key].as_str().unwrap_or_default()
}

/// SHA-256 in hexadecimal.
pub(crate) fn sha(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// The bytes of a module, low byte first.
pub(crate) fn le_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// The words of a little-endian file.
pub(crate) fn le_words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().expect("four bytes"))).collect()
}

/// How many of how many rows passed; those that fail are in `tests/ledger/spirv.txt`.
pub(crate) struct Score {
    what: String,
    tally: Tally,
}

impl Score {
    /// `what` begins with the name of the file.
    pub(crate) fn new(what: impl Into<String>) -> Score {
        Score { what: what.into(), tally: Tally::default() }
    }

    /// Counts a row; `why` is asked only if it failed.
    pub(crate) fn count(&mut self, row: impl Display, ok: bool, why: impl FnOnce() -> String) {
        self.tally.check(&self.what, row, ok, why);
    }

    /// Prints the score; an error for each row that differs from the ledger.
    pub(crate) fn finish(self) -> Result<(), Failed> {
        Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "spirv", &self.tally)?)
    }
}
