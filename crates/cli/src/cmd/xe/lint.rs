//! Findings about kernels as diagnostics, each at a line: of the source, or of the text of a binary.

use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use isaglot_xe::lint::{Finding, Place};
use isaglot_xe::stream::{Program, StreamItem};
use isaglot_xe::{Compaction, TextOptions, Xe};

use super::{Input, input};
use crate::io::{input_name, read, read_text};

/// A finding with its place.
pub(crate) struct LintFinding {
    /// The offset of the instruction in bytes.
    pub(crate) offset: u32,
    /// The offset of the earlier instruction that it conflicts with, if there is one.
    pub(crate) other: Option<u32>,
    /// Its operand.
    pub(crate) operand: String,
    pub(crate) diagnostic: Diagnostic,
}

/// A kernel that was checked.
pub(crate) struct Linted {
    pub(crate) name: Option<String>,
    pub(crate) instructions: usize,
    pub(crate) findings: Vec<LintFinding>,
}

/// Checks the kernels of a file.
pub(crate) fn lint(
    xe: &mut Xe<'_>,
    input: Input<'_>,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Result<Vec<Linted>, Diagnostic> {
    let name = input_name(input.path);
    if !input.hex && !input.binary && input.path.is_some_and(input::is_assembly) {
        let bytes = read_text(input.path)?;
        let file = files.add(name, bytes.as_slice());
        let Some(made) = xe.assemble(file, &bytes, Compaction::Marked, problems) else { return Ok(Vec::new()) };
        let places = xe.places(file, &bytes);
        let program = xe.program(&made);
        return Ok(vec![one(xe, &program, None, &bytes, &places)?]);
    }
    let bytes = read(input.path)?;
    let Some(kernels) = input::kernels(input, bytes, xe, files, problems) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for kernel in kernels {
        let program = xe.program(&kernel.bytes);
        problems.append(program.findings().diagnostics(kernel.bytes.len()));
        let mut text = Vec::new();
        xe.print(&program, &TextOptions::default(), &mut text);
        let of = kernel.name().map_or_else(|| name.clone(), |kernel| format!("{name}, kernel {kernel}"));
        let file = files.add(format!("{of}, disassembled"), text.as_slice());
        let places = lines(file, &text);
        all.push(one(xe, &program, kernel.name().map(str::to_owned), &text, &places)?);
    }
    Ok(all)
}

/// The lines of a text of a binary that are instructions.
fn lines(file: FileId, text: &[u8]) -> Vec<Span> {
    let mut at = 0;
    let mut all = Vec::new();
    for line in text.split_inclusive(|b| *b == b'\n') {
        let content = line.trim_ascii();
        let start = at + (line.len() - line.trim_ascii_start().len());
        at += line.len();
        if !content.is_empty() && !content.ends_with(b":") {
            all.push(Span::new(file, start, start + content.len()));
        }
    }
    all
}

fn one(
    xe: &mut Xe<'_>,
    program: &Program,
    name: Option<String>,
    text: &[u8],
    places: &[Span],
) -> Result<Linted, Diagnostic> {
    let found = xe.lint(program).map_err(|_| {
        let d = Diagnostic::error("xe-lint-size", "the kernel is too large to follow what is waited for");
        d.note("too many instructions may be in flight at once")
    })?;
    let mut findings = Vec::with_capacity(found.len());
    for f in &found {
        let Some(entry) = program.entries.get(f.at) else { continue };
        let mut d = Diagnostic::new(f.rule.severity(), f.rule.code(), format!("{}: {}", f.place, f.message));
        if let Some(line) = places.get(f.at) {
            d = d.label(operand_span(xe, program, f, text, *line), format!("offset {:#x}", entry.pc));
        }
        let other = f.other.and_then(|at| program.entries.get(at)).map(|entry| entry.pc);
        if let (Some(pc), Some(line)) = (other, f.other.and_then(|at| places.get(at))) {
            d = d.secondary(*line, format!("offset {pc:#x}"));
        }
        d = d.note(format!("to satisfy the rule, {}", f.remedy));
        findings.push(LintFinding { offset: entry.pc, other, operand: f.place.to_string(), diagnostic: d });
    }
    let is_instruction = |item: &StreamItem| matches!(item, StreamItem::Inst(_));
    let instructions = program.entries.iter().filter(|e| is_instruction(&e.item)).count();
    Ok(Linted { name, instructions, findings })
}

/// The place of an operand in its line: where the line has it as texts are printed. Else the whole line.
fn operand_span(xe: &mut Xe<'_>, program: &Program, f: &Finding, text: &[u8], line: Span) -> Span {
    let what = match f.place {
        Place::Destination => "destination",
        Place::Source(0) => "first source",
        Place::Source(1) => "second source",
        Place::Source(2..) => "third source",
        Place::Flag | Place::Accumulator | Place::Descriptor => return line,
    };
    let reading = program.entries.get(f.at).and_then(|entry| xe.reading(entry.raw()).ok());
    let piece = reading.and_then(|r| r.pieces.into_iter().find(|piece| piece.what == what));
    let (Some(piece), Some(shown)) = (piece, text.get(line.start as usize..line.end as usize)) else { return line };
    let wanted = piece.text.trim().as_bytes();
    let mut found =
        shown.windows(wanted.len().max(1)).enumerate().filter(|(_, part)| *part == wanted).map(|(at, _)| at);
    // Sources may be equal; the last of them stands last.
    let at = if matches!(f.place, Place::Source(1..)) { found.next_back() } else { found.next() };
    at.map_or(line, |at| {
        let start = line.start as usize + at;
        Span::new(line.file, start, start + wanted.len())
    })
}
