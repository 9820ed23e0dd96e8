//! What went wrong, with the files that it went wrong in.

use std::fmt;

use isaglot_source::{Diagnostic, Diagnostics, SourceMap, render};

/// Problems, at least one of which is an error. As text they are as the program `isaglot` shows them: each with its
/// place, file, line and column, and the lines of the source.
pub struct Error {
    files: SourceMap,
    problems: Diagnostics,
}

impl Error {
    /// Problems in these files.
    pub fn new(files: SourceMap, problems: impl Into<Diagnostics>) -> Error {
        Error { files, problems: problems.into() }
    }

    /// The problems as data.
    pub fn problems(&self) -> &Diagnostics {
        &self.problems
    }

    /// The files that the places of the problems are in.
    pub fn files(&self) -> &SourceMap {
        &self.files
    }
}

impl From<Diagnostic> for Error {
    fn from(d: Diagnostic) -> Error {
        Error::new(SourceMap::new(), d)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problems.iter().try_for_each(|d| f.write_str(&render::text(&self.files, d, false)))
    }
}

/// The same as the text: `main` returning an error prints it readably.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
