//! Texts that the library carries, compressed.
//!
//! The problem: the descriptions and tables of `specs/` are more than a megabyte of text, a tenth of a program that has them all,
//! and most runs read none of it. The method: `build.rs` writes the files of a folder one after the other and compresses the
//! whole with DEFLATE; it is made text again when the first file is asked for. The invariant: every file is what it is in `specs/`, which
//! a test compares.

use std::sync::OnceLock;

/// Files that are compressed together.
#[derive(Debug)]
pub(crate) struct Packed {
    /// The name of each file and its length in bytes, in the order in which they are packed.
    files: &'static [(&'static str, usize)],
    /// What DEFLATE makes of all of them.
    bytes: &'static [u8],
    /// All of them again, once somebody has asked.
    text: OnceLock<String>,
}

impl Packed {
    const fn new(files: &'static [(&'static str, usize)], bytes: &'static [u8]) -> Packed {
        Packed { files, bytes, text: OnceLock::new() }
    }

    /// The name of the first file.
    pub(crate) fn first(&self) -> &'static str {
        self.files.first().map_or("", |(name, _)| name)
    }

    /// The text of a file.
    pub(crate) fn find(&'static self, name: &str) -> Option<&'static str> {
        let at = self.files.iter().position(|(known, _)| *known == name)?;
        let start = self.files.iter().take(at).map(|(_, length)| length).sum::<usize>();
        let length = self.files.get(at)?.1;
        self.text.get_or_init(|| self.inflate()).get(start..start + length)
    }

    fn inflate(&self) -> String {
        let bytes = miniz_oxide::inflate::decompress_to_vec(self.bytes).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }
}

include!(concat!(env!("OUT_DIR"), "/packed.rs"));

#[cfg(test)]
mod tests {
    use super::{LLVM, Packed, RISCV};

    #[track_caller]
    fn equal(packed: &'static Packed, files: &[isaglot_specs::File]) {
        assert_eq!(packed.files.len(), files.len());
        for (name, text) in files {
            assert_eq!(packed.find(name), Some(*text), "{name}");
        }
    }

    #[test]
    fn texts_are_the_same_again() {
        equal(&RISCV, isaglot_specs::RISCV);
        equal(&LLVM, isaglot_specs::LLVM);
    }
}
