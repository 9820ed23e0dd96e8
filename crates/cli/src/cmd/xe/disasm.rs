//! Kernels to text.

use std::io::Write;
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::TextOptions;

use super::{Input, description, input, list, machine, zebin};
use crate::args::OutputArgs;
use crate::io::{input_name, read};
use crate::progress::Progress;
use crate::session::Session;

/// Disassembles kernels.
pub(crate) fn disassemble(
    input: Input<'_>,
    options: TextOptions,
    output: &OutputArgs,
    session: &mut Session,
) -> ExitCode {
    let mut problems = Diagnostics::new();
    match write(input, options, output, session, &mut problems) {
        Ok(()) => session.status(&problems),
        Err(d) => session.fail(d),
    }
}

fn write(
    input: Input<'_>,
    options: TextOptions,
    output: &OutputArgs,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let description = description()?;
    let mut xe = machine(&description, input.platform)?;
    let bytes = read(input.path)?;
    let Some(kernels) = input::kernels(input, bytes, &mut xe, &mut session.files, problems) else { return Ok(()) };
    let mut out = output.create()?;
    let total = kernels.len();
    let mut progress =
        Progress::new(format!("disassembling {}", input_name(input.path)), "kernel").unless(output.is_on_terminal());
    for (kernel, done) in kernels.into_iter().zip(0..) {
        progress.at(done, total);
        for line in kernel.about.iter().flat_map(zebin::About::lines) {
            writeln!(out, "// {line}").map_err(|e| out.failed(&e))?;
        }
        let (read, findings) = list::text(&mut xe, &kernel.bytes, options, &mut out)?;
        problems.append(findings.diagnostics(kernel.bytes.len()));
        if !read {
            return Ok(());
        }
    }
    out.finish()
}
