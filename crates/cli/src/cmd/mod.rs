//! The verbs. Each file has an `Args` that says what the verb takes and a `run` that does it.

mod asm;
mod check;
mod compile;
mod completions;
mod conform;
mod diff;
mod disasm;
pub(crate) mod docs;
pub(crate) mod explain;
#[cfg(feature = "explore")]
mod explore;
mod gen_code;
mod gen_isaspec;
mod lint;
mod list;
mod llvm;
mod man;
mod run;
mod spirv;
pub(crate) mod step;
mod tblgen;
mod triage;
pub(crate) mod xe;
pub(crate) mod xintf;

use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, FromArgMatches};

use crate::session::Session;
use crate::subject::{DESCRIPTIONS, Only, PAGES, SubjectKind, Takes};

/// A verb: its name, the subjects that it takes and the options that are for some of them only, what adds its options to
/// a command, and what reads these back and does it.
struct Verb {
    name: &'static str,
    takes: &'static [SubjectKind],
    only: &'static [Only],
    options: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches, &mut Session) -> Result<ExitCode, clap::Error>,
}

/// The row of a verb: its name, its module, and what it takes unless that is any description.
macro_rules! verb {
    ($name:literal, $module:ident) => {
        verb!($name, $module, DESCRIPTIONS, &[])
    };
    ($name:literal, $module:ident, $takes:expr, $only:expr) => {
        Verb {
            name: $name,
            takes: $takes,
            only: $only,
            options: $module::Args::augment_args,
            run: |found, session| Ok($module::run(&args(found)?, session)),
        }
    };
}

/// Every verb of the tool.
const VERBS: &[Verb] = &[
    verb!("asm", asm, asm::TAKES, asm::ONLY),
    verb!("check", check),
    verb!("compile", compile),
    verb!("completions", completions),
    verb!("conform", conform, conform::TAKES, conform::ONLY),
    verb!("diff", diff),
    verb!("disasm", disasm, disasm::TAKES, disasm::ONLY),
    verb!("docs", docs, PAGES, docs::ONLY),
    verb!("explain", explain, explain::TAKES, explain::ONLY),
    #[cfg(feature = "explore")]
    verb!("explore", explore, PAGES, explore::ONLY),
    verb!("gen", gen_code),
    verb!("lint", lint, lint::TAKES, lint::ONLY),
    verb!("list", list, list::TAKES, list::ONLY),
    verb!("llvm", llvm),
    verb!("man", man),
    verb!("run", run),
    verb!("spirv", spirv),
    verb!("step", step),
    verb!("tblgen", tblgen),
    verb!("triage", triage, triage::TAKES, triage::ONLY),
    verb!("xintf", xintf),
];

/// What the command line said of a verb.
fn args<A: FromArgMatches>(found: &ArgMatches) -> Result<A, clap::Error> {
    A::from_arg_matches(found)
}

/// Adds the verbs to the definition of the command line. If the first argument names one, that is the only one, and for `--version` there
/// is none: putting together the options of all of them takes longer than the rest of a start.
pub(crate) fn add_verbs(tool: clap::Command, first: Option<&str>) -> clap::Command {
    let named = matches!(first, Some("--version" | "-V")) || VERBS.iter().any(|verb| first == Some(verb.name));
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
    let is_given = |id: &&&str| options.value_source(id) == Some(ValueSource::CommandLine);
    let given = |&(kinds, ids): &Only| ids.iter().filter(is_given).map(move |&id| (id, kinds));
    session.takes = Takes { verb: verb.name, kinds: verb.takes, given: verb.only.iter().flat_map(given).collect() };
    crate::interrupt::listen(&format!("isaglot {}", verb.name));
    (verb.run)(options, &mut session)
}

/// The tools that the program stands in for.
const DROP_INS: [&str; 4] = ["iga64", "spirv-as", "llvm-tblgen", "spirv-dis"];

/// If the program was started under the name of a tool that it stands in for, runs as that tool.
pub(crate) fn drop_in() -> Option<ExitCode> {
    let program = std::env::args_os().next()?;
    let name = std::path::Path::new(&program).file_stem()?.to_str()?;
    if DROP_INS.contains(&name) {
        crate::interrupt::listen(name);
    }
    match name {
        "iga64" => Some(xe::iga64::run()),
        "spirv-as" => Some(spirv::drop_in::assembler()),
        "llvm-tblgen" => Some(tblgen::drop_in()),
        "spirv-dis" => Some(spirv::drop_in::disassembler()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::VERBS;

    #[test]
    fn the_options_that_are_for_some_subjects_exist() {
        for verb in VERBS {
            let command = (verb.options)(clap::Command::new(verb.name));
            for &id in verb.only.iter().flat_map(|(_, ids)| *ids) {
                let found = command.get_arguments().find(|arg| arg.get_id() == id);
                let long = found.and_then(|arg| arg.get_long());
                let expected = id.replace('_', "-");
                let short_only = id == "include";
                assert!(short_only || long == Some(&expected), "{} {id}", verb.name);
            }
        }
    }
}
