//! The verbs. Each file has an `Args` that says what the verb takes and a `run` that does it.

use std::process::ExitCode;

use clap::Subcommand;

use crate::session::Session;

/// Every verb of the tool.
#[derive(Subcommand)]
pub(crate) enum Command {}

/// Runs one verb.
pub(crate) fn run(command: Command, _session: Session) -> ExitCode {
    match command {}
}

/// If the program was started under the name of a tool that it stands in for, runs as that tool.
pub(crate) fn drop_in() -> Option<ExitCode> {
    let program = std::env::args_os().next()?;
    let name = std::path::Path::new(&program).file_stem()?.to_str()?;
    match name {
        _ => None,
    }
}
