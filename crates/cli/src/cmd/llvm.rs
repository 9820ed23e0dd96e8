//! `isaglot llvm`: what the records of an LLVM target say about it.

use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_llvm::Known;
use isaglot_model::ByteOrder;
use isaglot_source::{Diagnostic, Diagnostics};

use crate::args::{FileArgs, ReadArgs};
use crate::load::{Program, Source, Spec, check_options};
use crate::session::{EXIT_INPUT, Session};
use isaglot::spec::form::is_tablegen;
use isaglot::spec::target;

/// LLVM's targets: a first operand table from the records of one.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot llvm scaffold wren.td -o my.operands
  isaglot llvm scaffold wren.td --bytes big")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand, Debug)]
enum Verb {
    /// Write a first operand table for a target, with each guess marked
    Scaffold(ScaffoldArgs),
}

/// Write a first operand table for a target, with each guess marked.
///
/// What follows from the records needs no statement. For each other name that operands use, a statement is made from its name, its type and
/// the width of its bits, with the word `guess` before it: texts show a `?` there until you have looked at it and taken the word away.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot llvm scaffold wren.td -o my.operands
  isaglot llvm scaffold wren.td --bytes big --prefix %")]
struct ScaffoldArgs {
    /// The TableGen file of the target.
    spec: PathBuf,
    #[command(flatten)]
    files: FileArgs,
    /// The order of bytes in memory, which no record says.
    #[arg(long, value_name = "little|big", value_parser = byte_order)]
    bytes: Option<ByteOrder>,
    /// What stands before the names of registers in texts, such as `%`; no record says it.
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,
    /// Where the table goes; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn byte_order(name: &str) -> Result<ByteOrder, String> {
    match name {
        "little" => Ok(ByteOrder::Little),
        "big" => Ok(ByteOrder::Big),
        _ => Err("expected `little` or `big`".to_owned()),
    }
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let Verb::Scaffold(args) = &args.verb;
    let mut spec = Spec::of(Source::File(args.spec.clone()));
    ReadArgs { files: args.files.clone(), stale: false }.put(&mut spec.choice);
    if let Err(d) = check_options(&spec) {
        return session.wrong_usage(d);
    }
    if args.files.operands.is_some() {
        let d = Diagnostic::error("cli-scaffold", "`--operands` does not apply: an operand table is what is written");
        return session.wrong_usage(d.note("`-o FILE` says where it goes"));
    }
    if !is_tablegen(&args.spec) {
        let message = format!("{} is not a TableGen file", args.spec.display());
        let d = Diagnostic::error("cli-scaffold", message);
        return session.wrong_usage(d.note("expected the `.td` file of an LLVM target, such as `RISCV.td`"));
    }
    let mut problems = Diagnostics::new();
    let known = Known { bytes: args.bytes, prefix: args.prefix.clone() };
    let table = target::scaffold(&args.spec, &spec.choice, &known, &Program, &mut session.files, &mut problems);
    session.report(&problems);
    let Some(table) = table else { return ExitCode::from(EXIT_INPUT) };
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    match crate::io::write(output, false, table.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(d) => session.fail(d),
    }
}
