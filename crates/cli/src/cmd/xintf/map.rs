//! `isaglot xintf map`: the map of a processor, built and checked.

use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_riscv::Xlen;
use isaglot_source::Diagnostics;
use isaglot_xintf::check::{Target, check};
use isaglot_xintf::map::{self, Map, emit};
use isaglot_xintf::registry;

use super::ReportArgs;
use crate::schema;
use crate::session::Session;

#[derive(clap::Subcommand)]
pub(super) enum Verb {
    /// Give logical unit numbers to what the devices serve, and write the tables
    Build(Build),
    /// Check the tables
    Check(Check),
}

#[derive(clap::Args)]
struct Input {
    /// The map: TOML, or JSON if it starts with `{`; `-` is standard input
    map: PathBuf,
    /// Definitions of the interfaces that the map names
    files: Vec<PathBuf>,
    /// Where else to look for imports
    #[arg(short = 'I', long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Check the interfaces against this registry too
    #[arg(long, value_name = "FILE")]
    registry: Option<PathBuf>,
    /// Register width when the map does not say
    #[arg(long, default_value = "64", value_parser = super::parse_xlen)]
    xlen: Xlen,
    /// Also warn of logical units that lead to different functions at different levels
    #[arg(long)]
    deputy: bool,
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf map build cpu.toml music.xintf -o cpu.json
  isaglot xintf map build cpu.toml music.xintf --lang c -o cpu.h")]
pub(super) struct Build {
    #[command(flatten)]
    input: Input,
    /// The language of the tables
    #[arg(long, value_enum, default_value_t = Lang::Json)]
    lang: Lang,
    /// The tables; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf map check cpu.toml music.xintf
  isaglot xintf map check cpu.toml music.xintf --deputy --registry registry.txt")]
pub(super) struct Check {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    report: ReportArgs,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Lang {
    Json,
    C,
    Rust,
}

pub(super) fn run(verb: &Verb, session: &mut Session) -> ExitCode {
    let mut found = Diagnostics::new();
    match verb {
        Verb::Build(args) => {
            let map = load(&args.input, session, &mut found);
            super::finish(session, &found, args.output.as_deref(), || match (map, args.lang) {
                (None, _) => String::new(),
                (Some(map), Lang::Json) => format!("{:#}\n", schema::marked(schema::INTERFACE_MAP, emit::json(&map))),
                (Some(map), Lang::C) => emit::c(&map),
                (Some(map), Lang::Rust) => emit::rust(&map),
            })
        }
        Verb::Check(args) => {
            load(&args.input, session, &mut found);
            args.report.finish(session, &found)
        }
    }
}

/// Reads a map, builds its tables and reports what is wrong with them.
fn load(args: &Input, session: &mut Session, found: &mut Diagnostics) -> Option<Map> {
    let set = super::load(session, &args.files, &args.include, found);
    let id = super::read(session, Some(&args.map), found)?;
    let mut map = map::read(id, &super::bytes(&session.files, id), &set, args.xlen, found);
    let target = Target { xlen: map.xlen, commands: map.commands };
    check(set.written(), target, found);
    map::build(&mut map, found);
    map::lint(&map, map::Options { deputy: args.deputy }, found);
    if let Some(path) = &args.registry {
        let registry = super::read_registry(session, path, found)?;
        registry::check(&registry, found);
        registry::against(set.written(), &registry, target, found);
        registry::against_map(&map, &registry, found);
    }
    Some(map)
}
