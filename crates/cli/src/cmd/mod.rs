//! The verbs. Each file has an `Args` that says what the verb takes and a `run` that does it.

mod asm;
mod check;
mod compile;
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

use clap::{ArgMatches, Args as _, FromArgMatches};

use crate::session::Session;

/// A verb: its name, what adds its options to a command, and what reads these back and does it.
struct Verb {
    name: &'static str,
    options: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches, &mut Session) -> Result<ExitCode, clap::Error>,
}

/// Every verb of the tool.
const VERBS: &[Verb] = &[
    Verb { name: "asm", options: asm::Args::augment_args, run: |found, session| Ok(asm::run(&args(found)?, session)) },
    Verb {
        name: "check",
        options: check::Args::augment_args,
        run: |found, session| Ok(check::run(&args(found)?, session)),
    },
    Verb {
        name: "compile",
        options: compile::Args::augment_args,
        run: |found, session| Ok(compile::run(&args(found)?, session)),
    },
    Verb {
        name: "completions",
        options: completions::Args::augment_args,
        run: |found, session| Ok(completions::run(&args(found)?, session)),
    },
    Verb {
        name: "diff",
        options: diff::Args::augment_args,
        run: |found, session| Ok(diff::run(&args(found)?, session)),
    },
    Verb {
        name: "disasm",
        options: disasm::Args::augment_args,
        run: |found, session| Ok(disasm::run(&args(found)?, session)),
    },
    Verb {
        name: "docs",
        options: docs::Args::augment_args,
        run: |found, session| Ok(docs::run(&args(found)?, session)),
    },
    Verb {
        name: "explain",
        options: explain::Args::augment_args,
        run: |found, session| Ok(explain::run(&args(found)?, session)),
    },
    Verb {
        name: "explore",
        options: explore::Args::augment_args,
        run: |found, session| Ok(explore::run(args(found)?, session)),
    },
    Verb {
        name: "gen",
        options: gen_code::Args::augment_args,
        run: |found, session| Ok(gen_code::run(&args(found)?, session)),
    },
    Verb {
        name: "list",
        options: list::Args::augment_args,
        run: |found, session| Ok(list::run(&args(found)?, session)),
    },
    Verb { name: "man", options: man::Args::augment_args, run: |found, session| Ok(man::run(&args(found)?, session)) },
    Verb { name: "run", options: run::Args::augment_args, run: |found, session| Ok(run::run(&args(found)?, session)) },
    Verb {
        name: "spirv",
        options: spirv::Args::augment_args,
        run: |found, session| Ok(spirv::run(&args(found)?, session)),
    },
    Verb {
        name: "tblgen",
        options: tblgen::Args::augment_args,
        run: |found, session| Ok(tblgen::run(&args(found)?, session)),
    },
    Verb {
        name: "xintf",
        options: xintf::Args::augment_args,
        run: |found, session| Ok(xintf::run(&args(found)?, session)),
    },
];

/// What the command line said of a verb.
fn args<A: FromArgMatches>(found: &ArgMatches) -> Result<A, clap::Error> {
    A::from_arg_matches(found)
}

/// Adds the verbs to the definition of the command line. If the first argument names one, that is the only one: putting
/// together the options of all of them takes longer than the rest of a start.
pub(crate) fn add_verbs(tool: clap::Command, first: Option<&str>) -> clap::Command {
    let named = VERBS.iter().any(|verb| first == Some(verb.name));
    let asked = VERBS.iter().filter(|verb| !named || first == Some(verb.name));
    tool.subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(asked.map(|verb| (verb.options)(clap::Command::new(verb.name))))
}

/// Runs the verb that the command line names.
pub(crate) fn run(found: &ArgMatches, mut session: Session) -> Result<ExitCode, clap::Error> {
    let verb =
        found.subcommand().and_then(|(name, options)| Some((VERBS.iter().find(|verb| verb.name == name)?, options)));
    let (verb, options) = verb.ok_or_else(|| clap::Error::new(clap::error::ErrorKind::MissingSubcommand))?;
    (verb.run)(options, &mut session)
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
