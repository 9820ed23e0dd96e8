//! Problems, and the exception that carries them.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    isaglot,
    Error,
    PyException,
    "What is wrong with an input. `problems` lists all of it, each with its code, its message and its place."
);

/// One problem: what is wrong, and where.
#[pyclass(frozen, get_all, module = "isaglot")]
#[derive(Clone)]
pub(crate) struct Problem {
    /// Stable, lower case, hyphenated: `asm-unknown-mnemonic`.
    code: &'static str,
    /// `error`, `warning` or `note`.
    severity: &'static str,
    /// One sentence.
    message: String,
    /// Further sentences: what was expected, what to do.
    notes: Vec<String>,
    /// The file, or None without a place; `<text>` for a text that was given as such.
    file: Option<String>,
    /// The line, counted from 1.
    line: Option<u32>,
    /// The column in characters, counted from 1.
    column: Option<u32>,
    /// Bytes before it in the file.
    offset: Option<u32>,
    /// The bytes that it has.
    length: Option<u32>,
    /// All of it as text, with the lines of the source.
    text: String,
}

#[pymethods]
impl Problem {
    fn __repr__(&self) -> String {
        let place = match (&self.file, self.line, self.column) {
            (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
            _ => String::new(),
        };
        format!("<Problem {place}{}: {} [{}]>", self.severity, self.message, self.code)
    }

    fn __str__(&self) -> &str {
        self.text.trim_end()
    }
}

impl From<&isaglot::Problem> for Problem {
    fn from(p: &isaglot::Problem) -> Problem {
        let place = p.place.as_ref();
        Problem {
            code: p.code,
            severity: p.severity,
            message: p.message.clone(),
            notes: p.notes.clone(),
            file: place.map(|at| at.file.clone()),
            line: place.map(|at| at.line),
            column: place.map(|at| at.column),
            offset: place.map(|at| at.offset),
            length: place.map(|at| at.length),
            text: p.text.clone(),
        }
    }
}

/// Problems for Python.
pub(crate) fn problems(all: &[isaglot::Problem]) -> Vec<Problem> {
    all.iter().map(Problem::from).collect()
}

/// An error of the library as an exception.
pub(crate) fn raised(py: Python<'_>, error: &isaglot::Error) -> PyErr {
    let found = isaglot::Problem::all(error.files(), error.problems());
    let exception = Error::new_err(error.to_string().trim_end().to_owned());
    let list = problems(&found);
    match exception.value(py).setattr("problems", list) {
        Ok(()) => exception,
        Err(other) => other,
    }
}
