//! Programs of others, in the folder that the variable `ISAGLOT_PROGRAMS` names: CoreMark, Embench, riscv-tests and the like, which are
//! not part of this project. What a file beside a program says of it is a line each.

use std::path::{Path, PathBuf};

/// The folder of the programs; `None` if there is none.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("ISAGLOT_PROGRAMS").and_then(|folder| std::fs::canonicalize(folder).ok())
}

/// The ELF files in a folder and below it, sorted.
#[must_use]
pub fn elf_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    find(folder, &mut files);
    files.sort();
    files
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else if std::fs::read(&path).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")) {
            files.push(path);
        }
    }
}

/// The lines of the file beside a program that has this ending, such as `args`; none if there is no such file.
#[must_use]
pub fn beside(file: &Path, end: &str) -> Vec<String> {
    let path = format!("{}.{end}", file.display());
    std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}
