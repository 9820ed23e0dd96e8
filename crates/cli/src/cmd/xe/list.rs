//! `isaglot list`: the listing of a program, as text or JSON, with definitions, uses and live registers.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::text::Findings;
use isaglot_xe::{ListOptions, Lister, Printer, TextOptions, Xe};

use super::disasm::Show;
use super::{Machine, input, machine, status, word_problems, write_all};
use crate::io::Output;
use crate::session::Session;

/// List a program with its blocks, operands, definitions and uses (Intel Xe).
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) machine: Machine,
    /// A raw kernel, hex bytes, assembly text (`*.asm`), or an ELF with kernels; standard input if it is missing or `-`.
    input: Option<PathBuf>,
    /// Where the listing goes; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The listing as JSON.
    #[arg(long)]
    json: bool,
    /// Definitions, uses and live registers (JSON).
    #[arg(long)]
    defs: bool,
    #[command(flatten)]
    show: Show,
    /// The input is hexadecimal text.
    #[arg(long)]
    hex: bool,
    /// Exactly as another tool, its faults included.
    #[arg(long, value_enum, value_name = "TOOL")]
    compat: Option<CompatArg>,
    /// Print the JSON Schema of the listing and stop.
    #[arg(long)]
    print_schema: bool,
}

/// The tools that can be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum CompatArg {
    /// `iga64` 2.40.14
    Iga,
}

/// Runs the verb.
pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut problems = Diagnostics::new();
    match list(args, session, &mut problems) {
        Ok(()) => status(session, &problems),
        Err(d) => session.fail(d),
    }
}

fn list(args: &Args, session: &mut Session, problems: &mut Diagnostics) -> Result<(), Diagnostic> {
    if args.print_schema {
        let mut out = Output::create(args.output.as_deref(), false)?;
        out.write_all(isaglot_listing::schema::JSON_SCHEMA.as_bytes()).map_err(|e| out.failed(&e))?;
        return out.finish();
    }
    let mut xe = machine(args.machine.isa)?;
    let kernels = input::kernels(args.input.as_deref(), args.hex, Some(&mut xe), session, problems);
    let Some(kernels) = kernels else { return Ok(()) };
    let options = ListOptions {
        defs: args.defs,
        pc: args.show.pc,
        bits: args.show.bits,
        ldst: args.show.ldst,
        hex_floats: args.show.hex_floats,
        compat: args.compat == Some(CompatArg::Iga),
    };
    let mut out = Output::create(args.output.as_deref(), false)?;
    let several = kernels.len() > 1;
    for (n, kernel) in kernels.iter().enumerate() {
        let mut before = String::new();
        if several && args.json {
            // One object with a listing for each kernel, so that the whole is JSON too.
            let name = serde_json::Value::from(kernel.name.as_deref().unwrap_or(""));
            before = format!("{}{name}:\n", if n == 0 { "{" } else { "," });
        } else if let Some(name) = kernel.name.as_ref().filter(|_| !args.json) {
            before = format!("// kernel {name}\n");
        }
        out.write_all(before.as_bytes()).map_err(|e| out.failed(&e))?;
        let (read, findings) = if args.json {
            json(&mut xe, &kernel.bytes, &options, &mut out)?
        } else {
            text(&mut xe, &kernel.bytes, args.show.text(), &mut out)?
        };
        problems.append(word_problems(&findings, kernel.bytes.len()));
        if !read {
            return Ok(());
        }
    }
    if several && args.json {
        out.write_all(b"}\n").map_err(|e| out.failed(&e))?;
    }
    out.finish()
}

/// Writes the JSON listing of a binary. Whether it was read to the end, and what is wrong with the binary.
pub(super) fn json(
    xe: &mut Xe,
    bytes: &[u8],
    options: &ListOptions,
    out: &mut Output,
) -> Result<(bool, Findings), Diagnostic> {
    if !options.defs {
        let mut lister = Lister::new(xe, bytes, *options);
        let read = write_all(out, |text| lister.fill(text))?;
        return Ok((read, lister.findings()));
    }
    let program = xe.program(bytes);
    let mut whole = Vec::new();
    xe.write_json(&program, options, &mut whole).map_err(|_| {
        Diagnostic::error("xe-dataflow", "the program has too many definitions and uses to list")
            .note("leave out `--defs`")
    })?;
    let read = write_all(out, |text| {
        std::mem::swap(text, &mut whole);
        false
    })?;
    Ok((read, program.findings()))
}

/// Writes the text of a binary; the answer is that of [`json`].
pub(super) fn text(
    xe: &mut Xe,
    bytes: &[u8],
    options: TextOptions,
    out: &mut Output,
) -> Result<(bool, Findings), Diagnostic> {
    let mut printer = Printer::new(xe, bytes, options);
    let read = write_all(out, |text| printer.fill(text))?;
    Ok((read, printer.findings()))
}
