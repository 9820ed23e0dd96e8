//! The assembly of RISC-V sources: the pseudo-instructions, relocation functions and directives of other RISC-V
//! assemblers, and a place for names that the caller gives a meaning to ([`Imports`]).
//!
//! All of this is rewriting of lines. The description says what an instruction is; labels, sections and data are the
//! work of the general assembler, and so are the lengths of branches, which depend on labels. A line becomes one line or
//! several, and whatever else depends on labels is left as an expression, so the program is read once. Messages are moved
//! back to the lines that the user wrote.

mod branch;
mod directive;
mod expand;
mod got;
mod insn;
pub mod number;
mod pseudo;
mod scan;

use std::collections::BTreeMap;

use isaglot_asm::Assembler;
use isaglot_asm::assemble::source::{self, Image, Linked, Setup};
use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

use crate::Xlen;

/// The section that a program begins in.
pub const FIRST_SECTION: &str = ".text";

/// What gives a meaning to `import(NAME)` and to names with colons in them, such as `org.example:Thing:command`.
pub trait Imports {
    /// `import(NAME)`.
    ///
    /// # Errors
    /// What is wrong with the import.
    fn import(&mut self, name: &str, span: Span) -> Result<(), Diagnostic>;

    /// The value of a name that stands where a number is expected.
    ///
    /// # Errors
    /// What is wrong with the name.
    fn constant(&self, name: &str, span: Span) -> Result<u64, Diagnostic>;

    /// The instructions, one per line, that a name stands for at the start of a statement.
    ///
    /// # Errors
    /// What is wrong with the name or its operands.
    fn call(&self, name: &str, operands: &[&str], span: Span) -> Result<Vec<String>, Diagnostic>;
}

/// For programs without imports: every name with colons is an error.
#[derive(Clone, Copy, Debug)]
pub struct NoImports;

impl NoImports {
    fn unknown(name: &str, span: Span) -> Diagnostic {
        Diagnostic::error("asm-import", format!("there is nothing to import `{name}` from")).label(span, "")
    }
}

impl Imports for NoImports {
    fn import(&mut self, name: &str, span: Span) -> Result<(), Diagnostic> {
        Err(NoImports::unknown(name, span))
    }
    fn constant(&self, name: &str, span: Span) -> Result<u64, Diagnostic> {
        Err(NoImports::unknown(name, span))
    }
    fn call(&self, name: &str, _: &[&str], span: Span) -> Result<Vec<String>, Diagnostic> {
        Err(NoImports::unknown(name, span))
    }
}

/// What a program is assembled for.
#[derive(Clone, Copy, Debug)]
struct Known<'a> {
    xlen: Xlen,
    /// Sorted.
    mnemonics: &'a [String],
}

impl Known<'_> {
    fn has(&self, mnemonic: &str) -> bool {
        self.mnemonics.binary_search_by(|known| known.as_str().cmp(mnemonic)).is_ok()
    }
}

/// Where the program lies and what is kept of it.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Where the first section lies.
    pub base: u64,
    /// Sections with addresses of their own.
    pub starts: Vec<(String, u64)>,
    /// What sections that hold something else than the one before are aligned to, in bytes; 0 for nothing.
    pub page: u64,
    /// Keep what each statement became.
    pub list: bool,
}

/// An assembled program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Sections with their addresses, labels, and what each statement became: statements of the user's file.
    pub image: Image,
    /// The labels as a linker sees them.
    pub symbols: Vec<Symbol>,
}

/// Who sees a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// This file.
    Local,
    /// All files: `.globl`.
    Global,
    /// All files, unless another one has it too: `.weak`.
    Weak,
}

/// A label that is not local (`1:`, `.L…`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Index of its section in [`Image::sections`].
    pub section: u32,
    /// Its address.
    pub address: u64,
    /// Bytes, as `.size` says; 0 if it does not.
    pub size: u64,
    /// Who sees it.
    pub binding: Binding,
    /// Whether `.type` says that it is a function (true) or an object (false).
    pub is_function: Option<bool>,
}

/// A line of the rewritten program: what the user wrote for it.
#[derive(Clone, Copy, Debug)]
struct Origin {
    start: u32,
    end: u32,
    kind: LineKind,
}

/// What a line of the rewritten program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    /// As the user wrote it, but for blanks.
    Squeezed,
    /// Made.
    Made,
    /// A number that is too large if something is too far away.
    Reach,
}

/// The rewritten program.
#[derive(Debug, Default)]
struct Rewritten {
    text: Vec<u8>,
    lines: Vec<Origin>,
    attributes: Attributes,
}

/// What a program says about its symbols, by name.
#[derive(Debug, Default)]
struct Attributes {
    bindings: BTreeMap<String, Binding>,
    types: BTreeMap<String, bool>,
    /// The names of the numbers that their sizes are.
    sizes: BTreeMap<String, String>,
}

impl Attributes {
    fn weak(&self) -> Vec<String> {
        let weak = self.bindings.iter().filter(|(_, binding)| **binding == Binding::Weak);
        weak.map(|(name, _)| name.clone()).collect()
    }
}

