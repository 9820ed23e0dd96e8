//! Kernels out of whatever holds them: a zebin (Intel's ELF container), hexadecimal text, assembly text, a JSON listing,
//! or raw bytes.

use std::io::Read;
use std::path::Path;

use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_xe::zebin::{self, Target};
use isaglot_xe::{Compaction, Platform, Xe};
use object::{Object, ObjectSection};

use super::Input;
use crate::io::{input_name, open, read};
use crate::load::{Source, Spec};
use crate::names;
use crate::program::{self, ELF};

/// Bytes of the head of an ELF file that say what kind of file it is and for which machine.
const HEAD: usize = 20;

/// Kinds of ELF files that compilers gave to a zebin before it had a machine number of its own.
const KINDS: std::ops::RangeInclusive<u16> = 0xff11..=0xff13;

/// A kernel's section and name, where it has one, and its instructions.
pub(crate) struct Kernel {
    pub(crate) section: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

/// Reads the kernels of a file that holds `bytes`. Problems are added to `problems`; `None` if one is an error.
pub(crate) fn kernels(
    input: Input<'_>,
    bytes: Vec<u8>,
    xe: &mut Xe<'_>,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Vec<Kernel>> {
    let Input { platform, path, hex, binary } = input;
    let one = |bytes| Some(vec![Kernel { section: None, name: None, bytes }]);
    if binary {
        return one(bytes);
    }
    if bytes.starts_with(ELF) {
        let found = elf(&bytes, &input_name(path), platform, problems);
        return problems.ok(found);
    }
    let is_asm = path.is_some_and(is_assembly);
    if hex || (!is_asm && program::is_hex(&bytes)) {
        return problems.ok(program::from_text(&input_name(path), bytes, true, &mut Diagnostics::new())).and_then(one);
    }
    if is_asm || is_json(&bytes) {
        let file = files.add(input_name(path), bytes.as_slice());
        let made = match is_asm {
            true => xe.assemble(file, &bytes, Compaction::Marked, problems),
            false => super::asm::listed(xe, file, &bytes, problems),
        };
        return made.and_then(one);
    }
    one(bytes)
}

/// Whether a file is assembly text, by its name.
pub(super) fn is_assembly(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.to_string_lossy().starts_with("asm"))
}

/// The two bytes of an ELF head at `at`; files for Intel GPUs have the lower byte first.
fn half(head: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(head.get(at..at + 2)?.try_into().ok()?))
}

/// Whether a file that begins so is a zebin.
fn is_zebin(head: &[u8]) -> bool {
    let is_kind = half(head, 16).is_some_and(|kind| KINDS.contains(&kind));
    head.starts_with(ELF) && (half(head, 18) == Some(zebin::MACHINE) || is_kind)
}

fn wrong(name: &str, e: object::Error) -> Diagnostic {
    Diagnostic::error("cli-elf", format!("{name}: {e}"))
}

fn elf(bytes: &[u8], name: &str, platform: Platform, problems: &mut Diagnostics) -> Result<Vec<Kernel>, Diagnostic> {
    let file = object::File::parse(bytes).map_err(|e| wrong(name, e))?;
    if !is_zebin(bytes) {
        let found = program::name(file.architecture());
        let d = Diagnostic::error("cli-elf", format!("{name}: this is an ELF file for {found}, not for Intel GPUs"));
        return Err(d.note("expected the binary of compiled kernels (zebin); `--binary` reads the file as bytes"));
    }
    let (wanted, says) = (names::of(platform), |what: &str| format!("{name}: this file is for {what}"));
    match target(&file) {
        Target::Known(found) if found != platform => {
            let found = names::of(found);
            let d = Diagnostic::error("xe-platform", format!("{}, not for {wanted}", says(found)));
            return Err(d.note(format!("choose `--isa {found}`, or leave it out")));
        }
        Target::Other(what) => {
            let d = Diagnostic::warning("xe-platform", format!("{}, which is not known", says(&what)));
            problems.push(d.note(format!("it is read as one for {wanted}, as `--isa` says")));
        }
        Target::Known(_) | Target::Silent => {}
    }
    let mut kernels = Vec::new();
    for section in file.sections() {
        let section_name = section.name().map_err(|e| wrong(name, e))?;
        let Some(kernel) = section_name.strip_prefix(zebin::KERNEL).filter(|n| !n.is_empty()) else { continue };
        let mut data = section.data().map_err(|e| wrong(name, e))?.to_vec();
        // The compiler fills a section up with zeros, which would be `illegal` instructions.
        let used = data.len() - data.iter().rev().take_while(|b| **b == 0).count();
        data.truncate(whole(&data, used));
        kernels.push(Kernel { section: Some(section_name.to_owned()), name: Some(kernel.to_owned()), bytes: data });
    }
    if kernels.is_empty() {
        let d = Diagnostic::error("xe-elf", format!("{name}: no section `.text.` of a kernel"));
        return Err(d.note("expected the binary of compiled kernels (zebin)"));
    }
    Ok(kernels)
}

/// For which machine a zebin is.
fn target(file: &object::File<'_>) -> Target {
    let section = file.section_by_name(zebin::SECTION).and_then(|section| section.data().ok());
    section.map_or(Target::Silent, zebin::target)
}

/// What the options say; if they name no description and the input is a zebin, it is the machine that this names.
pub(crate) fn described(spec: Spec, path: Option<&Path>) -> Result<Spec, Diagnostic> {
    let Some(path) = path.filter(|p| matches!(spec.source, Source::Input) && p.as_os_str() != "-") else {
        return Ok(spec);
    };
    let mut head = Vec::new();
    let name = input_name(Some(path));
    let taken = open(Some(path))?.take(HEAD as u64).read_to_end(&mut head);
    taken.map_err(|e| crate::io::unreadable(&name, &e))?;
    if !is_zebin(&head) {
        return Ok(spec);
    }
    let bytes = read(Some(path))?;
    let file = object::File::parse(bytes.as_slice()).map_err(|e| wrong(&name, e))?;
    let what = match target(&file) {
        Target::Known(found) => return Ok(Spec { source: Source::Name(names::of(found).to_owned()), ..spec }),
        Target::Other(what) => format!("it names {what}, which is not known"),
        Target::Silent => "it does not say for which one".to_owned(),
    };
    let d = Diagnostic::error("xe-platform", format!("{name}: a file for Intel GPUs; {what}"));
    Err(d.note(format!("choose one with `--isa`: {}", names::machines())))
}

/// The end of the instruction that holds the last byte that is not 0.
fn whole(data: &[u8], used: usize) -> usize {
    let mut at = 0;
    while at < used {
        let short = data.get(at + 3).is_some_and(|b| b & 0x20 != 0);
        at += if short { 8 } else { 16 };
    }
    at.min(data.len())
}

/// Whether a file is a JSON listing. No instruction begins with these bytes, and kernels are not text.
fn is_json(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{") && std::str::from_utf8(bytes).is_ok()
}
