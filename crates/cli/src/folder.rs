//! A folder as an input: the programs in it and in the folders below it, in the order of their paths.
//!
//! A folder of dumps holds notes, sources and settings beside programs, and any bytes decode to something. So only what is known
//! by its first bytes or by the ending of its name is taken, and how many files are left out is said.

use std::io::Read;
use std::path::{Path, PathBuf};

use isaglot_source::{Diagnostic, Diagnostics, counted};

use crate::io::{open, unreadable};
use crate::program::{ARCHIVE, ELF, is_spirv, zebin};

/// Endings of the names of files that hold code and nothing else.
const ENDINGS: [&str; 5] = ["bin", "hex", "krn", "raw", "spv"];

/// The deepest folder that is looked into.
const MAX_DEPTH: usize = 32;

/// The most files that folders may hold.
const MAX_FILES: usize = 1 << 20;

/// What is looked for in folders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Want {
    /// There is a description; without one, files that need none are looked for.
    pub(crate) is_described: bool,
    /// SPIR-V modules too.
    pub(crate) modules: bool,
}

/// The inputs with the programs in a folder in its place.
pub(crate) fn expand(inputs: &[PathBuf], want: Want, problems: &mut Diagnostics) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut all = Vec::new();
    for input in inputs {
        if !input.is_dir() {
            all.push(input.clone());
            continue;
        }
        let mut files = Vec::new();
        collect(input, 0, &mut files)?;
        let whole = files.len();
        let mut taken = Vec::new();
        for file in files {
            if is_program(&file, want)? {
                taken.push(file);
            }
        }
        let name = input.display();
        if taken.is_empty() {
            let d = Diagnostic::error("cli-folder", format!("{name}: no program in this folder"));
            return Err(d.note(format!(
                "expected ELF files, archives of them, {}or files that end in .{}",
                if want.modules { "SPIR-V modules, " } else { "" },
                ENDINGS.join(", .")
            )));
        }
        if taken.len() < whole {
            let left = counted(whole - taken.len(), "file");
            let d = Diagnostic::warning("cli-folder", format!("{name}: {left} of other kinds left out"));
            problems.push(d.note("name a file to read it whatever it is called"));
        }
        all.extend(taken);
    }
    Ok(all)
}

/// The files in a folder and below it, sorted.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Diagnostic> {
    let failed = |e: std::io::Error| unreadable(&folder.display().to_string(), &e);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // A link to a folder could lead back here.
        entries.push((entry.path(), entry.file_type().map_err(failed)?.is_dir()));
    }
    entries.sort();
    for (path, is_folder) in entries {
        if is_folder && depth < MAX_DEPTH {
            collect(&path, depth + 1, files)?;
        } else if path.is_file() {
            if files.len() == MAX_FILES {
                let message = format!("{}: more than {MAX_FILES} files", folder.display());
                return Err(Diagnostic::error("cli-folder", message));
            }
            files.push(path);
        }
    }
    Ok(())
}

fn is_program(path: &Path, want: Want) -> Result<bool, Diagnostic> {
    let mut head = Vec::new();
    let read = open(Some(path))?.take(zebin::HEAD as u64).read_to_end(&mut head);
    read.map_err(|e| unreadable(&path.display().to_string(), &e))?;
    if is_spirv(&head) {
        return Ok(want.modules);
    }
    if !want.is_described {
        return Ok(zebin::is_zebin(&head) || head.starts_with(ARCHIVE));
    }
    let is_named = path.extension().is_some_and(|e| ENDINGS.iter().any(|ending| e.eq_ignore_ascii_case(ending)));
    Ok(is_named || head.starts_with(ELF) || head.starts_with(ARCHIVE))
}
