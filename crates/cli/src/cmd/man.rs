//! `isaglot man`: manual pages, from the definition of the command line itself: one for the tool, one for each verb.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_source::Diagnostic;

use crate::io::{Output, unwritable};
use crate::session::Session;

/// Write manual pages.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot man disasm > isaglot-disasm.1
  isaglot man -o man1")]
pub(crate) struct Args {
    /// The verb whose page to print (`disasm`, `xintf map`); the page of the tool if there is none.
    verb: Vec<String>,
    /// Write all pages to this folder instead, which is made if it is missing.
    #[arg(short, long, value_name = "DIR", conflicts_with = "verb")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let done = match &args.output {
        Some(dir) => all(dir),
        None => one(&args.verb),
    };
    session.done(done)
}

/// The whole definition, with every page's name in its title.
fn command() -> clap::Command {
    let mut command = crate::command(None);
    // Gives the verbs of verbs their full names.
    command.build();
    command
}

fn one(verbs: &[String]) -> Result<(), Diagnostic> {
    let mut command = command();
    for verb in verbs {
        let Some(found) = command.find_subcommand(verb) else {
            let d = Diagnostic::error("cli-man", format!("there is no verb `{}`", verbs.join(" ")));
            let names = command.get_subcommands().map(clap::Command::get_name);
            return Err(d.did_you_mean(isaglot_source::closest(verb, names)));
        };
        command = found.clone();
    }
    write(None, &command)
}

fn all(dir: &Path) -> Result<(), Diagnostic> {
    std::fs::create_dir_all(dir).map_err(|e| unwritable(&dir.display().to_string(), &e))?;
    let mut left = vec![command()];
    while let Some(command) = left.pop() {
        write(Some(dir), &command)?;
        left.extend(command.get_subcommands().filter(|c| c.get_name() != "help").cloned());
    }
    Ok(())
}

fn write(dir: Option<&Path>, command: &clap::Command) -> Result<(), Diagnostic> {
    let man = clap_mangen::Man::new(command.clone());
    let path = dir.map(|dir| dir.join(man.get_filename()));
    let mut out = Output::create(path.as_deref(), false)?;
    man.render(&mut out).map_err(|e| out.failed(&e))?;
    out.flush().map_err(|e| out.failed(&e))?;
    out.finish()
}
