//! The outputs of `isaglot tblgen` that need instructions: `--gen-emitter` and `--gen-disassembler`. All others are
//! those of [`isaglot_tablegen::tool`].

use std::io::{self, Write};

use isaglot_invariant::Impossible as _;
use isaglot_tablegen::Records;
use isaglot_tablegen::tool::{self, Action, Invocation};

use crate::generate::{Output, generate};

/// Prints what the invocation asks for. Problems of the records are added to their messages.
///
/// # Errors
///
/// Those of the output.
pub fn print(run: &Invocation, records: &mut Records, out: &mut dyn Write) -> io::Result<()> {
    if run.why.is_some() || run.query.is_some() {
        return tool::print(run, records, out);
    }
    if run.plain && matches!(run.action, Action::GenEmitter | Action::GenDisassembler) {
        let name = if run.action == Action::GenEmitter { "-gen-emitter" } else { "-gen-disassembler" };
        let message = format!(
            "{name}: this program does not write LLVM's C++ source; 'isaglot tblgen -{name}' writes self-contained Rust, or C with --lang c"
        );
        records.fail("tblgen-action", &message);
        return Ok(());
    }
    let output = match (run.action, run.c) {
        (Action::GenEmitter, false) => Output::EmitterRust,
        (Action::GenEmitter, true) => Output::EmitterC,
        (Action::GenDisassembler, false) => Output::DisassemblerRust,
        (Action::GenDisassembler, true) => Output::DisassemblerC,
        _ => return tool::print(run, records, out),
    };
    let file = run.input.rsplit(['/', '\\']).next().or_impossible("");
    match generate(records, output, &format!("by isaglot tblgen from {file}: do not edit")) {
        Ok(text) => out.write_all(text.as_bytes()),
        Err(problems) => {
            for p in problems {
                records.fail("tblgen-operand", &format!("{}: {}", p.place, p.message));
            }
            Ok(())
        }
    }
}
