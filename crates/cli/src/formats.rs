//! Folders in which others publish RISC-V: what they are, and what they say as a table.

use std::path::{Path, PathBuf};

use isaglot_riscv::formats::check::{OPCODES, UDB, check};
use isaglot_riscv::formats::compare::rules::Rules;
use isaglot_riscv::formats::udb::{self, Folder, Sources};
use isaglot_riscv::formats::{Table, opcodes};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};

/// A folder in a published format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The Unified Database: the folder that has `inst` and `ext`.
    Udb(PathBuf),
    /// riscv-opcodes: the folder that has `arg_lut.csv` and `extensions`.
    Opcodes(PathBuf),
}

/// The most folders within each other that are searched.
const MAX_DEPTH: usize = 16;

/// Which format a folder is in, by what lies in it; a folder above or below the right one will do.
pub(crate) fn of(path: &Path) -> Option<Format> {
    let has = |folder: &Path, name: &str| folder.join(name).exists();
    for folder in [path.to_path_buf(), path.join("spec/std/isa")] {
        if folder.join("inst").is_dir() && folder.join("ext").is_dir() {
            return Some(Format::Udb(folder));
        }
    }
    let above = path.parent().filter(|_| path.file_name().is_some_and(|name| name == "extensions"));
    let found = [Some(path), above].into_iter().flatten().find(|f| has(f, "extensions") && has(f, "arg_lut.csv"));
    found.map(|folder| Format::Opcodes(folder.to_path_buf()))
}

impl Format {
    /// What the folder says; all that is wrong with it is reported. Nothing comes of a tree of the database with an error.
    pub(crate) fn table(&self, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Table> {
        let root = match self {
            Format::Udb(root) | Format::Opcodes(root) => root,
        };
        let mut tree = Vec::new();
        let wanted = |path: &str| match self {
            Format::Udb(_) => udb::is_read(path),
            Format::Opcodes(_) => path.starts_with("extensions/") || path == "arg_lut.csv",
        };
        if let Err(d) = collect(root, "", &wanted, 0, &mut tree) {
            problems.push(d);
            return None;
        }
        tree.sort();
        let name = root.display().to_string();
        match self {
            Format::Udb(_) => {
                let base = Folder { name, files: tree };
                udb::load(Sources { base, ..Sources::default() }, files, problems)
            }
            Format::Opcodes(_) => {
                let all = opcodes::load_from(files, &name, &tree, problems);
                Some(opcodes::table::table(&all))
            }
        }
    }

    /// Reports what is wrong with the instructions of a table among each other.
    pub(crate) fn check(&self, table: &Table, problems: &mut Diagnostics) {
        let kind = if matches!(self, Format::Udb(_)) { UDB } else { OPCODES };
        check(table, kind, &Rules::shipped(), problems);
    }
}

/// The files of a folder, with their paths from it.
fn collect(
    folder: &Path,
    prefix: &str,
    wanted: &dyn Fn(&str) -> bool,
    depth: usize,
    tree: &mut Vec<(String, Vec<u8>)>,
) -> Result<(), Diagnostic> {
    let unreadable =
        |path: &Path, e: std::io::Error| Diagnostic::error("io-read", format!("cannot read {}: {e}", path.display()));
    if depth > MAX_DEPTH {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder).map_err(|e| unreadable(folder, e))? {
        let path = entry.map_err(|e| unreadable(folder, e))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let relative = format!("{prefix}{name}");
        if path.is_dir() {
            collect(&path, &format!("{relative}/"), wanted, depth + 1, tree)?;
        } else if wanted(&relative) {
            let bytes = crate::io::read(Some(&path))?;
            tree.push((relative, bytes));
        }
    }
    Ok(())
}
