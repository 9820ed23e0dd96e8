//! `isaglot disasm --isa xehpc`: kernels to text.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::TextOptions;

use super::{Machine, input, list, machine, status, word_problems};
use crate::io::Output;
use crate::session::Session;

/// Disassemble Intel Xe kernels.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) machine: Machine,
    /// A raw kernel, hex bytes, or an ELF with kernels; standard input if it is missing or `-`.
    input: Option<PathBuf>,
    /// Where the text goes; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The input is hexadecimal text.
    #[arg(long)]
    hex: bool,
    #[command(flatten)]
    show: Show,
    /// Leave out comments.
    #[arg(long)]
    no_comments: bool,
}

/// What a text shows.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(super) struct Show {
    /// The offset of each instruction.
    #[arg(long)]
    pub(super) pc: bool,
    /// The encoding of each instruction.
    #[arg(long)]
    pub(super) bits: bool,
    /// Loads and stores in their own syntax.
    #[arg(long)]
    pub(super) ldst: bool,
    /// Floating-point immediates as bits.
    #[arg(long)]
    pub(super) hex_floats: bool,
}

impl Show {
    pub(super) fn text(self) -> TextOptions {
        TextOptions {
            pc: self.pc,
            bits: self.bits,
            ldst: self.ldst,
            hex_floats: self.hex_floats,
            ..TextOptions::default()
        }
    }
}

pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut problems = Diagnostics::new();
    match disassemble(args, session, &mut problems) {
        Ok(()) => status(session, &problems),
        Err(d) => session.fail(d),
    }
}

fn disassemble(args: &Args, session: &mut Session, problems: &mut Diagnostics) -> Result<(), Diagnostic> {
    let mut xe = machine(args.machine.isa)?;
    let Some(kernels) = input::kernels(args.input.as_deref(), args.hex, None, session, problems) else { return Ok(()) };
    let options = TextOptions { no_comments: args.no_comments, ..args.show.text() };
    let mut out = Output::create(args.output.as_deref(), false)?;
    for kernel in kernels {
        if let Some(name) = &kernel.name {
            writeln!(out, "// kernel {name}").map_err(|e| out.failed(&e))?;
        }
        let (read, findings) = list::text(&mut xe, &kernel.bytes, options, &mut out)?;
        problems.append(word_problems(&findings, kernel.bytes.len()));
        if !read {
            return Ok(());
        }
    }
    out.finish()
}
