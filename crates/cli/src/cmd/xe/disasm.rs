//! Kernels to text.

use isaglot_source::Diagnostic;
use isaglot_xe::{TextOptions, Xe};

use super::{Input, input, list};
use crate::io::{Target, input_name, read};
use crate::jobs::Said;
use crate::program::zebin;
use crate::progress::Progress;

/// Disassembles the kernels of a file, after a line with its name if it is to be `named`. Whether there are any, and they were
/// written.
pub(crate) fn disassemble(
    xe: &mut Xe<'_>,
    (input, named): (Input<'_>, bool),
    options: TextOptions,
    out: &mut dyn Target,
    (said, progress): (&mut Said, &dyn Fn(String) -> Progress),
) -> Result<bool, Diagnostic> {
    let Said { problems, files } = said;
    let bytes = read(input.path)?;
    let Some(kernels) = input::kernels(input, bytes, xe, files, problems) else { return Ok(false) };
    let total = kernels.len();
    let name = input_name(input.path);
    let mut progress = progress(format!("disassembling {name}"));
    if named {
        writeln!(out, "// {name}").map_err(|e| out.failed(&e))?;
    }
    for (kernel, done) in kernels.into_iter().zip(0..) {
        progress.at(done, total);
        for line in kernel.about.iter().flat_map(zebin::About::lines) {
            writeln!(out, "// {line}").map_err(|e| out.failed(&e))?;
        }
        let (read, findings) = list::text(xe, &kernel.bytes, options, out)?;
        problems.append(findings.diagnostics(kernel.bytes.len()));
        if !read {
            return Ok(false);
        }
    }
    Ok(true)
}
