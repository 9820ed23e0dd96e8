//! `isaglot xintf check`: everything that is wrong with definition files.

use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_source::Diagnostics;
use isaglot_xintf::{check, meaning, registry};

use super::{ReportArgs, TargetArgs};
use crate::session::Session;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf check music.xintf
  isaglot xintf check --registry registry.txt --json music.xintf")]
pub(super) struct Args {
    /// Definition files; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Where else to look for imports
    #[arg(short = 'I', long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Check the numbers against this registry too
    #[arg(long, value_name = "FILE")]
    registry: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs,
}

pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut found = Diagnostics::new();
    let set = super::load(session, &args.files, &args.include, &mut found);
    check::check(set.written(), args.target.target(), &mut found);
    for interface in set.written() {
        meaning::of_interface(interface, args.target.target().xlen, &mut found);
    }
    if let Some(path) = &args.registry
        && let Some(registry) = super::read_registry(session, path, &mut found)
    {
        registry::check(&registry, &mut found);
        registry::against(set.written(), &registry, args.target.target(), &mut found);
    }
    args.report.finish(session, &found)
}
