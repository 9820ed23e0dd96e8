//! The command line: `isaglot VERB …`, one file per verb under `cmd`.
//!
//! Started under the name of a tool that it stands in for (a link called `llvm-tblgen`, say), it is that tool.

mod call_names;
mod cmd;
mod diagram;
mod embedded;
mod explore;
mod filter;
mod hooks;
mod io;
mod load;
mod progress;
mod riscv;
mod session;
mod solver;
mod target;

use std::process::ExitCode;

use clap::Parser;

/// One formal description of an instruction set in; every tool that people need for it out.
#[derive(Parser)]
#[command(name = "isaglot", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    /// When to colour what a person reads.
    #[arg(long, global = true, value_enum, default_value_t = session::Color::Auto, value_name = "WHEN")]
    color: session::Color,
    #[command(subcommand)]
    command: cmd::Command,
}

fn main() -> ExitCode {
    if let Some(code) = cmd::drop_in() {
        return code;
    }
    let cli = Cli::parse();
    cmd::run(cli.command, session::Session::new(cli.color))
}
