//! `isaglot spirv`: the SPIR-V assembler and disassembler; and both as stand-ins for `spirv-as` and `spirv-dis`.

mod assemble;
mod disassemble;
pub(super) mod drop_in;
mod files;

use std::process::ExitCode;

use clap::Subcommand;

use crate::session::Session;

/// Assemble and disassemble SPIR-V.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot spirv as shader.spvasm -o shader.spv
  isaglot spirv dis shader.spv")]
pub(crate) struct Args {
    #[command(subcommand)]
    tool: Tool,
}

/// The options of one are put together when it is the one asked for.
#[derive(Subcommand, Debug)]
#[command(defer = true)]
enum Tool {
    /// Assemble text into modules.
    As(assemble::Args),
    /// Disassemble modules into text.
    Dis(disassemble::Args),
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    match &args.tool {
        Tool::As(args) => assemble::run(args, session),
        Tool::Dis(args) => disassemble::run(args, session),
    }
}
