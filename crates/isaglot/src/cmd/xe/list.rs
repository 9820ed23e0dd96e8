//! `isaglot list`: the listing of a program, as text or JSON, with definitions, uses and live registers.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::{ListOptions, Platform, Xe};

use super::disasm::Show;
use super::{input, machine, parse_platform, status, word_problems};
use crate::io::Output;
use crate::session::Session;

/// List a program with its blocks, operands, definitions and uses (Intel Xe).
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The machine: xe, xehp, xehpg, xehpc, xe2, xe3, or the name of a product such as pvc, dg2, bmg.
    #[arg(long, value_name = "NAME", value_parser = parse_platform, required_unless_present = "print_schema")]
    isa: Option<Platform>,
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
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut problems = Diagnostics::new();
    match list(args, session, &mut problems) {
        Ok(()) => status(session, &problems),
        Err(d) => session.fail(d),
    }
}

fn list(args: &Args, session: &mut Session, problems: &mut Diagnostics) -> Result<(), Diagnostic> {
    if args.print_schema {
        let mut out = Output::create(args.output.as_deref(), false)?;
        out.write_all(isaglot_listing::schema::json_schema().as_bytes()).map_err(|e| out.failed(&e))?;
        return out.finish();
    }
    let Some(platform) = args.isa else { return Ok(()) };
    let mut xe = machine(platform)?;
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
    let mut text = Vec::new();
    let several = kernels.len() > 1;
    for (n, kernel) in kernels.iter().enumerate() {
        let program = xe.program(&kernel.bytes);
        problems.append(word_problems(&program, kernel.bytes.len()));
        if several && args.json {
            // One object with a listing for each kernel, so that the whole is JSON too.
            let name = serde_json::Value::from(kernel.name.as_deref().unwrap_or(""));
            text.extend_from_slice(if n == 0 { b"{" } else { b"," });
            text.extend_from_slice(format!("{name}:\n").as_bytes());
        } else if let Some(name) = kernel.name.as_ref().filter(|_| !args.json) {
            text.extend_from_slice(format!("// kernel {name}\n").as_bytes());
        }
        if args.json {
            json(&xe, &program, &options, &mut text)?;
        } else {
            xe.print(&program, &args.show.text(), &mut text);
        }
    }
    if several && args.json {
        text.extend_from_slice(b"}\n");
    }
    let mut out = Output::create(args.output.as_deref(), false)?;
    if let Err(e) = out.write_all(&text) {
        return if e.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(out.failed(&e)) };
    }
    out.finish()
}

/// Adds the JSON listing of a program.
pub(super) fn json(
    xe: &Xe,
    program: &isaglot_xe::Program,
    options: &ListOptions,
    text: &mut Vec<u8>,
) -> Result<(), Diagnostic> {
    xe.write_json(program, options, text).map_err(|_| {
        Diagnostic::error("xe-dataflow", "the program has too many definitions and uses to list")
            .note("leave out `--defs`")
    })
}
