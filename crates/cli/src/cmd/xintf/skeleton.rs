//! `isaglot xintf skeleton`: the device's side, to be filled in.

use std::process::ExitCode;

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xintf::limits;
use isaglot_xintf::skeleton::{self, Part};

use super::TextArgs;
use crate::session::Session;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf skeleton music.xintf -o device.rs
  isaglot xintf skeleton music.xintf --lang sv -o device.sv")]
pub(super) struct Args {
    #[command(flatten)]
    text: TextArgs,
    /// The language; `spike` is C++ for the Spike simulator
    #[arg(long, value_enum, default_value_t = Lang::Rust)]
    lang: Lang,
    /// The subdevice number of an interface; the others are counted from 0 in the order of the files
    #[arg(long, value_name = "INTERFACE=N", value_parser = parse_sub)]
    sub: Vec<(String, u16)>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Lang {
    Rust,
    C,
    Sv,
    Spike,
}

fn parse_sub(text: &str) -> Result<(String, u16), String> {
    let pair = text.rsplit_once('=').and_then(|(name, n)| Some((name.to_owned(), n.parse().ok()?)));
    let in_range = |(_, n): &(String, u16)| u64::from(*n) <= limits::MAX_UNIT;
    pair.filter(in_range).ok_or_else(|| "expected INTERFACE=N with N below 4096".to_owned())
}

pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut found = Diagnostics::new();
    let (set, profile) = args.text.load(session, &mut found);
    for (name, _) in args.sub.iter().filter(|(name, _)| set.own().all(|i| i.name.text != *name)) {
        found.push(Diagnostic::error("E-IMPORT", format!("no file defines `{name}`")));
    }
    let mut free = (0..).filter(|n| args.sub.iter().all(|(_, taken)| taken != n));
    let parts: Vec<Part<'_>> = set
        .own()
        .map(|interface| {
            let fixed = args.sub.iter().find(|(name, _)| *name == interface.name.text).map(|(_, n)| *n);
            Part { sub: fixed.or_else(|| free.next()).or_impossible_default(), interface }
        })
        .collect();
    for (i, part) in parts.iter().enumerate() {
        if let Some(other) = parts.iter().take(i).find(|p| p.sub == part.sub) {
            let message = format!("subdevice {} is given to two interfaces", part.sub);
            let d = Diagnostic::error("E-RANGE", message).label(part.interface.name.span, "to this one");
            found.push(d.secondary(other.interface.name.span, "and to this one"));
        }
    }
    let lang = match args.lang {
        Lang::Rust => skeleton::Lang::Rust,
        Lang::C => skeleton::Lang::C,
        Lang::Sv => skeleton::Lang::SystemVerilog,
        Lang::Spike => skeleton::Lang::Spike,
    };
    let (commands, xlen) = (args.text.target.commands, args.text.target.xlen);
    args.text.finish(session, &found, || Some(skeleton::skeleton(&parts, &profile?, commands, xlen, lang)))
}
