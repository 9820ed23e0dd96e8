//! What stands in an input: bytes as they are, or the executable sections of an ELF file with addresses and symbols.
//!
//! An ELF file is known by its first four bytes, whatever its name; its header is never taken for code. Where the
//! instruction set says for which machine its files are, a file for another machine is refused; elsewhere a warning says for which
//! machine the file is.
//!
//! A file of nothing but hex digits and white space is hexadecimal text.

use isaglot_asm::Entry;
use isaglot_asm::labels::is_automatic;
use isaglot_codec::Plan;
use isaglot_source::{Diagnostic, Diagnostics};
use object::{Architecture, Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

#[cfg(feature = "xe")]
pub mod zebin;

use crate::spec::SubjectKind;

/// The first word of a SPIR-V module.
const MAGIC: u32 = 0x0723_0203;

/// Whether a file begins as a SPIR-V module does, in either byte order.
#[must_use]
pub fn is_spirv(bytes: &[u8]) -> bool {
    let magic = bytes.first_chunk().copied().map(u32::from_le_bytes);
    magic.is_some_and(|m| [MAGIC, MAGIC.swap_bytes()].contains(&m))
}

/// What says that a file holds programs of another kind, or in other files.
///
/// # Errors
/// If it begins as an archive or, in either byte order, as a SPIR-V module.
pub fn refuse_containers(file: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
    if bytes.starts_with(ARCHIVE) {
        let d = Diagnostic::error("cli-archive", format!("{file}: this is an archive"));
        return Err(d.note("take the files out of it first (`ar x`); `--binary` reads it as bytes"));
    }
    if !is_spirv(bytes) {
        return Ok(());
    }
    let d = Diagnostic::error("cli-spirv", format!("{file}: this is a SPIR-V module"));
    Err(d.note("`isaglot spirv dis` prints it, `isaglot list` without `--isa` lists it; `--binary` reads it as bytes"))
}

/// The fewest digits that are taken for hexadecimal text without being told.
const LEAST_DIGITS: usize = 16;

/// Whether a file is hexadecimal text: nothing but digits and white space, and some of these. A binary
/// has another byte near its beginning, where the search ends.
#[must_use]
pub fn is_hex(bytes: &[u8]) -> bool {
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

/// The bytes that hexadecimal text gives, in memory order. Unless the user said that it is such text, a warning tells how it is
/// read, and text that is not hexadecimal to its end is bytes after all.
///
/// # Errors
/// If it was said, and is not so.
pub fn from_text(file: &str, text: Vec<u8>, is_said: bool, problems: &mut Diagnostics) -> Result<Vec<u8>, Diagnostic> {
    if !is_said && !is_hex(&text) {
        return Ok(text);
    }
    let bytes = from_hex(&text).ok_or_else(|| {
        let d = Diagnostic::error("cli-hex", format!("{file}: invalid hex bytes"));
        d.note("expected pairs of hex digits, bytes in memory order")
    })?;
    if !is_said {
        let d = Diagnostic::warning("cli-hex", format!("{file}: read as hexadecimal text, bytes in memory order"));
        problems.push(d.note("`--binary` reads the text as bytes, and `--hex` says that it is hexadecimal"));
    }
    Ok(bytes)
}

/// The first bytes of an archive.
pub const ARCHIVE: &[u8] = b"!<arch>\n";

/// The first bytes of an ELF file.
pub const ELF: &[u8; 4] = b"\x7fELF";

/// A run of code.
#[derive(Clone, Debug)]
pub struct Part {
    /// The section of an ELF file.
    pub section: Option<String>,
    /// Where it lies; 0 unless the file says it.
    pub address: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Names of places, by byte offset and in the order of the offsets.
    pub symbols: Vec<(u64, String)>,
}

impl Part {
    /// Its symbols as named places for a plan: instruction numbers where all instructions have one length.
    #[must_use]
    pub fn entries(&self, plan: &Plan<'_>) -> Vec<Entry> {
        let format = plan.isa().format();
        let unit = if format.lengths.is_empty() { u64::from(format.max_bits / 8).max(1) } else { 1 };
        // A place that is called `l8`, as places without a name are, would have to be the place 8.
        let named = self.symbols.iter().filter(|(_, name)| !is_automatic(name.as_bytes()));
        named.map(|(offset, name)| Entry { offset: offset / unit, name: name.clone().into_bytes() }).collect()
    }
}

/// The code in a file: the executable sections of an ELF file, else all of it. With `raw` the bytes are what they are, with `hex` hexadecimal text.
///
/// # Errors
/// If the file holds programs of another kind or for another machine, or is damaged.
pub fn parts(
    file: &str,
    bytes: Vec<u8>,
    kind: SubjectKind,
    plan: &Plan<'_>,
    (raw, hex): (bool, bool),
    problems: &mut Diagnostics,
) -> Result<Vec<Part>, Diagnostic> {
    let raw = raw || hex;
    if !raw {
        refuse_containers(file, &bytes)?;
    }
    if raw || !bytes.starts_with(ELF) {
        let bytes = if raw && !hex { bytes } else { from_text(file, bytes, hex, problems)? };
        return Ok(vec![Part { section: None, address: 0, bytes, symbols: Vec::new() }]);
    }
    let wrong = |e: object::Error| Diagnostic::error("cli-elf", format!("{file}: {e}"));
    let elf = object::File::parse(bytes.as_slice()).map_err(wrong)?;
    let wanted = match (kind, plan.generation()) {
        (SubjectKind::Riscv, 32) => Some(Architecture::Riscv32),
        (SubjectKind::Riscv, _) => Some(Architecture::Riscv64),
        _ => None,
    };
    if let Some(wanted) = wanted.filter(|&wanted| wanted != elf.architecture()) {
        let (found, wanted) = (name(elf.architecture()), name(wanted));
        let d = Diagnostic::error("cli-elf", format!("{file}: this is an ELF file for {found}, not for {wanted}"));
        return Err(d.note("choose another instruction set, or read the file as bytes with `--binary`"));
    }
    if wanted.is_none() {
        let message = format!("{file}: this is an ELF file for {}", name(elf.architecture()));
        let d = Diagnostic::warning("cli-elf-machine", message);
        problems.push(d.note("the description does not say for which machine its files are, so this is not checked"));
    }
    // A file that is stripped still has the symbols that it exports.
    let mut named: Vec<_> = elf.symbols().collect();
    if named.is_empty() {
        named = elf.dynamic_symbols().collect();
    }
    let mut all = Vec::new();
    for section in elf.sections().filter(|section| section.kind() == SectionKind::Text) {
        let bytes = section.uncompressed_data().map_err(wrong)?.into_owned();
        let mut symbols: Vec<(u64, String)> = Vec::new();
        for symbol in named.iter().filter(|s| s.section_index() == Some(section.index())) {
            let is_code = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown | SymbolKind::Label);
            let name = symbol.name().unwrap_or_default();
            // `$x` and `.L0` mark places for tools, not for people.
            if !is_code || name.is_empty() || name.starts_with('$') || name.starts_with(".L") {
                continue;
            }
            let offset = symbol.address().wrapping_sub(section.address());
            // One at the end of a section marks the end.
            if offset < bytes.len() as u64 {
                symbols.push((offset, name.to_owned()));
            }
        }
        symbols.sort();
        symbols.dedup();
        let section_name = section.name().map_err(wrong)?.to_owned();
        all.push(Part { section: Some(section_name), address: section.address(), bytes, symbols });
    }
    if all.is_empty() {
        return Err(Diagnostic::error("cli-elf", format!("{file}: no executable section")));
    }
    Ok(all)
}

/// A machine, as people write it.
#[must_use]
pub fn name(architecture: Architecture) -> String {
    match architecture {
        Architecture::Riscv32 => "32-bit RISC-V".to_owned(),
        Architecture::Riscv64 => "64-bit RISC-V".to_owned(),
        Architecture::X86_64 => "x86-64".to_owned(),
        Architecture::I386 => "x86".to_owned(),
        Architecture::Aarch64 => "AArch64".to_owned(),
        Architecture::Unknown => "an unknown machine".to_owned(),
        other => format!("{other:?}"),
    }
}