/// Assembles a program for the register width of the assembler's gen. Every problem is added to `out`; with an error
/// among them there is no program.
pub fn assemble(
    assembler: &mut Assembler<'_, '_>,
    imports: &mut dyn Imports,
    files: &mut SourceMap,
    file: FileId,
    layout: &Layout,
    out: &mut Diagnostics,
) -> Option<Program> {
    let bytes = files.get(file).map(|f| f.bytes.clone())?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        out.push(Diagnostic::error("asm-text", "expected UTF-8").label(Span::new(file, 0, 0), "this file"));
        return None;
    };
    let stripped = scan::without_comments(text);
    let before = out.error_count();
    let xlen = Xlen::of(assembler.plan().generation());
    let known = Known { xlen, mnemonics: assembler.mnemonics() };
    let rewritten = expand::rewrite(stripped.as_deref().unwrap_or(text), file, known, imports, out);
    let setup = Setup {
        list: layout.list,
        strict: false,
        symbols: true,
        relax: Some(branch::RELAX),
        only_targets: true,
        weak: rewritten.attributes.weak(),
        numbers: rewritten.attributes.sizes.values().cloned().collect(),
        linked: Some(Linked {
            first: FIRST_SECTION.to_owned(),
            base: layout.base,
            starts: layout.starts.clone(),
            page: layout.page,
            last: xlen.max(),
        }),
    };
    let image = run(assembler, files, file, &rewritten, &setup, out);
    // A line that could not be rewritten is missing, so other errors are reported, but there is no program.
    let mut image = image.filter(|_| out.error_count() == before)?;
    let symbols = symbols(&image, &rewritten.attributes);
    image.labels.clear();
    Some(Program { image, symbols })
}

fn run(
    assembler: &mut Assembler<'_, '_>,
    files: &mut SourceMap,
    user: FileId,
    program: &Rewritten,
    setup: &Setup,
    out: &mut Diagnostics,
) -> Option<Image> {
    let made = files.add("<rewritten>", program.text.as_slice());
    let mut found = Diagnostics::new();
    let mut image = source::assemble_with(assembler, made, &program.text, setup, &mut found);
    let mut last = None;
    for d in &found {
        let d = moved(files, user, program, made, d);
        // The halves of an address have the same things wrong with them.
        let this = (d.code, d.message.clone(), d.span());
        if last.as_ref() != Some(&this) {
            out.push(d);
        }
        last = Some(this);
    }
    for listed in image.iter_mut().flat_map(|image| &mut image.listed) {
        if let Some(origin) = origin(files, program, listed.span) {
            listed.span = Span { file: user, start: origin.start, end: origin.end };
        }
    }
    image
}

/// What the user wrote for a place in the rewritten program.
fn origin(files: &SourceMap, program: &Rewritten, span: Span) -> Option<Origin> {
    let line = files.get(span.file)?.line_of(span.start as usize);
    program.lines.get(line.saturating_sub(1) as usize).copied()
}

/// A message about the rewritten program as one about the user's.
fn moved(files: &SourceMap, user: FileId, program: &Rewritten, made: FileId, d: &Diagnostic) -> Diagnostic {
    let mut d = d.clone();
    let far = d.span().and_then(|span| origin(files, program, span)).is_some_and(|o| o.kind == LineKind::Reach);
    if far && d.code == "asm-expression" {
        d.message = "this is too far away for two instructions, which reach 2 GiB".to_owned();
        d.labels.iter_mut().for_each(|label| label.message.clear());
    }
    let place = |span: Span| {
        let Some(origin) = origin(files, program, span).filter(|_| span.file == made) else { return span };
        let whole = Span { file: user, start: origin.start, end: origin.end };
        let (Some(file), Some(source)) = (files.get(made), files.get(user)) else { return whole };
        if origin.kind != LineKind::Squeezed {
            return whole;
        }
        let line = file.line_start(file.line_of(span.start as usize));
        let text = program.text.get(line..).or_impossible(&[]);
        let text = text.split(|&b| b == b'\n').next().or_impossible(&[]);
        let written = source.bytes.get(origin.start as usize..origin.end as usize).or_impossible(&[]);
        let within = |offset: u32| scan::unsqueezed(written, text, (offset as usize).saturating_sub(line)) as u32;
        let start = origin.start + within(span.start);
        // The end is after the last byte, not before the next one.
        let end = if span.end > span.start { origin.start + within(span.end - 1) + 1 } else { start };
        Span { file: user, start, end: end.max(start) }
    };
    d.labels.iter_mut().for_each(|label| label.span = place(label.span));
    if let Some(fix) = &mut d.fix {
        fix.span = place(fix.span);
    }
    d
}

fn symbols(image: &Image, attributes: &Attributes) -> Vec<Symbol> {
    let sizes: BTreeMap<&str, i64> =
        attributes.sizes.keys().zip(&image.numbers).filter_map(|(name, n)| Some((name.as_str(), (*n)?))).collect();
    let is_local = |name: &str| name.starts_with(".L") || name.starts_with(".$");
    let labels = image.labels.iter().filter(|label| !is_local(&label.name));
    let symbol = |label: &source::Label| {
        let base = image.sections.get(label.section as usize).map_or(0, |section| section.address);
        Symbol {
            name: label.name.clone(),
            section: label.section,
            address: base.wrapping_add(label.offset),
            size: sizes.get(label.name.as_str()).and_then(|n| u64::try_from(*n).ok()).unwrap_or(0),
            binding: attributes.bindings.get(&label.name).copied().unwrap_or(Binding::Local),
            is_function: attributes.types.get(&label.name).copied(),
        }
    };
    labels.map(symbol).collect()
}
