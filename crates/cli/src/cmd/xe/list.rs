//! The listing of kernels, as text or JSON, with definitions, uses and live registers.

use std::io::Write;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::text::Findings;
use isaglot_xe::{Description, ListOptions, Lister, Printer, TextOptions, Xe};

use super::{Input, input, machine, word_problems, write_all};
use crate::io::Output;
use crate::session::Session;

/// Writes the listing of the kernels of a file: as JSON by `json`, else as text. False: the reader has closed the pipe.
pub(crate) fn list(
    description: &Description,
    input: Input<'_>,
    json: Option<ListOptions>,
    options: TextOptions,
    out: &mut Output,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<bool, Diagnostic> {
    let mut xe = machine(description, input.platform)?;
    let Some(kernels) = input::kernels(input, Some(&mut xe), session, problems) else { return Ok(true) };
    let several = kernels.len() > 1;
    for (n, kernel) in kernels.iter().enumerate() {
        let mut before = String::new();
        if several && json.is_some() {
            // One object with a listing for each kernel, so that the whole is JSON too.
            let name = serde_json::Value::from(kernel.name.as_deref().unwrap_or(""));
            before = format!("{}{name}:\n", if n == 0 { "{" } else { "," });
        } else if let Some(name) = kernel.name.as_ref().filter(|_| json.is_none()) {
            before = format!("// kernel {name}\n");
        }
        out.write_all(before.as_bytes()).map_err(|e| out.failed(&e))?;
        let (read, findings) = match &json {
            Some(options) => self::json(&mut xe, &kernel.bytes, options, out)?,
            None => text(&mut xe, &kernel.bytes, options, out)?,
        };
        problems.append(word_problems(&findings, kernel.bytes.len()));
        if !read {
            return Ok(false);
        }
    }
    if several && json.is_some() {
        out.write_all(b"}\n").map_err(|e| out.failed(&e))?;
    }
    Ok(true)
}

/// Writes the JSON listing of a binary. Whether it was read to the end, and what is wrong with the binary.
pub(super) fn json(
    xe: &mut Xe<'_>,
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
    xe: &mut Xe<'_>,
    bytes: &[u8],
    options: TextOptions,
    out: &mut Output,
) -> Result<(bool, Findings), Diagnostic> {
    let mut printer = Printer::new(xe, bytes, options);
    let read = write_all(out, |text| printer.fill(text))?;
    Ok((read, printer.findings()))
}
