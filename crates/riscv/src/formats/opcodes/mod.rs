//! Front end: riscv-opcodes, one line of text for each instruction.
//!
//! The problem: a file `rv64_zba` says which bits of each instruction of an extension are fixed and which arguments take the others;
//! `arg_lut.csv` says where an argument lies. Lines refer to lines of other files: an import says that an instruction belongs to
//! this extension too, a pseudo-op is another reading of some words, or the form that an instruction has on the other base.
//!
//! The method, in passes that each report all that is wrong: [`arguments`] reads the table, `scan` each line by itself,
//! `relate` what lines say of each other, `table` makes the [`Table`](super::Table) per base. [`dict`] gives the view that the
//! project's own tool has. Bits that nothing says are never guessed: a line with a fault is kept by name alone.

pub mod arguments;
pub mod csrs;
pub mod dict;
mod relate;
mod scan;
pub mod table;

use isaglot_bits::Pattern;
use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

use super::Csr;
use crate::limits;

/// All lines of a tree.
#[derive(Clone, Debug, Default)]
pub struct Opcodes {
    /// The files of extensions: ratified ones first, each folder in order of name.
    pub files: Vec<File>,
    /// The lines of all files, in order.
    pub lines: Vec<Line>,
    /// The control and status registers, in order of number and file.
    pub csrs: Vec<Csr>,
}

/// A file of lines.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name without folders: `rv64_zba`.
    pub name: String,
    /// What messages call it.
    pub id: FileId,
    /// Whether its instructions are there with registers of 32 and of 64 bits.
    pub bases: [bool; 2],
    /// The extensions in its name, in lower case: `c`, `d` of `rv_c_d`.
    pub extensions: Vec<String>,
    /// It does not lie in the folder `unratified`.
    pub ratified: bool,
}

/// A line that is not empty and not a comment.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its file in [`Opcodes::files`].
    pub file: usize,
    /// All of it.
    pub span: Span,
    /// The name of the instruction as written: `c.mop.N`; of an import, the name that is imported.
    pub name: String,
    /// Where the name is.
    pub name_span: Span,
    /// What it says.
    pub kind: Kind,
    /// The fixed bits; of an import nothing.
    pub pattern: Pattern,
    /// The arguments as the line orders them.
    pub arguments: Vec<Argument>,
    /// No error was found in it, so its bits can be used.
    pub sound: bool,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is this instruction.
    Regular,
    /// These words are another reading of the words of an instruction.
    Pseudo(Reference),
    /// That instruction belongs to this file too.
    Import(Reference),
}

/// `FILE::NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name of the file.
    pub file: String,
    /// The name of the instruction.
    pub name: String,
    /// Where both are.
    pub span: Span,
}

/// An argument of a line.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name in the table: `rs2`.
    pub name: String,
    /// The argument that it equals: `rs1` of `rs2=rs1`.
    pub equals: Option<String>,
    /// Its highest bit.
    pub high: u32,
    /// Its lowest bit.
    pub low: u32,
    /// Where it is.
    pub span: Span,
}

impl Opcodes {
    /// The file of that name.
    pub fn file(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|file| file.name == name)
    }

    /// The file of a line.
    pub fn file_of(&self, line: &Line) -> Option<&File> {
        self.files.get(line.file)
    }
}

/// Reads a tree: paths relative to the folder that holds `arg_lut.csv` and `extensions`, with the bytes of each file.
/// Files of other names are not looked at. Everything that is wrong is reported; what is returned holds what is right.
pub fn load(map: &mut SourceMap, tree: &[(String, Vec<u8>)], out: &mut Diagnostics) -> Opcodes {
    load_from(map, "", tree, out)
}

