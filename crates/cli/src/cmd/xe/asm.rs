//! `isaglot asm --isa xehpc`: text, or a JSON listing, to a binary.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::Compaction;

use super::{Machine, machine, status};
use crate::io::{Output, input_name, read_shared};
use crate::session::Session;

/// Assemble Intel Xe text, or a JSON listing, to a raw kernel.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) machine: Machine,
    /// The source, or a JSON listing; standard input if it is missing or `-`.
    input: Option<PathBuf>,
    /// Where the bytes go; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Which instructions take their short form: those that say so, all that can, or none.
    #[arg(long, value_enum, default_value_t = Compact::Marked, value_name = "WHICH")]
    compact: Compact,
    /// The input is a JSON listing; without it that is recognised by its first character.
    #[arg(long)]
    json: bool,
}

/// Which instructions take their short form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Compact {
    Marked,
    Auto,
    Off,
}

pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut problems = Diagnostics::new();
    match assemble(args, session, &mut problems) {
        Ok(()) => status(session, &problems),
        Err(d) => session.fail(d),
    }
}

fn assemble(args: &Args, session: &mut Session, problems: &mut Diagnostics) -> Result<(), Diagnostic> {
    let mut xe = machine(args.machine.isa)?;
    let text = read_shared(args.input.as_deref())?;
    let file = session.files.add(input_name(args.input.as_deref()), Arc::clone(&text));
    let compact = match args.compact {
        Compact::Marked => Compaction::Marked,
        Compact::Auto => Compaction::Auto,
        Compact::Off => Compaction::Off,
    };
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    let bytes = if args.json || first == Some(&b'{') {
        match isaglot_listing::read(file, &text) {
            Ok(listing) => {
                if listing.platform != args.machine.isa.name() {
                    let message =
                        format!("the listing is for {}, not for {}", listing.platform, args.machine.isa.name());
                    problems.push(Diagnostic::warning("xe-platform", message));
                }
                xe.assemble_listing(file, &listing, problems)
            }
            Err(all) => {
                problems.append(all);
                None
            }
        }
    } else {
        xe.assemble(file, &text, compact, problems)
    };
    let Some(bytes) = bytes else { return Ok(()) };
    let mut out = Output::create(args.output.as_deref(), true)?;
    out.write_all(&bytes).map_err(|e| out.failed(&e))?;
    out.finish()
}
