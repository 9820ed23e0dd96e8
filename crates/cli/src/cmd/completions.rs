//! `isaglot completions SHELL`: the completion script of a shell, from the definition of the command line itself.

use std::process::ExitCode;

use crate::args::OutputArgs;
use crate::session::Session;

/// Write a shell's completion script.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot completions bash > isaglot.bash
  isaglot completions zsh -o _isaglot")]
pub(crate) struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: clap_complete::Shell,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(None), "isaglot", &mut script);
    session.done(crate::io::write(args.output.path(), false, &script))
}
