//! LLVM's tree of the corpus, unpacked.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// The archive, unpacked once for this run into a folder that is removed at its end.
pub(crate) fn unpacked(corpus: &Path) -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    static KEEP: Mutex<Option<tempfile::TempDir>> = Mutex::new(None);
    ROOT.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let packed = std::fs::read(corpus.join("td.tar.xz")).expect("td.tar.xz");
        let mut tar = Vec::new();
        lzma_rs::xz_decompress(&mut &packed[..], &mut tar).expect("xz");
        tar::Archive::new(&tar[..]).unpack(dir.path()).expect("tar");
        let path = dir.path().to_owned();
        *KEEP.lock().expect("one thread") = Some(dir);
        path
    })
}
