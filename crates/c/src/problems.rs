//! What is wrong, as an object: the diagnostics of a call with their places worked out, so that it needs no files any more.
//!
//! Every call that can fail goes through [`run`], so a panic becomes a problem too and does not reach C.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use isaglot_source::{Diagnostic, Diagnostics, Severity, SourceMap, render};

use crate::ffi::{self, Out};
use crate::text::Text;

/// A list of problems, in the order in which they were found. Nothing changes it, so several threads may read it.
#[derive(Debug, Default)]
pub struct isaglot_problems {
    pub(crate) list: Vec<Problem>,
    /// All of them as the program `isaglot` prints them.
    pub(crate) text: Text,
    /// All of them as JSON.
    pub(crate) json: Text,
    /// How many more there were than a list holds.
    pub(crate) dropped: usize,
}

/// One problem.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) severity: Severity,
    pub(crate) code: Text,
    pub(crate) message: Text,
    pub(crate) notes: Vec<Text>,
    /// Where it is, if it is in a file.
    pub(crate) place: Option<Place>,
    /// As the program prints it, with the lines of the file.
    pub(crate) text: Text,
}

/// A place in a file.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) file: Text,
    /// From 1.
    pub(crate) line: u32,
    /// From 1, in characters.
    pub(crate) column: u32,
    /// In bytes, from 0.
    pub(crate) start: u64,
    /// In bytes; where the place ends.
    pub(crate) end: u64,
}

impl isaglot_problems {
    /// Problems in these files.
    pub(crate) fn new(files: &SourceMap, all: &Diagnostics) -> isaglot_problems {
        let list: Vec<Problem> = all.iter().map(|d| problem(files, d)).collect();
        let mut text: Vec<u8> = list.iter().flat_map(|p| p.text.bytes()).copied().collect();
        if all.dropped() > 0 {
            text.extend_from_slice(render::summary(all).as_bytes());
            text.push(b'\n');
        }
        let json = serde_json::Value::from_iter(all.iter().map(|d| render::json(files, d)));
        isaglot_problems { list, text: Text::new(text), json: Text::new(format!("{json:#}\n")), dropped: all.dropped() }
    }
}

fn problem(files: &SourceMap, d: &Diagnostic) -> Problem {
    let place = d.span().and_then(|span| {
        let file = files.get(span.file)?;
        let at = file.line_col(span.start as usize);
        let (start, end) = (u64::from(span.start), u64::from(span.end));
        Some(Place { file: Text::new(file.name.as_str()), line: at.line, column: at.col, start, end })
    });
    Problem {
        severity: d.severity,
        code: Text::new(d.code),
        message: Text::new(d.message.as_str()),
        notes: d.notes.iter().map(|note| Text::new(note.as_str())).collect(),
        place,
        text: Text::new(render::text(files, d, false)),
    }
}

impl From<Diagnostic> for isaglot_problems {
    fn from(d: Diagnostic) -> isaglot_problems {
        isaglot_problems::from(Diagnostics::from(d))
    }
}

impl From<Diagnostics> for isaglot_problems {
    fn from(all: Diagnostics) -> isaglot_problems {
        isaglot_problems::new(&SourceMap::new(), &all)
    }
}

impl From<isaglot::Error> for isaglot_problems {
    fn from(error: isaglot::Error) -> isaglot_problems {
        isaglot_problems::new(error.files(), error.problems())
    }
}

/// Does what a call asks for. What is wrong is put where the caller wants it, and is NULL after a success.
pub(crate) fn run<T>(
    problems: Out<'_, Option<Box<isaglot_problems>>>,
    work: impl FnOnce() -> Result<T, isaglot_problems>,
) -> Option<T> {
    let (done, wrong) = match attempt(work) {
        Ok(done) => (Some(done), None),
        Err(wrong) => (None, Some(Box::new(wrong))),
    };
    ffi::put(problems, wrong);
    done
}

/// Does it; a panic is a problem as well.
fn attempt<T>(work: impl FnOnce() -> Result<T, isaglot_problems>) -> Result<T, isaglot_problems> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|cause| Err(panicked(&*cause)))
}

/// The problem that the library is wrong.
fn panicked(cause: &(dyn Any + Send)) -> isaglot_problems {
    let said = cause.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let said = said.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_default();
    let d = Diagnostic::error("c-panic", format!("isaglot failed: {said}"));
    d.note("this is a mistake of the library: please report it, with what was asked").into()
}

#[cfg(test)]
mod tests {
    use isaglot_source::Diagnostic;

    use super::{attempt, isaglot_problems};

    fn code(problems: &isaglot_problems) -> String {
        String::from_utf8_lossy(problems.list[0].code.bytes()).into_owned()
    }

    #[test]
    fn a_panic_is_a_problem() {
        let wrong = attempt(|| -> Result<(), isaglot_problems> { panic!("on purpose") }).unwrap_err();
        assert_eq!(code(&wrong), "c-panic");
        assert_eq!(wrong.list[0].message.bytes(), b"isaglot failed: on purpose");
        let wrong = attempt(|| Err::<(), _>(Diagnostic::error("x", "y").into())).unwrap_err();
        assert_eq!(code(&wrong), "x");
        assert_eq!(attempt(|| Ok(3)).unwrap_or(0), 3);
    }
}
