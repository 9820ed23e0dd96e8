//! `isaglot xintf header`: what a program includes.

use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_source::Diagnostics;
use isaglot_xintf::ast::Interface;
use isaglot_xintf::{check, header};

use super::{ProfileArgs, TargetArgs};
use crate::session::Session;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Definition files; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The language: `c` serves C, C++ and .S files, `asm` .s files
    #[arg(long, value_enum, default_value_t = Lang::C)]
    lang: Lang,
    /// Also the interfaces that the files import, and the fallback interfaces
    #[arg(long)]
    all: bool,
    /// Where else to look for imports
    #[arg(short = 'I', long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// The header; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    profile: ProfileArgs,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Lang {
    C,
    Asm,
    Rust,
}

pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut found = Diagnostics::new();
    let set = super::load(session, &args.files, &args.include, &mut found);
    check::check(set.written(), args.target.target(), &mut found);
    let profile = args.profile.load(session, args.target.commands, &mut found);
    let chosen: Vec<&Interface> = if args.all { set.interfaces().collect() } else { set.own().collect() };
    let lang = match args.lang {
        Lang::C => header::Lang::C,
        Lang::Asm => header::Lang::Asm,
        Lang::Rust => header::Lang::Rust,
    };
    super::finish(session, &found, args.output.as_deref(), || {
        profile.map(|p| header::header(&chosen, &p, lang)).unwrap_or_default()
    })
}
