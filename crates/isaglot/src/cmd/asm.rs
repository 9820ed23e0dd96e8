//! `isaglot asm`: text to bytes.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_asm::Assembler;
use isaglot_asm::assemble::source;
use isaglot_codec::Plan;
use isaglot_source::{Diagnostic, Diagnostics, FileId};
use isaglot_xintf::assembly;
use isaglot_xintf::uuid::Xlen;

use crate::io::{Output, input_name, read};
use crate::load::{Chosen, CompatArg, SpecArgs, load, read_names};
use crate::session::{EXIT_INPUT, Session};

/// Assemble a program to a raw binary.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// The source; standard input if it is missing or `-`.
    input: Option<PathBuf>,
    /// Where the bytes go; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print a listing: places, bytes, source. Without `--output`, in place of the bytes.
    #[arg(long)]
    list: bool,
    /// Texts for fields of type `custom` and entries of jump tables: lines `FIELD VALUE TEXT`.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// 32-bit words that stand before the program, in hex with commas. A firmware for afuc begins with `00000000`.
    #[arg(long, value_name = "WORDS", value_delimiter = ',', value_parser = parse_word)]
    header: Vec<u32>,
    /// Whose texts to read where they differ: `mesa-26` writes floats so that they read back.
    #[arg(long, value_enum, default_value_t = CompatArg::Mesa24, value_name = "TOOL")]
    compat: CompatArg,
    /// Definitions of interfaces that the program imports (RISC-V).
    #[arg(long, value_name = "FILE")]
    xintf: Vec<PathBuf>,
}

fn parse_word(text: &str) -> Result<u32, String> {
    u32::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).map_err(|e| e.to_string())
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let Some(chosen) = load(&args.spec, session) else { return ExitCode::from(EXIT_INPUT) };
    match assemble(args, &chosen, session) {
        Ok(problems) => {
            session.report(&problems);
            if problems.has_errors() { ExitCode::from(EXIT_INPUT) } else { ExitCode::SUCCESS }
        }
        Err(d) => session.fail(d),
    }
}

/// With interfaces, and the pseudo-instructions that stand for several instructions.
fn riscv(
    args: &Args,
    assembler: &mut Assembler<'_, '_>,
    file: FileId,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Option<(source::Image, FileId)> {
    let xlen = if assembler.plan().generation() == 32 { Xlen::Rv32 } else { Xlen::Rv64 };
    let interfaces = super::xintf::load(session, &args.xintf, &[], problems);
    let commands = isaglot_xintf::limits::MAX_COMMANDS;
    isaglot_xintf::check::check(interfaces.written(), isaglot_xintf::check::Target { xlen, commands }, problems);
    if problems.has_errors() {
        return None;
    }
    let target = assembly::Target { xlen, interfaces: &interfaces };
    assembly::assemble(assembler, target, &mut session.files, file, args.list, problems)
}

fn assemble(args: &Args, chosen: &Chosen, session: &mut Session) -> Result<Diagnostics, Diagnostic> {
    let names = read_names(args.names.as_deref(), session)?;
    let plan = Plan::with_features(&chosen.isa, chosen.generation, &chosen.features);
    let text = read(args.input.as_deref())?;
    let file = session.files.add(input_name(args.input.as_deref()), text.as_slice());
    let mut problems = Diagnostics::new();
    let mut assembler = Assembler::new(&plan, &names, args.compat.into());
    let image = if chosen.isa.name() == "riscv" {
        riscv(args, &mut assembler, file, session, &mut problems)
    } else {
        source::assemble(&mut assembler, file, &text, args.list, &mut problems).map(|image| (image, file))
    };
    let Some((image, file)) = image else { return Ok(problems) };
    let only_list = args.list && args.output.is_none();
    if !only_list {
        let mut out = Output::create(args.output.as_deref(), true)?;
        let header: Vec<u8> = args.header.iter().flat_map(|word| word.to_le_bytes()).collect();
        out.write_all(&header).map_err(|e| out.failed(&e))?;
        for section in &image.sections {
            out.write_all(&section.bytes).map_err(|e| out.failed(&e))?;
        }
        out.finish()?;
    }
    if args.list {
        let Some(source) = session.files.get(file) else { return Ok(problems) };
        let word_bytes = chosen.isa.format().parcel_bits as usize / 8;
        let mut out = Output::create(None, false)?;
        out.write_all(source::listing(&image, source, word_bytes).as_bytes()).map_err(|e| out.failed(&e))?;
        out.finish()?;
    }
    Ok(problems)
}
