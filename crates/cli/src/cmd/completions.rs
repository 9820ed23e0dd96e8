//! `isaglot completions SHELL`: the completion script of a shell, from the definition of the command line itself.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::io::Output;
use crate::session::Session;

/// Write a shell's completion script.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: clap_complete::Shell,
    /// Where the script goes; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(None), "isaglot", &mut script);
    let written = Output::create(args.output.as_deref(), false).and_then(|mut out| {
        out.write_all(&script).map_err(|e| out.failed(&e))?;
        out.finish()
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(d) => session.fail(d),
    }
}
