//! RISC-V as others publish it, as descriptions: folders of the Unified Database and of riscv-opcodes, known by what is in
//! them.
//!
//! A folder is read whole, within bounds, and handed to the front end of its format; what the formats do not say of operands
//! comes from a table that ships with the program, or from `--operands`.

use std::path::{Path, PathBuf};

use isaglot_model::Isa;
use isaglot_riscv::formats::check::{OPCODES, UDB, check};
use isaglot_riscv::formats::compare::rules::Rules;
use isaglot_riscv::formats::formula::Facts as _;
use isaglot_riscv::formats::lower::{lower, operands};
use isaglot_riscv::formats::{Table, opcodes, udb};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};

use super::{Host, text};
use crate::fs::unreadable;
use crate::shipped;

/// The most files of a published format.
const MAX_FILES: usize = 20_000;

/// The most bytes of all its files.
const MAX_BYTES: usize = 256 << 20;

/// The deepest folder.
const MAX_DEPTH: usize = 16;

/// What a description has beside its folder, as the options say it.
pub struct Parts<'a> {
    /// The overlay.
    pub overlay: Option<&'a Path>,
    /// The configuration.
    pub config: Option<&'a Path>,
    /// The table of operands.
    pub operands: Option<&'a Path>,
}

/// A folder whose format is known.
pub enum Format {
    /// The folder that holds `inst` and `ext`.
    Udb(PathBuf),
    /// The folder that holds `arg_lut.csv` and `extensions`.
    Opcodes(PathBuf),
}

impl Format {
    /// The format of a folder; a whole copy of the Unified Database stands for the architecture in it.
    pub fn of(folder: &Path) -> Option<Format> {
        let is_udb = |folder: &Path| folder.join("inst").is_dir() && folder.join("ext").is_dir();
        let is_opcodes = |folder: &Path| folder.join("arg_lut.csv").is_file() && folder.join("extensions").is_dir();
        let inner = folder.join("spec/std/isa");
        if is_udb(folder) {
            return Some(Format::Udb(folder.to_owned()));
        }
        if is_udb(&inner) {
            return Some(Format::Udb(inner));
        }
        if is_opcodes(folder) {
            return Some(Format::Opcodes(folder.to_owned()));
        }
        // `opcodes/extensions` itself, also where it is given as `.`.
        let full = folder.canonicalize().ok()?;
        let parent = full.parent().filter(|parent| full.ends_with("extensions") && is_opcodes(parent))?;
        let shown = folder.parent().filter(|p| is_opcodes(p)).unwrap_or(parent);
        Some(Format::Opcodes(shown.to_owned()))
    }

    /// What the folder says, with an overlay and for a configuration; nothing comes of a tree of the database with an error.
    pub fn table(
        &self,
        args: &Parts<'_>,
        host: &dyn Host,
        files: &mut SourceMap,
        problems: &mut Diagnostics,
    ) -> Option<Table> {
        match self {
            Format::Udb(folder) => {
                let configuration = configuration(args, host, files, problems)?;
                of_udb(folder, args, configuration.as_ref(), files, problems)
            }
            Format::Opcodes(folder) => of_opcodes(folder, files, problems),
        }
    }

    /// Reports what is wrong with the instructions of a table among each other.
    pub fn check(&self, table: &Table, problems: &mut Diagnostics) {
        let kind = if matches!(self, Format::Udb(_)) { UDB } else { OPCODES };
        check(table, kind, &Rules::shipped(), problems);
    }
}

/// Whether a path is a folder of a published format.
pub fn is_published(path: &Path) -> bool {
    path.is_dir() && Format::of(path).is_some()
}

