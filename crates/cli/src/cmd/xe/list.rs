//! The listing of kernels, with definitions, uses and live registers: as JSON piece by piece, or as a tree.

use isaglot_listing::Listing;
use isaglot_listing::write::{Style, to_json};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_xe::text::Findings;
use isaglot_xe::{FlowText, ListOptions, Lister, Printer, TextOptions, Xe, name_labels};

use super::input::{self, Kernel};
use super::{Input, write_all};
use crate::io::{Target, read};

/// Writes the listing of the kernels of a file as JSON. False: the reader has closed the pipe.
pub(crate) fn list(
    xe: &mut Xe<'_>,
    input: Input<'_>,
    options: &ListOptions,
    out: &mut dyn Target,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Result<bool, Diagnostic> {
    let bytes = read(input.path)?;
    let Some(kernels) = input::kernels(input, bytes, xe, files, problems) else { return Ok(true) };
    let several = kernels.len() > 1;
    for (n, kernel) in kernels.iter().enumerate() {
        if several {
            // One object with a listing for each kernel, so that the whole is JSON too.
            let name = serde_json::Value::from(kernel.name().unwrap_or(""));
            let before = format!("{}{name}:\n", if n == 0 { "{" } else { "," });
            out.write_all(before.as_bytes()).map_err(|e| out.failed(&e))?;
        }
        let (read, findings) = match kernel.labels.is_empty() || options.compat {
            true => json(xe, &kernel.bytes, options, out)?,
            false => named_json(xe, kernel, options, out)?,
        };
        problems.append(findings.diagnostics(kernel.bytes.len()));
        if !read {
            return Ok(false);
        }
    }
    if several {
        out.write_all(b"}\n").map_err(|e| out.failed(&e))?;
    }
    Ok(true)
}

/// A kernel, and its listing for people.
pub(crate) type Listed<'d> = (Kernel, Listing<'d>);

/// The listings of the kernels of a file that holds `bytes`.
pub(crate) fn listings<'d>(
    xe: &mut Xe<'d>,
    (input, bytes): (Input<'_>, Vec<u8>),
    options: &ListOptions,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Result<Vec<Listed<'d>>, Diagnostic> {
    let kernels = input::kernels(input, bytes, xe, files, problems).unwrap_or_default();
    let one = |kernel: Kernel| {
        let program = xe.program(&kernel.bytes);
        problems.append(program.findings().diagnostics(kernel.bytes.len()));
        let mut listing = xe.listing(&program, options).map_err(|_| too_large())?;
        name_labels(&mut listing, &kernel.labels, options);
        Ok((kernel, listing))
    };
    kernels.into_iter().map(one).collect()
}

fn too_large() -> Diagnostic {
    let d = Diagnostic::error("xe-dataflow", "the program has too many definitions and uses to list");
    d.note("leave out `--defs`")
}

/// Writes the JSON listing of a binary. Whether it was read to the end, and what is wrong with the binary.
pub(super) fn json(
    xe: &mut Xe<'_>,
    bytes: &[u8],
    options: &ListOptions,
    out: &mut dyn Target,
) -> Result<(bool, Findings), Diagnostic> {
    let mut lister = Lister::new(xe, bytes, *options).map_err(|_| too_large())?;
    let read = write_all(out, |text| lister.fill(text))?;
    Ok((read, lister.findings()))
}

/// Writes the text of a binary with dataflow; the answer is that of [`json`].
pub(super) fn flow_text(
    xe: &mut Xe<'_>,
    bytes: &[u8],
    (options, flow): (TextOptions, FlowText),
    out: &mut dyn Target,
) -> Result<(bool, Findings), Diagnostic> {
    let program = xe.program(bytes);
    let mut whole = Vec::new();
    xe.print_flow(&program, &options, flow, &mut whole).map_err(|_| too_large())?;
    let read = write_all(out, |text| {
        std::mem::swap(text, &mut whole);
        false
    })?;
    Ok((read, program.findings()))
}

/// The same for what was assembled from a source, whose names labels have.
fn named_json(
    xe: &mut Xe<'_>,
    kernel: &Kernel,
    options: &ListOptions,
    out: &mut dyn Target,
) -> Result<(bool, Findings), Diagnostic> {
    let program = xe.program(&kernel.bytes);
    let mut listing = xe.listing(&program, options).map_err(|_| too_large())?;
    name_labels(&mut listing, &kernel.labels, options);
    let mut whole = to_json(&listing, Style::default());
    let read = write_all(out, |text| {
        std::mem::swap(text, &mut whole);
        false
    })?;
    Ok((read, program.findings()))
}

/// Writes the text of a binary; the answer is that of [`json`].
pub(super) fn text(
    xe: &mut Xe<'_>,
    bytes: &[u8],
    options: TextOptions,
    out: &mut dyn Target,
) -> Result<(bool, Findings), Diagnostic> {
    let mut printer = Printer::new(xe, bytes, options);
    let read = write_all(out, |text| printer.fill(text))?;
    Ok((read, printer.findings()))
}