/// As [`load`], with the path of the folder for messages.
pub fn load_from(map: &mut SourceMap, folder: &str, tree: &[(String, Vec<u8>)], out: &mut Diagnostics) -> Opcodes {
    let named = |path: &str| if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let mut tree: Vec<(&str, &[u8])> = tree.iter().map(|(path, bytes)| (path.as_str(), &bytes[..])).collect();
    tree.sort_by_cached_key(|(path, _)| (path.contains("/unratified/"), *path));
    let table = match tree.iter().find(|(path, _)| *path == ARGUMENTS) {
        Some((path, bytes)) => {
            let id = map.add(named(path), *bytes);
            text(id, bytes, out).map(|text| arguments::read(id, text, out)).unwrap_or_default()
        }
        None => {
            let message = format!("`{ARGUMENTS}` is missing beside the folder `extensions`");
            out.push(Diagnostic::error("opcodes-missing-file", message).note("it says which bits each argument takes"));
            return Opcodes::default();
        }
    };
    let mut all = Opcodes::default();
    for (path, bytes) in tree.iter().filter(|(path, _)| REGISTERS.contains(path)) {
        let id = map.add(named(path), *bytes);
        if let Some(text) = text(id, bytes, out) {
            csrs::read(id, text, &mut all.csrs, out);
        }
    }
    all.csrs.sort_by_key(|csr| csr.number);
    let inside = tree.iter().filter(|(path, _)| path.starts_with("extensions/") && !path.contains("/."));
    for (path, bytes) in inside {
        let id = map.add(named(path), *bytes);
        let Some(file) = file_of_name(id, path, out) else { continue };
        all.files.push(file);
        if let Some(text) = text(id, bytes, out) {
            scan::file(id, all.files.len() - 1, text, &table, &mut all.lines, out);
        }
    }
    if all.files.is_empty() {
        out.push(Diagnostic::error("opcodes-missing-file", "the folder `extensions` holds no file `rv*`"));
    }
    if all.lines.len() > limits::OPCODES_LINES {
        let message = format!("there are more than {} lines with instructions", limits::OPCODES_LINES);
        let d = Diagnostic::error("opcodes-limit", message);
        let first = all.lines.get(limits::OPCODES_LINES).map(|line| line.span);
        out.push(first.into_iter().fold(d, |d, span| d.label(span, "the first one that is too many")));
        all.lines.truncate(limits::OPCODES_LINES);
    }
    relate::check(&all, out);
    all
}

/// The tables of control and status registers: of both bases, and of RV32 alone.
const REGISTERS: [&str; 2] = ["csrs.csv", "csrs32.csv"];

/// The table of arguments.
const ARGUMENTS: &str = "arg_lut.csv";

/// The text of a file without a byte order mark, or nothing after saying why.
fn text<'a>(id: FileId, bytes: &'a [u8], out: &mut Diagnostics) -> Option<&'a str> {
    if bytes.len() > limits::MAX_FORMAT_FILE_BYTES {
        let message = format!("the file has more than {} bytes", limits::MAX_FORMAT_FILE_BYTES);
        out.push(Diagnostic::error("opcodes-limit", message).label(Span::new(id, 0, 0), ""));
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(e) => {
            let at = e.valid_up_to();
            let d = Diagnostic::error("opcodes-syntax", "the file is not UTF-8 text");
            out.push(d.label(Span::new(id, at, at + 1), "this byte"));
            None
        }
    }
}

/// What the name of a file says; a file whose name says no base is not read, as the project's own tool does not read it.
fn file_of_name(id: FileId, path: &str, out: &mut Diagnostics) -> Option<File> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (base, rest) = name.split_once('_').unwrap_or((name, ""));
    let bases = match base {
        "rv" => Some([true, true]),
        "rv32" => Some([true, false]),
        "rv64" => Some([false, true]),
        _ => None,
    };
    let extensions: Vec<String> = rest.split('_').map(str::to_owned).collect();
    let named = |e: &String| !e.is_empty() && e.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let Some(bases) = bases.filter(|_| extensions.iter().all(named)) else {
        let message = format!("`{name}` is not a name of a file of instructions, so the file is not read");
        let d = Diagnostic::warning("opcodes-file-name", message).label(Span::new(id, 0, 0), "");
        out.push(d.note("expected `rv`, `rv32` or `rv64`, then `_` and an extension, once or more: `rv64_zba`"));
        return None;
    };
    Some(File { name: name.to_owned(), id, bases, extensions, ratified: !path.contains("/unratified/") })
}
