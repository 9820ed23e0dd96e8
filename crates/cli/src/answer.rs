//! The answer of verbs whose result is a list of messages: as text, as JSON or as SARIF, and the exit status that it has.

use std::io;
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Severity, render};
use serde_json::Value;

use crate::args::OutputArgs;
use crate::session::{EXIT_INPUT, Session};

/// In which form the messages go out, and from which severity on they make the exit status 1.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct AnswerArgs {
    /// Exit with 1 also for warnings.
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Answer in JSON.
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Answer in SARIF 2.1.0: the messages.
    #[arg(long)]
    sarif: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// What counts as an error too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Deny {
    /// Warnings count as errors.
    Warnings,
}

impl AnswerArgs {
    /// Whether the answer is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Where the answer goes.
    pub(crate) fn output(&self) -> &OutputArgs {
        &self.output
    }

    /// Whether text has colors.
    pub(crate) fn has_color(&self, session: &Session) -> bool {
        self.is_text() && self.output.path().is_none() && session.color.on(&io::stdout())
    }

    /// Whether the answer is for a person.
    pub(crate) fn is_text(&self) -> bool {
        !self.json && !self.sarif
    }

    /// Writes the answer, and says what its messages make of the exit status. The text may have colors.
    pub(crate) fn write(
        &self,
        session: &Session,
        all: &[Diagnostic],
        to_json: impl FnOnce(&Session) -> Value,
        to_text: impl FnOnce(&Session, bool) -> String,
    ) -> Result<ExitCode, Diagnostic> {
        let to_sarif = |session: &Session| render::sarif(&session.files, env!("CARGO_PKG_VERSION"), all);
        self.write_with(session, all, to_json, to_sarif, to_text)
    }

    /// As [`AnswerArgs::write`], where a log of SARIF is more than the messages.
    pub(crate) fn write_with(
        &self,
        session: &Session,
        all: &[Diagnostic],
        to_json: impl FnOnce(&Session) -> Value,
        to_sarif: impl FnOnce(&Session) -> Value,
        to_text: impl FnOnce(&Session, bool) -> String,
    ) -> Result<ExitCode, Diagnostic> {
        let answer = match (self.json, self.sarif) {
            (true, _) => format!("{:#}\n", to_json(session)),
            (_, true) => format!(
                "{:#}
",
                to_sarif(session)
            ),
            _ => to_text(session, self.has_color(session)),
        };
        self.output.write(&answer)?;
        Ok(self.status(all.iter().map(|d| d.severity).max()))
    }

    /// The exit status that the worst of the messages makes.
    pub(crate) fn status(&self, worst: Option<Severity>) -> ExitCode {
        let least = if self.deny == Some(Deny::Warnings) { Severity::Warning } else { Severity::Error };
        if worst.is_some_and(|worst| worst >= least) { ExitCode::from(EXIT_INPUT) } else { ExitCode::SUCCESS }
    }
}
