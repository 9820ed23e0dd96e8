//! A problem as plain data, for those who have no use for spans and files: bindings to other languages above all.

use isaglot_source::{Diagnostic, Diagnostics, SourceMap, render};

/// What is wrong, and where. Equal to what the program `isaglot` prints for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Stable, lower case, hyphenated: `asm-unknown-mnemonic`.
    pub code: &'static str,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// One sentence, without a full stop.
    pub message: String,
    /// Further sentences: what was expected, what to do.
    pub notes: Vec<String>,
    /// The place, if it has one.
    pub place: Option<Place>,
    /// All of it as text: with the lines of the source, without colours.
    pub text: String,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file; `<text>` for a text that was given as such.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
    /// Bytes before it in the file.
    pub offset: u32,
    /// The bytes that it has.
    pub length: u32,
}

impl Problem {
    /// A diagnostic, whose places are in these files.
    #[must_use]
    pub fn new(files: &SourceMap, d: &Diagnostic) -> Problem {
        let place = d.span().and_then(|span| {
            let file = files.get(span.file)?;
            let at = file.line_col(span.start as usize);
            Some(Place {
                file: file.name.clone(),
                line: at.line,
                column: at.col,
                offset: span.start,
                length: span.end.saturating_sub(span.start),
            })
        });
        Problem {
            code: d.code,
            severity: d.severity.name(),
            message: d.message.clone(),
            notes: d.notes.clone(),
            place,
            text: render::text(files, d, false),
        }
    }

    /// All problems of a run, in order.
    #[must_use]
    pub fn all(files: &SourceMap, problems: &Diagnostics) -> Vec<Problem> {
        problems.iter().map(|d| Problem::new(files, d)).collect()
    }
}
