//! The forms of descriptions, and the one sentence about an option that means nothing for a form.
//!
//! The problem: every verb takes the same options, and most of them are for one form: an overlay is for the Unified Database, an
//! include folder for TableGen. The invariant: an option is used, or it is refused; it is never read and forgotten. The table of options
//! is beside what they are put into, `load::Spec`.

use std::path::Path;

use isaglot_source::Diagnostic;

use crate::compiled::is_compiled;
use crate::published::Format;

/// The form of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
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
    pub(crate) fn of(path: &Path) -> Option<Form> {
        if is_tablegen(path) {
            return Some(Form::TableGen);
        }
        if is_compiled(path) {
            return Some(Form::Compiled);
        }
        // That a file is not there is said where it is read.
        path.exists().then(|| match Format::of(path) {
            Some(Format::Udb(_)) => Form::Udb,
            Some(Format::Opcodes(_)) => Form::Opcodes,
            None => Form::Xml,
        })
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

/// Whether a description is written in TableGen.
pub(crate) fn is_tablegen(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "td")
}

/// An option that is for other forms.
pub(crate) fn refusal(option: &str, forms: &[Form], subject: &str) -> Diagnostic {
    let names: Vec<&str> = forms.iter().map(|form| form.name()).collect();
    let d = Diagnostic::error("cli-option", format!("`{option}` does not apply to `{subject}`"));
    d.note(format!("it is for {}", names.join(", ")))
}
