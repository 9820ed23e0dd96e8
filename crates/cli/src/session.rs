//! What every verb shares: colour, the files read so far, and how problems reach the user and the exit status.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics, Severity, SourceMap, render};

use crate::io::CLOSED;
use crate::schema;
use crate::subject::Takes;

/// The exit status when the input is wrong.
pub(crate) const EXIT_INPUT: u8 = 1;

/// The exit status for wrong usage.
pub(crate) const EXIT_USAGE: u8 = 2;

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Whether a stream gets colour.
    pub(crate) fn on(self, stream: &impl IsTerminal) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }
}

/// The form of messages on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Messages {
    /// With snippets of the sources, for people.
    Text,
    /// One JSON object a line, as in the `diagnostics` of `isaglot check --json`.
    Json,
}

/// The problems that concern the user: all but that the reader of the output has left.
fn told(all: &Diagnostics) -> impl Iterator<Item = &Diagnostic> {
    all.iter().filter(|d| d.code != CLOSED)
}

/// Whether something went wrong. That the reader of the output has left is no failure.
fn is_failure(all: &Diagnostics) -> bool {
    all.has_errors() && (told(all).any(|d| d.severity == Severity::Error) || all.iter().all(|d| d.code != CLOSED))
}

/// One run of one verb.
pub(crate) struct Session {
    /// The user's choice of colour.
    pub(crate) color: Color,
    /// Every file that was read.
    pub(crate) files: SourceMap,
    /// What the verb takes.
    pub(crate) takes: Takes,
    /// The form of messages.
    messages: Messages,
    /// Every message so far: one cause is told once, however many ways lead to it.
    said: RefCell<BTreeSet<String>>,
}

impl Session {
    /// A run that has read nothing yet.
    pub(crate) fn new(color: Color, messages: Messages) -> Session {
        let said = RefCell::default();
        Session { color, files: SourceMap::new(), takes: Takes::default(), messages, said }
    }

    /// Writes diagnostics with their snippets, and a closing line if there were errors, to standard error.
    pub(crate) fn report(&self, all: &Diagnostics) {
        let mut err = std::io::stderr().lock();
        let color = self.color.on(&err);
        let mut news = Diagnostics::new();
        for d in told(all) {
            let text = match self.messages {
                Messages::Text => render::text(&self.files, d, color),
                Messages::Json => format!("{}\n", schema::marked(schema::MESSAGE, render::json(&self.files, d))),
            };
            if self.said.borrow_mut().insert(text.clone()) {
                // Standard error may be closed; there is nobody left to tell.
                let _ = err.write_all(text.as_bytes());
                news.push(d.clone());
            }
        }
        if is_failure(&news) && self.messages == Messages::Text {
            let _ = writeln!(err, "isaglot: {}", render::summary(&news));
        }
    }

    /// Reports a single problem and gives the exit status for it.
    pub(crate) fn fail(&self, d: Diagnostic) -> ExitCode {
        self.status(&d.into())
    }

    /// Reports the problems of a run and gives the exit status for them.
    pub(crate) fn status(&self, problems: &Diagnostics) -> ExitCode {
        self.report(problems);
        if is_failure(problems) { ExitCode::from(EXIT_INPUT) } else { ExitCode::SUCCESS }
    }

    /// The exit status of a run; its one problem is reported.
    pub(crate) fn done(&self, done: Result<(), Diagnostic>) -> ExitCode {
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(d) => self.fail(d),
        }
    }

    /// Reports wrong usage, and gives the exit status for it.
    pub(crate) fn wrong_usage(&self, d: Diagnostic) -> ExitCode {
        self.report(&d.into());
        ExitCode::from(EXIT_USAGE)
    }
}
