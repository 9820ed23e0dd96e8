//! Kernels out of whatever holds them: an ELF with `.text.` sections, hexadecimal text, assembly text, or raw bytes.

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::{Compaction, Xe};
use object::{Object, ObjectSection};

use super::Input;
use crate::io::{input_name, read};
use crate::session::Session;

/// Digits of the shortest instruction.
const LEAST_DIGITS: usize = 16;

/// A kernel's name, where it has one, and its instructions.
pub(super) struct Kernel {
    pub(super) name: Option<String>,
    pub(super) bytes: Vec<u8>,
}

/// Reads the kernels of a file. Assembly text is assembled, if `xe` is given. Problems are added to `problems`; `None` if one is an error.
pub(super) fn kernels(
    Input { path, hex, .. }: Input<'_>,
    xe: Option<&mut Xe<'_>>,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Option<Vec<Kernel>> {
    let bytes = problems.ok(read(path))?;
    if bytes.starts_with(b"\x7fELF") {
        return problems.ok(elf(&bytes, &input_name(path)));
    }
    let one = |bytes| Some(vec![Kernel { name: None, bytes }]);
    let is_asm = path.is_some_and(|p| p.extension().is_some_and(|e| e.to_string_lossy().starts_with("asm")));
    if hex || (!is_asm && is_hex(&bytes)) {
        return match from_hex(&bytes) {
            Some(bytes) => one(bytes),
            None => {
                let d = Diagnostic::error("xe-hex", format!("{}: invalid hex bytes", input_name(path)));
                problems.push(d.note("expected pairs of hex digits, bytes in memory order"));
                None
            }
        };
    }
    if let Some(xe) = xe.filter(|_| is_asm) {
        let file = session.files.add(input_name(path), bytes.as_slice());
        return xe.assemble(file, &bytes, Compaction::Marked, problems).and_then(one);
    }
    one(bytes)
}

fn elf(bytes: &[u8], name: &str) -> Result<Vec<Kernel>, Diagnostic> {
    let wrong = |e: object::Error| Diagnostic::error("xe-elf", format!("{name}: {e}"));
    let file = object::File::parse(bytes).map_err(wrong)?;
    let mut kernels = Vec::new();
    for section in file.sections() {
        let section_name = section.name().map_err(wrong)?;
        let Some(kernel) = section_name.strip_prefix(".text.").filter(|n| !n.is_empty()) else { continue };
        let mut data = section.data().map_err(wrong)?.to_vec();
        // The compiler fills a section up with zeros, which would be `illegal` instructions.
        let used = data.len() - data.iter().rev().take_while(|b| **b == 0).count();
        data.truncate(whole(&data, used));
        kernels.push(Kernel { name: Some(kernel.to_owned()), bytes: data });
    }
    if kernels.is_empty() {
        let d = Diagnostic::error("xe-elf", format!("{name}: no section `.text.` of a kernel"));
        return Err(d.note("expected the binary of a compiled kernel (zebin)"));
    }
    Ok(kernels)
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

/// Whether a file is hexadecimal text: nothing but digits and white space, and at least a short word of digits. A binary
/// has another byte near its beginning, where the search ends.
fn is_hex(bytes: &[u8]) -> bool {
    let mut digits = 0;
    for byte in bytes {
        if byte.is_ascii_hexdigit() {
            digits += 1;
        } else if !byte.is_ascii_whitespace() {
            return false;
        }
    }
    digits >= LEAST_DIGITS
}

fn from_hex(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() / 2);
    for word in bytes.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()) {
        let word = word.strip_prefix(b"0x").unwrap_or(word);
        if word.len() % 2 != 0 {
            return None;
        }
        for pair in word.chunks(2) {
            let text = std::str::from_utf8(pair).ok()?;
            out.push(u8::from_str_radix(text, 16).ok()?);
        }
    }
    Some(out)
}
