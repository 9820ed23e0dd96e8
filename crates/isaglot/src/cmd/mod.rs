//! The verbs. Each file has an `Args` that says what the verb takes and a `run` that does it.

mod asm;
mod check;
mod completions;
mod diff;
mod disasm;
mod docs;
pub(crate) mod explain;
mod explore;
mod gen_code;
mod gen_isaspec;
mod list;
mod man;
mod run;
mod spirv;
mod tblgen;
mod xe;
pub(crate) mod xintf;

use std::process::ExitCode;

use clap::Subcommand;

use crate::session::Session;

/// Every verb of the tool.
#[derive(Subcommand)]
pub(crate) enum Command {
    Asm(asm::Args),
    Check(check::Args),
    Completions(completions::Args),
    Diff(diff::Args),
    Disasm(disasm::Args),
    Docs(docs::Args),
    Explain(explain::Args),
    Explore(explore::Args),
    Gen(gen_code::Args),
    List(list::Args),
    Man(man::Args),
    Run(run::Args),
    Spirv(spirv::Args),
    Tblgen(tblgen::Args),
    Xintf(xintf::Args),
}

/// Runs one verb.
pub(crate) fn run(command: Command, mut session: Session) -> ExitCode {
    let session = &mut session;
    match command {
        Command::Asm(args) => asm::run(&args, session),
        Command::Check(args) => check::run(&args, session),
        Command::Completions(args) => completions::run(&args, session),
        Command::Diff(args) => diff::run(&args, session),
        Command::Disasm(args) => disasm::run(&args, session),
        Command::Docs(args) => docs::run(&args, session),
        Command::Explain(args) => explain::run(&args, session),
        Command::Explore(args) => explore::run(args, session),
        Command::Gen(args) => gen_code::run(&args, session),
        Command::List(args) => list::run(&args, session),
        Command::Man(args) => man::run(&args, session),
        Command::Run(args) => run::run(&args, session),
        Command::Spirv(args) => spirv::run(&args, session),
        Command::Tblgen(args) => tblgen::run(&args, session),
        Command::Xintf(args) => xintf::run(&args, session),
    }
}

/// If the program was started under the name of a tool that it stands in for, runs as that tool; a verb whose options
/// depend on the instruction set is taken here too.
pub(crate) fn drop_in() -> Option<ExitCode> {
    let program = std::env::args_os().next()?;
    let name = std::path::Path::new(&program).file_stem()?.to_str()?;
    match name {
        "iga64" => Some(xe::iga64::run()),
        "spirv-as" => Some(spirv::drop_in::assembler()),
        "llvm-tblgen" => Some(tblgen::drop_in()),
        "spirv-dis" => Some(spirv::drop_in::disassembler()),
        _ => xe::routed(),
    }
}
