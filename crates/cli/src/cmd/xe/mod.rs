//! Intel Xe: `disasm`, `asm` and `list` for the machines that `isaglot-xe` knows, and the stand-in for `iga64`.
//!
//! These exist for every description; with `--isa` naming a Xe machine they take this instruction set's own options, so
//! they are routed here before the general ones are read.

mod asm;
mod disasm;
pub(crate) mod iga64;
mod input;
mod list;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::text::Findings;
use isaglot_xe::{Platform, Xe};

use crate::io::Output;
use crate::session::{Color, EXIT_INPUT, Session};

/// The options that all of them have.
#[derive(clap::Args, Debug)]
struct Machine {
    /// The machine: xe, xehp, xehpg, xehpc, xe2, xe3, or the name of a product such as pvc, dg2, bmg.
    #[arg(long, value_name = "NAME", value_parser = parse_platform)]
    isa: Platform,
    /// When to colour what a person reads.
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
}

fn parse_platform(name: &str) -> Result<Platform, String> {
    Platform::parse(name).ok_or_else(|| "expected xe, xehp, xehpg, xehpc, xe2 or xe3".to_owned())
}

/// Disassemble, assemble or list Intel Xe instructions.
#[derive(Parser)]
#[command(name = "isaglot", version, propagate_version = true, max_term_width = 100)]
enum Routed {
    Disasm(disasm::Args),
    Asm(asm::Args),
    List(list::Args),
}

/// Runs `disasm`, `asm` or `list` if `--isa` names a Xe machine.
pub(crate) fn routed() -> Option<ExitCode> {
    let args: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let verb = args.iter().find(|a| !a.starts_with('-'))?;
    if !["disasm", "asm", "list"].contains(&verb.as_str()) {
        return None;
    }
    let mut names = args.iter().enumerate().filter_map(|(i, a)| match a.strip_prefix("--isa") {
        Some("") => args.get(i + 1).map(String::as_str),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    });
    names.find(|name| Platform::parse(name).is_some())?;
    Some(match Routed::parse() {
        Routed::Disasm(args) => disasm::run(&args, &mut Session::new(args.machine.color)),
        Routed::List(args) => list::run(&args, &mut Session::new(args.machine.color)),
        Routed::Asm(args) => asm::run(&args, &mut Session::new(args.machine.color)),
    })
}

/// The machine's description, compiled.
fn machine(platform: Platform) -> Result<Xe, Diagnostic> {
    Xe::new(platform).ok_or_else(|| Diagnostic::error("xe-description", "the embedded description cannot be read"))
}

/// What is wrong with a binary: bad words, each with its place, and bytes that are left over.
fn word_problems(findings: &Findings, size: usize) -> Diagnostics {
    let mut all = Diagnostics::new();
    for (raw, why) in &findings.bad {
        let digits = if raw.short { 16 } else { 32 };
        let message = format!("byte offset 0x{:X}: error: {}", raw.pc, why.message());
        all.push(Diagnostic::error("xe-word", message).note(format!("the word is 0x{:0digits$X}", raw.word)));
    }
    if (1..8).contains(&size) {
        all.push(Diagnostic::error("xe-size", "binary size is too small").note("an instruction has 8 or 16 bytes"));
    } else if findings.tail > 0 {
        let message = format!("unexpected padding at end of kernel, offset 0x{:X}", findings.end);
        all.push(Diagnostic::warning("xe-padding", message));
    }
    all
}

/// Writes what `fill` makes, piece by piece, until it says that nothing is left. False: nobody reads on.
fn write_all(out: &mut Output, mut fill: impl FnMut(&mut Vec<u8>) -> bool) -> Result<bool, Diagnostic> {
    let mut text = Vec::new();
    loop {
        text.clear();
        let more = fill(&mut text);
        if let Err(e) = out.write_all(&text) {
            return if e.kind() == std::io::ErrorKind::BrokenPipe { Ok(false) } else { Err(out.failed(&e)) };
        }
        if !more {
            return Ok(true);
        }
    }
}

/// The exit status after reporting.
fn status(session: &Session, problems: &Diagnostics) -> ExitCode {
    session.report(problems);
    if problems.has_errors() { ExitCode::from(EXIT_INPUT) } else { ExitCode::SUCCESS }
}
