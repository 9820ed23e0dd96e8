//! The corpus: material of other projects, which is not part of this repository.
//!
//! `ISAGLOT_CORPUS` names its folder; without it, it is looked for at `../shared/corpus` beside the workspace. A folder that
//! the variable names must be there. Otherwise, tests that need the corpus are reported as ignored where there is none.

use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of one system, such as `spirv`. `None` if there is no corpus.
///
/// # Panics
///
/// If `ISAGLOT_CORPUS` names a folder without this system.
#[must_use]
pub fn folder(system: &str) -> Option<PathBuf> {
    let given = std::env::var_os("ISAGLOT_CORPUS").map(PathBuf::from);
    let named = given.is_some();
    let dir = given.unwrap_or_else(|| crate::workspace().join("../shared/corpus")).join(system);
    assert!(!named || dir.is_dir(), "ISAGLOT_CORPUS: there is no folder {}", dir.display());
    dir.is_dir().then_some(dir)
}

/// The files of a folder whose names end in `suffix`, in order of name. Folders within it are not searched.
#[must_use]
pub fn files(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_file()).collect();
    found.retain(|path| name(path).ends_with(suffix));
    found.sort();
    found
}

/// The name of a file without its folder, with which the ids of its rows begin in a ledger.
#[must_use]
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The bytes of a file, unpacked if its name ends in `.gz` (or `.xz`, with the feature `archive`).
///
/// # Errors
///
/// The path, and why it cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let error = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let packed = std::fs::read(path).map_err(|e| error(&e))?;
    match path.extension().and_then(|e| e.to_str()) {
        Some("gz") => {
            let mut out = Vec::new();
            flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut out).map_err(|e| error(&e))?;
            Ok(out)
        }
        #[cfg(feature = "archive")]
        Some("xz") => {
            let mut out = Vec::new();
            lzma_rs::xz_decompress(&mut &packed[..], &mut out).map_err(|e| error(&format!("{e:?}")))?;
            Ok(out)
        }
        _ => Ok(packed),
    }
}

/// The text of a file, unpacked as [`bytes`] does it.
///
/// # Errors
///
/// As [`bytes`], and if it is not UTF-8.
pub fn text(path: &Path) -> Result<String, String> {
    String::from_utf8(bytes(path)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// A folder with the files of a `.tar.xz` archive; they are not to be changed.
///
/// It is kept in the target folder, so that only the first test of all that ask for it unpacks it.
///
/// # Errors
///
/// Why it cannot be unpacked.
#[cfg(feature = "archive")]
pub fn unpacked(archive: &Path) -> Result<PathBuf, String> {
    let error = |e: &dyn std::fmt::Display| format!("{}: {e}", archive.display());
    let about = std::fs::metadata(archive).map_err(|e| error(&e))?;
    let changed = about.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
    let version = format!("{}-{}-{}", name(archive), about.len(), changed.unwrap_or_default().as_nanos());
    let parent = target().join("testing");
    let place = parent.join(version);
    if place.is_dir() {
        return Ok(place);
    }
    std::fs::create_dir_all(&parent).map_err(|e| error(&e))?;
    let fresh = tempfile::tempdir_in(&parent).map_err(|e| error(&e))?;
    tar::Archive::new(&bytes(archive)?[..]).unpack(fresh.path()).map_err(|e| error(&e))?;
    // In one step, because another test may do the same at the same time; then its folder serves as well.
    match std::fs::rename(fresh.path(), &place) {
        Err(e) if !place.is_dir() => Err(error(&e)),
        _ => Ok(place),
    }
}

/// The target folder: the one that cargo has marked above the running test.
#[cfg(feature = "archive")]
fn target() -> PathBuf {
    let here = std::env::current_exe().unwrap_or_default();
    let marked = here.ancestors().find(|dir| dir.join("CACHEDIR.TAG").is_file());
    marked.map_or_else(std::env::temp_dir, Path::to_owned)
}

/// Bytes from pairs of hexadecimal digits.
///
/// # Panics
///
/// If the text has anything else.
#[must_use]
pub fn unhex(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2), "an odd number of hexadecimal digits: {digits}");
    let digit = |b: u8| char::from(b).to_digit(16).unwrap_or_else(|| panic!("not hexadecimal: {digits}")) as u8;
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Bytes as pairs of lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Reads a file: what front ends are given to load with.
pub fn load(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| e.to_string())
}
