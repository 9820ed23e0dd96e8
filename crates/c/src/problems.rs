//! What is wrong, as an object: the diagnostics of a call with their places worked out, so that it needs no files any more.
//!
//! Every call that can fail goes through [`run`], so a panic becomes a problem too and does not reach C.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use isaglot::Problem as Found;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap, counted};
use serde_json::{Value, json};

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
    /// `error`, `warning` or `note`.
    pub(crate) severity: &'static str,
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
    pub(crate) offset: u64,
    /// In bytes.
    pub(crate) length: u64,
}

impl isaglot_problems {
    /// Problems, and how many more there were.
    pub(crate) fn new(found: &[Found], dropped: usize) -> isaglot_problems {
        let mut text: String = found.iter().map(|p| p.text.as_str()).collect();
        if dropped > 0 {
            text.push_str(&format!("{} more\n", counted(dropped, "problem")));
        }
        let json: Value = found.iter().map(to_json).collect();
        isaglot_problems {
            list: found.iter().map(problem).collect(),
            text: Text::new(text),
            json: Text::new(format!("{json:#}\n")),
            dropped,
        }
    }

    /// Diagnostics in these files.
    pub(crate) fn of(files: &SourceMap, all: &Diagnostics) -> isaglot_problems {
        isaglot_problems::new(&Found::all(files, all), all.dropped())
    }
}

fn to_json(p: &Found) -> Value {
    let place = p.place.as_ref().map(|place| {
        json!({
            "file": place.file, "line": place.line, "column": place.column,
            "offset": place.offset, "length": place.length,
        })
    });
    json!({ "severity": p.severity, "code": p.code, "message": p.message, "notes": p.notes, "place": place })
}

fn problem(p: &Found) -> Problem {
    let place = p.place.as_ref().map(|place| Place {
        file: Text::new(place.file.as_str()),
        line: place.line,
        column: place.column,
        offset: place.offset.into(),
        length: place.length.into(),
    });
    Problem {
        severity: p.severity,
        code: Text::new(p.code),
        message: Text::new(p.message.as_str()),
        notes: p.notes.iter().map(|note| Text::new(note.as_str())).collect(),
        place,
        text: Text::new(p.text.as_str()),
    }
}

impl From<Diagnostic> for isaglot_problems {
    fn from(d: Diagnostic) -> isaglot_problems {
        isaglot_problems::from(Diagnostics::from(d))
    }
}

impl From<Diagnostics> for isaglot_problems {
    fn from(all: Diagnostics) -> isaglot_problems {
        isaglot_problems::of(&SourceMap::new(), &all)
    }
}

impl From<isaglot::Error> for isaglot_problems {
    fn from(error: isaglot::Error) -> isaglot_problems {
        isaglot_problems::of(error.files(), error.problems())
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
