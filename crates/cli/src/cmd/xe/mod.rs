//! What `disasm`, `asm`, `lint` and `list` do with a machine of Intel Xe, and the stand-in for `iga64`.

mod asm;
mod disasm;
pub(crate) mod iga64;
pub(crate) mod input;
mod lint;
mod list;

use std::mem::ManuallyDrop;
use std::path::Path;

use isaglot_source::Diagnostic;
use isaglot_xe::{Description, Platform, TextOptions, Xe};

pub(super) use asm::assemble;
pub(super) use disasm::disassemble;
pub(super) use input::described;
pub(super) use lint::{Linted, lint};
pub(super) use list::{list, listings};

use crate::args::XeArgs;
use crate::io::Target;
use crate::subject::{Only, SubjectKind};

/// Where the help of a verb lists what is for Intel Xe only.
pub(super) const HEADING: &str = "Intel Xe";

/// The options of [`XeArgs`].
pub(super) const ONLY: Only = (&[SubjectKind::Xe], &["ldst", "hex_floats"]);

/// Kernels to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) platform: Platform,
    /// The file; standard input if there is none.
    pub(crate) path: Option<&'a Path>,
    /// It is hexadecimal text.
    pub(crate) hex: bool,
    /// It is bytes, whatever it looks like.
    pub(crate) binary: bool,
}

/// What the options of [`XeArgs`] say of a text.
pub(super) fn text_options(args: XeArgs) -> TextOptions {
    TextOptions { ldst: args.ldst, hex_floats: args.hex_floats, ..TextOptions::default() }
}

fn unreadable() -> Diagnostic {
    Diagnostic::error("xe-description", "the embedded description cannot be read")
}

/// The description of all machines, for the rest of the process: freeing it part by part takes an eighth of the start.
pub(crate) fn description() -> Result<ManuallyDrop<Description>, Diagnostic> {
    Description::embedded().map(ManuallyDrop::new).ok_or_else(unreadable)
}

/// The description compiled for one machine.
pub(crate) fn machine(description: &Description, platform: Platform) -> Result<Xe<'_>, Diagnostic> {
    Xe::new(description, platform).ok_or_else(unreadable)
}

/// Writes what `fill` makes, piece by piece, until it says that nothing is left. False: the reader has closed the pipe.
fn write_all(out: &mut dyn Target, mut fill: impl FnMut(&mut Vec<u8>) -> bool) -> Result<bool, Diagnostic> {
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
