//! What every verb shares: colour, the files read so far, and how problems reach the user and the exit status.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics, Severity, SourceMap, render};

use crate::io::CLOSED;
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
}

impl Session {
    /// A run that has read nothing yet.
    pub(crate) fn new(color: Color) -> Session {
        Session { color, files: SourceMap::new(), takes: Takes::default() }
    }

    /// Writes diagnostics with their snippets, and a closing line if there were errors, to standard error.
    pub(crate) fn report(&self, all: &Diagnostics) {
        let mut err = std::io::stderr().lock();
        let color = self.color.on(&err);
        for d in told(all) {
            // Standard error may be closed; there is nobody left to tell.
            let _ = err.write_all(render::text(&self.files, d, color).as_bytes());
        }
        if is_failure(all) {
            let _ = writeln!(err, "isaglot: {}", render::summary(all));
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
