//! The texts of the Unified Database's archive: `operation()` of instructions, with their places, and files of declarations.

use std::path::{Path, PathBuf};

use isaglot_riscv::formats::idl::{self, Place, syntax::Declaration, syntax::Stmt};
use isaglot_source::{Diagnostics, SourceMap, Span};
use isaglot_testing::corpus;

/// The folder `isa` of the standard tree.
pub(crate) fn standard(folder: &Path) -> Result<PathBuf, String> {
    Ok(corpus::unpacked(&folder.join("udb.tar.xz"))?.join("udb/spec/std/isa"))
}

/// The text of a key that begins a line, and where its first byte is.
fn scalar(yaml: &str, key: &str) -> Option<(String, usize)> {
    let line_at = yaml.find(&format!("\n{key}:"))? + 1;
    let (line, rest) = yaml[line_at..].split_once('\n')?;
    let first = line[key.len() + 1..].trim();
    if !first.starts_with('|') {
        let at = line_at + line.find(first)?;
        return Some((if first.starts_with('"') { String::new() } else { first.to_owned() }, at));
    }
    let body_at = line_at + line.len() + 1;
    let lines: Vec<&str> = rest.split('\n').take_while(|l| l.is_empty() || l.starts_with(' ')).collect();
    let indent = lines.iter().find(|l| !l.trim().is_empty()).map_or(0, |l| l.len() - l.trim_start().len());
    let blank = lines.iter().take_while(|l| l.trim().is_empty());
    let (skipped, count) = blank.fold((0, 0), |(bytes, n), l| (bytes + l.len() + 1, n + 1));
    let text: Vec<&str> = lines[count..].iter().map(|l| l.get(indent..).unwrap_or("")).collect();
    Some((text.join("\n").trim_end().to_owned(), body_at + skipped + indent))
}

/// An instruction with a text.
pub(crate) struct Operation {
    /// Its name.
    pub(crate) name: String,
    /// Where the text is.
    pub(crate) place: Place,
    /// The text.
    pub(crate) text: String,
}

/// Every instruction of the standard tree that has a text; the files are added to `files`.
pub(crate) fn operations(isa: &Path, files: &mut SourceMap) -> Result<Vec<Operation>, String> {
    let mut made = Vec::new();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(isa.join("inst"))
        .map_err(|e| e.to_string())?
        .map(|entry| entry.map(|e| e.path()).map_err(|e| e.to_string()))
        .collect::<Result<_, _>>()?;
    folders.sort();
    for path in folders.iter().flat_map(|folder| corpus::files(folder, ".yaml")) {
        let yaml = corpus::text(&path)?;
        let Some((text, at)) = scalar(&yaml, "operation()").filter(|(text, _)| !text.is_empty()) else { continue };
        let file = files.add(corpus::name(&path), yaml.into_bytes());
        let place = Place::of_block(files, Span::new(file, at, at), &text);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        made.push(Operation { name, place, text });
    }
    Ok(made)
}

/// The declarations of all files below `isa/isa`.
pub(crate) fn declarations(
    isa: &Path,
    files: &mut SourceMap,
    out: &mut Diagnostics,
) -> Result<Vec<Declaration>, String> {
    let mut made = Vec::new();
    for path in ["globals.isa", "builtin_functions.idl", "interrupts.idl", "fetch.idl", "util.idl", "fp.idl", "vec.idl"]
    {
        let text = corpus::text(&isa.join("isa").join(path))?;
        let file = files.add(path, text.as_bytes());
        made.extend(idl::declarations(&Place::plain(file, 0), &text, out));
    }
    Ok(made)
}

/// The statements of an instruction.
pub(crate) fn statements(operation: &Operation, out: &mut Diagnostics) -> Vec<Stmt> {
    idl::statements(&operation.place, &operation.text, out)
}
