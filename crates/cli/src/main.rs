//! The command line: `isaglot VERB …`, one file per verb under `cmd`.
//!
//! Started under the name of a tool that it stands in for (a link called `llvm-tblgen`, say), it is that tool.

mod answer;
mod args;
mod call_names;
mod cmd;
#[cfg(feature = "explore")]
mod explore;
mod filter;
mod folder;
mod hooks;
mod interrupt;
mod io;
mod jobs;
mod load;
mod machine;
mod names;
mod program {
    //! What stands in an input: the library knows.
    pub(crate) use isaglot::program::*;
}
mod progress;
mod schema;
mod session;
mod solver;
mod subject;

use std::process::ExitCode;

use clap::{Args, FromArgMatches};

/// One formal description of an instruction set in; every tool that people need for it out.
#[derive(Args)]
#[command(
    version,
    after_help = "\
Examples:
  isaglot explain --isa rv64gc 'add a0, a1, a2'
  isaglot disasm --isa rv64gc --labels program.elf
  isaglot help disasm

Exit status: 0 if all went well, warnings included; 1 if an input is wrong or something was refused for what it holds; 2 for a
wrong command line. A reader that closes the pipe early is no failure. Ctrl-C says how far it was and leaves no half-written file; a shell
shows the status 130 then, and 143 after a request to end (SIGTERM)."
)]
struct Tool {
    /// When to colour what a person reads.
    #[arg(long, global = true, value_enum, default_value_t = session::Color::Auto, value_name = "WHEN")]
    color: session::Color,
    /// What messages on standard error look like.
    #[arg(long, global = true, value_enum, default_value_t = session::Messages::Text, value_name = "FORM")]
    messages: session::Messages,
}

/// The definition of the command line: whole, or of the verb that is the first argument.
fn command(first: Option<&str>) -> clap::Command {
    let tool = clap::Command::new("isaglot").propagate_version(true).max_term_width(100);
    cmd::add_verbs(Tool::augment_args(tool), first)
}

fn main() -> ExitCode {
    if let Some(code) = cmd::drop_in() {
        return code;
    }
    if names::are_asked_for(std::env::args_os()) {
        let text = if std::env::args_os().any(|arg| arg == "--json") { names::to_json() } else { names::list() };
        // Standard output may be closed; there is nobody left to tell.
        let _ = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
        return ExitCode::SUCCESS;
    }
    let first = std::env::args_os().nth(1);
    let found = command(first.as_deref().and_then(|arg| arg.to_str())).get_matches();
    let done = Tool::from_arg_matches(&found)
        .and_then(|tool| cmd::run(&found, session::Session::new(tool.color, tool.messages)));
    done.unwrap_or_else(|e| e.exit())
}
