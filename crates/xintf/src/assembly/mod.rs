//! Assembly for RISC-V with interfaces: `import(…)`, namespaced mnemonics, interface numbers as constants, fused calls,
//! and the pseudo-instructions that stand for several instructions.
//!
//! All of this is rewriting of lines; what an instruction is, is the description's business, and labels, sections and
//! data are the general assembler's. A line becomes one line or several, never of a length that depends on a label, so
//! the program is assembled once to learn where the labels are and once more with `la`, `call`, `%hi` and `%lo` filled
//! in. Messages are moved back to the lines that the user wrote.

mod expand;
mod number;

use std::collections::BTreeMap;

use isaglot_asm::Assembler;
use isaglot_asm::assemble::source::{self, Image};
use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

use crate::set::Set;
use crate::uuid::Xlen;

/// What a program is assembled for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The register width.
    pub xlen: Xlen,
    /// Definitions of the interfaces that the program may import.
    pub interfaces: &'a Set,
}

/// A line of the rewritten program: what the user wrote for it.
#[derive(Clone, Copy, Debug)]
struct Origin {
    span: Span,
    /// The line is as the user wrote it, so that places in it can be kept.
    same: bool,
}

/// The rewritten program.
#[derive(Debug, Default)]
struct Rewritten {
    text: String,
    lines: Vec<Origin>,
    /// Labels, each with the number of the line that it stands before.
    labels: Vec<(String, usize)>,
}

/// Where labels are, by name.
type Places = BTreeMap<String, u64>;

/// Assembles a program, for which `list` keeps what is listed: the lines of the rewritten program, whose file is given
/// too. Every problem is added to `out`; with an error among them there is no program.
pub fn assemble(
    assembler: &mut Assembler<'_, '_>,
    target: Target<'_>,
    files: &mut SourceMap,
    file: FileId,
    list: bool,
    out: &mut Diagnostics,
) -> Option<(Image, FileId)> {
    let bytes = files.get(file).map(|f| f.bytes.clone())?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        out.push(Diagnostic::error("asm-text", "expected UTF-8").label(Span::new(file, 0, 0), "this file"));
        return None;
    };
    let before = out.error_count();
    let first = expand::rewrite(text, file, target, None, out);
    if out.error_count() > before {
        return None;
    }
    let mut places = Places::new();
    if first.labels.is_empty() {
        return run(assembler, files, &first, list, out);
    }
    // Constants that need labels are 0 in this pass; what it finds wrong, the next one finds too.
    let mut unheard = Diagnostics::new();
    if let Some((image, _)) = run(assembler, files, &first, true, &mut unheard) {
        places = places_of(files, &first, &image);
    }
    let second = expand::rewrite(text, file, target, Some(&places), out);
    if unheard.has_errors() {
        return run(assembler, files, &first, false, out);
    }
    if out.error_count() > before {
        return None;
    }
    run(assembler, files, &second, list, out)
}

fn run(
    assembler: &mut Assembler<'_, '_>,
    files: &mut SourceMap,
    program: &Rewritten,
    list: bool,
    out: &mut Diagnostics,
) -> Option<(Image, FileId)> {
    let file = files.add("<rewritten>", program.text.clone().into_bytes());
    let mut found = Diagnostics::new();
    let image = source::assemble(assembler, file, program.text.as_bytes(), list, &mut found);
    for d in &found {
        let mut d = d.clone();
        for label in &mut d.labels {
            label.span = moved(files, program, label.span);
        }
        if let Some(fix) = &mut d.fix {
            fix.span = moved(files, program, fix.span);
        }
        out.push(d);
    }
    image.map(|image| (image, file))
}

/// The place in the user's file that a place in the rewritten one is about.
fn moved(files: &SourceMap, program: &Rewritten, span: Span) -> Span {
    let Some(file) = files.get(span.file) else { return span };
    let line = file.line_of(span.start as usize);
    let Some(origin) = program.lines.get(line.saturating_sub(1) as usize) else { return span };
    if !origin.same {
        return origin.span;
    }
    let start = file.line_start(line);
    let within = |offset: u32| origin.span.start as usize + (offset as usize).saturating_sub(start);
    Span::new(origin.span.file, within(span.start), within(span.end))
}

/// Where every label is: at the first statement from its line on, or behind the last one.
fn places_of(files: &SourceMap, program: &Rewritten, image: &Image) -> Places {
    let mut starts: Vec<(usize, u64)> = Vec::with_capacity(image.listed.len());
    let mut end = 0;
    for listed in &image.listed {
        let line = files.get(listed.span.file).map_or(0, |f| f.line_of(listed.span.start as usize) as usize);
        let section: u64 = image.sections.iter().take(listed.section as usize).map(|s| s.bytes.len() as u64).sum();
        starts.push((line.saturating_sub(1), section + listed.start));
        end = end.max(section + listed.end);
    }
    let place = |line: usize| {
        let at = starts.partition_point(|(l, _)| *l < line);
        starts.get(at).map_or(end, |(_, start)| *start)
    };
    program.labels.iter().map(|(name, line)| (name.clone(), place(*line))).collect()
}
