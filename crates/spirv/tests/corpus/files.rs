//! Finding and reading the corpus, and counting.

use std::io::Read;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use serde_json::Value;

/// The SPIR-V folder of the corpus, if there is one.
pub(crate) fn folder() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = std::env::var_os("ISAGLOT_CORPUS").map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    let dir = corpus.join("spirv");
    dir.is_dir().then_some(dir)
}

/// A file, unpacked if it is packed.
pub(crate) fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    let path = folder.join(name);
    let packed = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if !name.ends_with(".gz") {
        return packed;
    }
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut out).expect("a gzip file");
    out
}

/// The records of a file of JSON lines.
pub(crate) fn records(folder: &Path, name: &str) -> Vec<Value> {
    let text = bytes(folder, name);
    let lines = text.split(|&b| b == b'\n').filter(|l| !l.is_empty());
    lines.map(|l| serde_json::from_slice(l).expect("a JSON record")).collect()
}

/// A field that is text.
pub(crate) fn text<'a>(v: &'a Value, key: &str) -> &'a str {
    v[key].as_str().unwrap_or_default()
}

/// Bytes from hexadecimal digits.
pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    let nibble = |b: u8| (b as char).to_digit(16).expect("a hexadecimal digit") as u8;
    digits.as_bytes().chunks(2).map(|p| nibble(p[0]) << 4 | nibble(p[1])).collect()
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

/// How many of how many, with the first few that did not.
pub(crate) struct Score {
    what: String,
    passed: usize,
    total: usize,
    shown: Vec<String>,
}

impl Score {
    pub(crate) fn new(what: impl Into<String>) -> Score {
        Score { what: what.into(), passed: 0, total: 0, shown: Vec::new() }
    }

    /// Counts one; `why` is asked only for the first failures.
    pub(crate) fn count(&mut self, ok: bool, why: impl FnOnce() -> String) {
        self.total += 1;
        self.passed += usize::from(ok);
        let most = std::env::var("ISAGLOT_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
        if !ok && self.shown.len() < most {
            self.shown.push(why());
        }
    }

    /// Prints the score; an error below `bar` per cent.
    pub(crate) fn finish(self, bar: f64) -> Result<(), Failed> {
        println!("{}: {}/{}", self.what, self.passed, self.total);
        let share = 100.0 * self.passed as f64 / self.total.max(1) as f64;
        if self.total == 0 {
            return Err(format!("{}: nothing was there to check", self.what).into());
        }
        if share >= bar {
            return Ok(());
        }
        Err(format!("{}: {share:.3} % is below {bar} %\n{}", self.what, self.shown.join("\n")).into())
    }
}
