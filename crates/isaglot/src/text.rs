//! Text of programs by a description, as the program `isaglot` reads and writes it: what differs from kind to kind.

use isaglot_asm::Assembler;
use isaglot_asm::assemble::limits::MAX_OUTPUT;
use isaglot_asm::assemble::source::{self, Image, Setup};
use isaglot_asm::computerator::{self, Header};
use isaglot_codec::Plan;
use isaglot_model::FeatureId;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap};

use crate::spec::SubjectKind;

/// The first line of a text with labels that would otherwise be assembled to shorter instructions than it came from: for RISC-V,
/// `addi a0,a0,1` is 4 bytes in a program and 2 bytes to an assembler that knows compressed instructions. Empty where it is not
/// needed.
#[must_use]
pub fn exact(kind: SubjectKind, plan: &Plan<'_>) -> &'static str {
    let compressed = plan.isa().features().iter().position(|f| f.name == "zca");
    let has_short_forms = kind == SubjectKind::Riscv && compressed.is_some_and(|at| plan.feature(FeatureId(at as u32)));
    if has_short_forms { ".option exact\n" } else { "" }
}

/// Assembles a text of a description of this kind, which imports nothing. `file` is one of `files`. Every problem is added to
/// `problems`; with an error among them there is no program. With `list` it is kept what each statement became.
pub fn assemble(
    kind: SubjectKind,
    assembler: &mut Assembler<'_, '_>,
    files: &mut SourceMap,
    file: FileId,
    list: bool,
    problems: &mut Diagnostics,
) -> Option<Image> {
    #[cfg(feature = "riscv")]
    if kind == SubjectKind::Riscv {
        return riscv(assembler, files, file, list, problems).map(|program| program.image);
    }
    let setup = Setup { list, only_targets: kind == SubjectKind::Llvm, ..Setup::default() };
    let (image, headers) = assemble_with(kind, assembler, files, file, &setup, problems)?;
    let left_out = headers_left_out(&headers, "`isaglot asm --headers FILE` writes them as JSON");
    left_out.into_iter().for_each(|d| problems.push(d));
    Some(image)
}

/// The same with a choice of what is kept, for all but RISC-V: with what a file for Mesa's `computerator` says before its
/// instructions.
pub fn assemble_with(
    kind: SubjectKind,
    assembler: &mut Assembler<'_, '_>,
    files: &mut SourceMap,
    file: FileId,
    setup: &Setup,
    problems: &mut Diagnostics,
) -> Option<(Image, Vec<Header>)> {
    let text = files.get(file)?.bytes.clone();
    if kind == SubjectKind::Templates && computerator::is_one(assembler, &text) {
        let program = computerator::assemble(assembler, files, file, setup, problems)?;
        return Some((program.image, program.headers));
    }
    source::assemble_with(assembler, file, &text, setup, problems).map(|image| (image, Vec::new()))
}

/// The note that headers are not in the bytes, if there are any. `help` says where they are to be had.
#[must_use]
pub fn headers_left_out(headers: &[Header], help: &str) -> Option<Diagnostic> {
    let first = headers.first()?;
    let message = match headers.len() {
        1 => format!("the header `@{}` is not in the bytes", first.name),
        count => format!("{count} headers, the first of them `@{}`, are not in the bytes", first.name),
    };
    Some(Diagnostic::new(Severity::Note, "asm-headers", message).note(help))
}

/// With the pseudo-instructions and directives of RISC-V assemblers.
#[cfg(feature = "riscv")]
fn riscv(
    assembler: &mut Assembler<'_, '_>,
    files: &mut SourceMap,
    file: FileId,
    list: bool,
    problems: &mut Diagnostics,
) -> Option<isaglot_riscv::assembly::Program> {
    use isaglot_riscv::assembly::{self, Layout};
    #[cfg(feature = "xintf")]
    let set = isaglot_xintf::set::Set::default();
    #[cfg(feature = "xintf")]
    let mut none = {
        let xlen = isaglot_riscv::Xlen::of(assembler.plan().generation());
        isaglot_xintf::assembly::Interfaces::new(&set, xlen)
    };
    #[cfg(not(feature = "xintf"))]
    let mut none = assembly::NoImports;
    assembly::assemble(assembler, &mut none, files, file, &Layout { list, ..Layout::default() }, problems)
}

/// What is wrong with sections that lie so many bytes apart.
#[must_use]
pub fn too_large(size: u64) -> Diagnostic {
    let message = format!("the sections lie {size} bytes apart, a raw binary has at most {MAX_OUTPUT}");
    Diagnostic::error("asm-too-large", message).note("write an ELF file with `--format elf`")
}

/// The bytes of a program: of RISC-V from the first address to the last one, of others the sections one after the other.
///
/// # Errors
/// If the sections lie too far apart; then, how many bytes.
pub fn bytes(kind: SubjectKind, image: &Image) -> Result<Vec<u8>, u64> {
    if kind == SubjectKind::Riscv { image.memory().map(|(_, bytes)| bytes) } else { Ok(image.bytes()) }
}
