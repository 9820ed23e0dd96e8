//! The forms of descriptions, and the one sentence about an option that means nothing for a form.
//!
//! The problem: every verb takes the same options, and most of them are for one form: an overlay is for the Unified Database, an
//! include folder for TableGen. The invariant: an option is used, or it is refused; it is never read and forgotten. The table of options
//! is beside what they are put into, [`Choice`](super::Choice).

use std::path::Path;

use isaglot_source::Diagnostic;

/// The form of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An isaspec XML file.
    Xml,
    /// A target of LLVM.
    TableGen,
    /// What `isaglot compile` made.
    Compiled,
    /// The Unified Database of RISC-V.
    Udb,
    /// riscv-opcodes.
    Opcodes,
    /// What comes with the program.
    Shipped,
}

impl Form {
    /// Of a file or folder, if it is there.
    #[must_use]
    pub fn of(path: &Path) -> Option<Form> {
        if is_tablegen(path) {
            return Some(Form::TableGen);
        }
        if is_compiled(path) {
            return Some(Form::Compiled);
        }
        // That a file is not there is said where it is read.
        path.exists().then(|| Form::of_folder(path).unwrap_or(Form::Xml))
    }

    #[cfg(all(feature = "fs", feature = "riscv-formats"))]
    fn of_folder(path: &Path) -> Option<Form> {
        use super::published::Format;
        Format::of(path).map(|format| match format {
            Format::Udb(_) => Form::Udb,
            Format::Opcodes(_) => Form::Opcodes,
        })
    }

    #[cfg(not(all(feature = "fs", feature = "riscv-formats")))]
    fn of_folder(_: &Path) -> Option<Form> {
        None
    }

    fn name(self) -> &'static str {
        match self {
            Form::Xml => "isaspec XML files",
            Form::TableGen => "TableGen files",
            Form::Compiled => "compiled descriptions",
            Form::Udb => "the RISC-V Unified Database",
            Form::Opcodes => "riscv-opcodes",
            Form::Shipped => "descriptions that come with isaglot",
        }
    }
}

/// Whether a description is a compiled one, by its name.
#[must_use]
pub fn is_compiled(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "isa")
}

/// Whether a description is written in TableGen, by its name.
#[must_use]
pub fn is_tablegen(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "td")
}

/// Why a folder is not a description.
#[must_use]
pub fn folder_refusal(folder: &Path) -> Diagnostic {
    let name = folder.file_name().map_or_else(|| "NAME".to_owned(), |name| name.to_string_lossy().into_owned());
    let d = Diagnostic::error("cli-spec-folder", format!("{}: this folder is not a description", folder.display()));
    d.note(format!(
        "expected `{name}.xml` in it, or a folder of the RISC-V Unified Database (with `inst` and `ext`), \
         or one of riscv-opcodes (with `arg_lut.csv` and `extensions`)"
    ))
}

/// The sentence about an option that is for other forms.
#[must_use]
pub fn refusal(option: &str, forms: &[Form], subject: &str) -> Diagnostic {
    let names: Vec<&str> = forms.iter().map(|form| form.name()).collect();
    let d = Diagnostic::error("cli-option", format!("`{option}` does not apply to `{subject}`"));
    d.note(format!("it is for {}", names.join(", ")))
}
