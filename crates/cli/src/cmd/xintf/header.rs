//! `isaglot xintf header`: what a program includes.

use std::process::ExitCode;

use isaglot_source::Diagnostics;
use isaglot_xintf::ast::Interface;
use isaglot_xintf::header;

use super::TextArgs;
use crate::session::Session;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf header music.xintf -o music.h
  isaglot xintf header music.xintf --lang asm --xlen 32 -o music.inc")]
pub(super) struct Args {
    #[command(flatten)]
    text: TextArgs,
    /// The language: `c` serves C, C++ and .S files, `asm` .s files
    #[arg(long, value_enum, default_value_t = Lang::C)]
    lang: Lang,
    /// Also the interfaces that the files import, and the fallback interfaces
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Lang {
    C,
    Asm,
    Rust,
}

pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut found = Diagnostics::new();
    let (set, profile) = args.text.load(session, &mut found);
    let chosen: Vec<&Interface> = if args.all { set.interfaces().collect() } else { set.own().collect() };
    let lang = match args.lang {
        Lang::C => header::Lang::C,
        Lang::Asm => header::Lang::Asm,
        Lang::Rust => header::Lang::Rust,
    };
    args.text.finish(session, &found, || Some(header::header(&chosen, &profile?, lang)))
}
