//! Goldens: files with the output that a test expects, compared, or written anew with `BLESS=1` (`cargo xtask bless`).

use std::path::{Path, PathBuf};

/// Whether goldens and ledgers are written instead of compared.
#[must_use]
pub fn wanted() -> bool {
    std::env::var_os("BLESS").is_some_and(|v| !v.is_empty() && v != "0")
}

/// Compares a text with its golden, or writes it with `BLESS=1`.
///
/// # Errors
///
/// The first line that differs, or why the file cannot be read or written.
pub fn golden(path: &Path, text: &str) -> Result<(), String> {
    golden_bytes(path, text.as_bytes())
}

/// As [`golden`], for output that is not text.
///
/// # Errors
///
/// As [`golden`].
pub fn golden_bytes(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if wanted() {
        if std::fs::read(path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        return std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()));
    }
    let expected = std::fs::read(path).map_err(|e| format!("{}: {e} (BLESS=1 writes it)", path.display()))?;
    difference("golden", &expected, bytes).map_err(|what| format!("{} (BLESS=1 accepts): {what}", path.display()))
}

/// Compares two texts line by line.
///
/// # Errors
///
/// The first line that differs, as both have it. `name` says whose text `expected` is.
pub fn difference(name: &str, expected: &[u8], got: &[u8]) -> Result<(), String> {
    if expected == got {
        return Ok(());
    }
    let (mut theirs, mut ours) = (expected.split(|&b| b == b'\n'), got.split(|&b| b == b'\n'));
    for line in 1.. {
        let (a, b) = (theirs.next(), ours.next());
        if a != b {
            let show = |line: Option<&[u8]>| line.map_or("(end)".into(), String::from_utf8_lossy).into_owned();
            return Err(format!("line {line} differs:\n  {name}: {}\n  here: {}", show(a), show(b)));
        }
        if a.is_none() {
            break;
        }
    }
    Ok(())
}

/// The files of a folder whose names end in `suffix`, in order of name: the cases of a test that is data.
///
/// # Panics
///
/// If there is none: a test without cases tests nothing.
#[must_use]
pub fn cases(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let found = crate::corpus::files(folder, suffix);
    assert!(!found.is_empty(), "no case *{suffix} in {}", folder.display());
    found
}