/// Reads a folder; `None` if there were errors, or if it is not one of a published format.
pub fn read(
    path: &Path,
    args: &Parts<'_>,
    host: &dyn Host,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Isa> {
    let format = Format::of(path)?;
    let _stage = host.stage(&format!("reading the description {}", path.display()), "");
    let before = problems.error_count();
    let mut configuration = None;
    let table = match &format {
        Format::Udb(folder) => {
            configuration = self::configuration(args, host, files, problems)?;
            of_udb(folder, args, configuration.as_ref(), files, problems)?
        }
        Format::Opcodes(folder) => of_opcodes(folder, files, problems)?,
    };
    if problems.error_count() > before {
        return None;
    }
    let base =
        isaglot_isaspec::load_sources(files, shipped::FORMATS.top(), &mut |n| shipped::FORMATS.read(n), problems)?;
    let (name, text) = match args.operands {
        Some(path) => {
            let bytes = problems.ok(text(host, path))?;
            (path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
        }
        None => ("formats.operands".to_owned(), shipped::FORMAT_OPERANDS.to_owned()),
    };
    let id = files.add(name, text.as_bytes());
    let operands = operands::read(id, &text, "llvm", problems);
    if problems.error_count() > before {
        return None;
    }
    let known = configuration.as_ref().map(|c| c.over(&table));
    let decided = |name: &str| known.as_ref().and_then(|known| known.extension(name, &[]));
    lower(&table, &operands, base, &decided, problems)
}

/// The configuration that is asked for, if one is; `None` if it has errors.
fn configuration(
    args: &Parts<'_>,
    host: &dyn Host,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Option<udb::Configuration>> {
    let Some(path) = args.config else { return Some(None) };
    let bytes = problems.ok(text(host, path))?;
    udb::configuration(&path.display().to_string(), bytes, files, problems).map(Some)
}

fn of_udb(
    folder: &Path,
    args: &Parts<'_>,
    configuration: Option<&udb::Configuration>,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Table> {
    let read = |folder: &Path| {
        let files = tree(folder, &udb::is_read)?;
        Ok(udb::Folder { name: folder.display().to_string(), files })
    };
    let base = problems.ok(read(folder))?;
    // A configuration names the overlay that it needs, a folder beside the standard one.
    let named = configuration.and_then(|c| c.overlay.as_ref());
    let named = named.and_then(|name| Some(folder.parent()?.parent()?.join("custom/isa").join(name)));
    let overlay = match args.overlay.or(named.as_deref()) {
        Some(overlay) if !overlay.is_dir() => {
            let d = Diagnostic::error("cli-overlay", format!("{}: this is not a folder", overlay.display()));
            problems.push(d.note("an overlay is a folder of the same shape as the database: `spec/custom/isa/NAME`"));
            return None;
        }
        Some(overlay) => Some(problems.ok(read(overlay))?),
        None => None,
    };
    let configuration = configuration.cloned();
    udb::load(udb::Sources { base, overlay, configuration, details: false }, files, problems)
}

fn of_opcodes(folder: &Path, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Table> {
    let tree = problems.ok(tree(folder, &|path| is_of_opcodes(path)))?;
    let all = opcodes::load_from(files, &folder.display().to_string(), &tree, problems);
    Some(opcodes::table::table(&all))
}

fn is_of_opcodes(path: &str) -> bool {
    path.starts_with("extensions/") || (!path.contains('/') && path.ends_with(".csv"))
}

/// The files of a folder that are wanted: paths relative to it, with `/`, sorted.
fn tree(folder: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Result<Vec<(String, Vec<u8>)>, Diagnostic> {
    let mut list = Vec::new();
    paths(folder, "", 0, is_wanted, &mut list)?;
    list.sort();
    let mut total = 0;
    let mut out = Vec::with_capacity(list.len());
    for path in list {
        let full = folder.join(&path);
        let bytes = std::fs::read(&full).map_err(|e| unreadable(&full.display().to_string(), &e))?;
        total += bytes.len();
        if total > MAX_BYTES {
            let message = format!("{}: more than {} MiB of files", folder.display(), MAX_BYTES >> 20);
            return Err(Diagnostic::error("cli-spec-folder", message));
        }
        out.push((path, bytes));
    }
    Ok(out)
}

fn paths(
    folder: &Path,
    prefix: &str,
    depth: usize,
    is_wanted: &dyn Fn(&str) -> bool,
    list: &mut Vec<String>,
) -> Result<(), Diagnostic> {
    let inside = folder.join(prefix);
    let failed = |e: std::io::Error| unreadable(&inside.display().to_string(), &e);
    for entry in std::fs::read_dir(&inside).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        // A link to a folder could lead back here.
        let kind = entry.file_type().map_err(failed)?;
        let path = format!("{prefix}{name}");
        if kind.is_dir() && depth < MAX_DEPTH {
            paths(folder, &format!("{path}/"), depth + 1, is_wanted, list)?;
        } else if kind.is_file() && is_wanted(&path) {
            if list.len() == MAX_FILES {
                let message = format!("{}: more than {MAX_FILES} files", folder.display());
                return Err(Diagnostic::error("cli-spec-folder", message));
            }
            list.push(path);
        }
    }
    Ok(())
}
