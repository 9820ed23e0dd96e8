//! What is wrong, one value at a time. An index that is too high, and NULL, give 0 and the empty text.

#![allow(unsafe_code, reason = "the border to C")]

use crate::problems::{Place, Problem, isaglot_problems};
use crate::text::{Text, isaglot_str};

/// How bad a problem is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum isaglot_severity {
    /// For your information.
    ISAGLOT_NOTE = 0,
    /// Odd, but accepted.
    ISAGLOT_WARNING = 1,
    /// The input cannot be used.
    ISAGLOT_ERROR = 2,
}

fn problem(problems: Option<&isaglot_problems>, index: usize) -> Option<&Problem> {
    problems.and_then(|all| all.list.get(index))
}

fn place(problems: Option<&isaglot_problems>, index: usize) -> Option<&Place> {
    problem(problems, index).and_then(|p| p.place.as_ref())
}

fn view(text: Option<&Text>) -> isaglot_str {
    text.map_or(isaglot_str::EMPTY, Text::view)
}

/// How many problems there are.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problems_count(problems: Option<&isaglot_problems>) -> usize {
    problems.map_or(0, |all| all.list.len())
}

/// How many more there were than are kept.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problems_dropped(problems: Option<&isaglot_problems>) -> usize {
    problems.map_or(0, |all| all.dropped)
}

/// How bad a problem is.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_severity(problems: Option<&isaglot_problems>, index: usize) -> isaglot_severity {
    match problem(problems, index).map(|p| p.severity) {
        Some("error") => isaglot_severity::ISAGLOT_ERROR,
        Some("warning") => isaglot_severity::ISAGLOT_WARNING,
        _ => isaglot_severity::ISAGLOT_NOTE,
    }
}

/// The code of a problem, such as `isaspec-field-overlap`: it never changes its meaning. Those of this library itself are
/// `c-null` (an argument is NULL), `c-length`, `c-utf8`, `c-value` (an argument is not allowed), `c-stopped` (a function of the
/// caller ended the call) and `c-panic` (a mistake of the library).
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_code(problems: Option<&isaglot_problems>, index: usize) -> isaglot_str {
    view(problem(problems, index).map(|p| &p.code))
}

/// What is wrong: one sentence without a full stop.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_message(problems: Option<&isaglot_problems>, index: usize) -> isaglot_str {
    view(problem(problems, index).map(|p| &p.message))
}

/// The file that a problem is in, as it was named; empty if it is in none.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_file(problems: Option<&isaglot_problems>, index: usize) -> isaglot_str {
    view(place(problems, index).map(|p| &p.file))
}

/// The line, from 1; 0 if a problem is not in a file.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_line(problems: Option<&isaglot_problems>, index: usize) -> u32 {
    place(problems, index).map_or(0, |p| p.line)
}

/// The column in characters, from 1; 0 if a problem is not in a file.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_column(problems: Option<&isaglot_problems>, index: usize) -> u32 {
    place(problems, index).map_or(0, |p| p.column)
}

/// Where the place begins in the file, in bytes from 0.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_offset(problems: Option<&isaglot_problems>, index: usize) -> u64 {
    place(problems, index).map_or(0, |p| p.offset)
}

/// How many bytes the place has.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_length(problems: Option<&isaglot_problems>, index: usize) -> u64 {
    place(problems, index).map_or(0, |p| p.length)
}

/// How many further sentences there are: what was expected, what to do.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_note_count(problems: Option<&isaglot_problems>, index: usize) -> usize {
    problem(problems, index).map_or(0, |p| p.notes.len())
}

/// One of the further sentences.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_note(problems: Option<&isaglot_problems>, index: usize, note: usize) -> isaglot_str {
    view(problem(problems, index).and_then(|p| p.notes.get(note)))
}

/// A problem as the program `isaglot` prints it: with its place, the lines of the file, and its notes.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problem_text(problems: Option<&isaglot_problems>, index: usize) -> isaglot_str {
    view(problem(problems, index).map(|p| &p.text))
}

/// All problems as the program `isaglot` prints them.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problems_text(problems: Option<&isaglot_problems>) -> isaglot_str {
    view(problems.map(|all| &all.text))
}

/// All problems as a JSON array: `severity`, `code`, `message`, `notes`, and `place` with `file`, `line`, `column`, `offset` and
/// `length`, or null.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problems_json(problems: Option<&isaglot_problems>) -> isaglot_str {
    view(problems.map(|all| &all.json))
}

/// Frees the problems; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_problems_free(problems: Option<Box<isaglot_problems>>) {
    drop(problems);
}
