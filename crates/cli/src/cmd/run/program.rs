//! The program that is run: what of its file goes where, where it starts, and the symbols that mean something to the machine.
//!
//! What cannot be run is refused here with what would help: object files, programs that need a dynamic linker, other machines.

use std::path::Path;

use isaglot::program::name;
use isaglot_asm::labels::is_automatic;
use isaglot_hart::Start;
use isaglot_source::{Diagnostic, Diagnostics};
use object::elf::{FileHeader32, FileHeader64, PT_INTERP, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectKind, ObjectSymbol, SymbolKind};

use super::described::DescribedArgs;
use crate::io::{input_name, read};

/// A program: what goes where, and where it starts.
pub(super) struct Program {
    /// The width of its registers, if it says that.
    pub(super) xlen: Option<u32>,
    /// Address, size and bytes; the highest address is where the memory starts.
    pub(super) segments: Vec<(u64, u64, Vec<u8>)>,
    /// Where a bare machine has them, if the file says that.
    pub(super) physical: Option<Vec<u64>>,
    pub(super) entry: Option<u64>,
    /// Where the program tells something to the host, and where it gets its answers.
    pub(super) tohost: Option<u64>,
    pub(super) fromhost: Option<u64>,
    /// What a process of Linux has to know.
    pub(super) start: Start,
    /// It names a dynamic linker.
    pub(super) is_dynamic: bool,
    /// Where the results of a test lie: from `begin_signature` to `end_signature`.
    pub(super) signature: Option<(u64, u64)>,
    /// What the register `gp` holds, as the linker has it.
    pub(super) global_pointer: Option<u64>,
    /// Addresses of code with their names, by address. From one without a name on there is nothing.
    pub(super) symbols: Vec<(u64, String)>,
    /// How far it was moved from where its file says it is.
    pub(super) moved: u64,
}

/// Reads a program for RISC-V, or for the machine of a description, which says nothing of ELF files. What of the latter may be hexadecimal
/// text is said in `described`.
pub(super) fn program(
    path: &Path,
    described: Option<(&DescribedArgs, &mut Diagnostics)>,
) -> Result<Program, Diagnostic> {
    let mut bytes = read(Some(path))?;
    let is_described = described.is_some();
    if let Some((args, problems)) = described
        && !args.binary
        && !bytes.starts_with(isaglot::program::ELF)
    {
        let name = input_name(Some(path));
        isaglot::program::refuse_containers(&name, &bytes)?;
        bytes = isaglot::program::from_text(&name, bytes, args.hex, problems)?;
    }
    if bytes.is_empty() {
        let d = Diagnostic::error("run-empty", format!("{}: the program is empty", input_name(Some(path))));
        return Err(d.note("expected an ELF file, or instructions"));
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(Program {
            xlen: None,
            segments: vec![(u64::MAX, 0, bytes)],
            physical: None,
            entry: None,
            tohost: None,
            fromhost: None,
            start: Start::default(),
            is_dynamic: false,
            signature: None,
            global_pointer: None,
            symbols: Vec::new(),
            moved: 0,
        });
    }
    let bad =
        |what: &dyn std::fmt::Display| Diagnostic::error("run-elf", format!("{}: {what}", input_name(Some(path))));
    let elf = object::File::parse(&*bytes).map_err(|e| bad(&e))?;
    if !is_described && !matches!(elf.architecture(), object::Architecture::Riscv32 | object::Architecture::Riscv64) {
        let d = bad(&format!("this is an ELF file for {}, not for RISC-V", name(elf.architecture())));
        return Err(
            d.note("expected a program for RISC-V; those for other descriptions are run with `--spec` or `--isa`")
        );
    }
    if !is_described && !elf.is_little_endian() {
        return Err(bad(&"big-endian; the machine is little-endian"));
    }
    if elf.kind() == ObjectKind::Relocatable {
        let d = bad(&"an object file, which has no addresses yet");
        return Err(d.note("link it first: `riscv64-linux-gnu-gcc -static -nostdlib`, or `ld`"));
    }
    let segments =
        if elf.is_64() { load::<FileHeader64<Endianness>>(&bytes) } else { load::<FileHeader32<Endianness>>(&bytes) };
    let loads = segments.map_err(|e| bad(&e))?;
    let segments: Vec<(u64, u64, Vec<u8>)> = loads.iter().map(|s| (s.address, s.size, s.data.to_vec())).collect();
    // A linker that knows of none leaves them all 0.
    let physical = loads.iter().any(|s| s.physical != 0).then(|| loads.iter().map(|s| s.physical).collect());
    if segments.is_empty() {
        return Err(bad(&"there is nothing to load"));
    }
    let (start, is_dynamic) =
        if elf.is_64() { start::<FileHeader64<Endianness>>(&bytes) } else { start::<FileHeader32<Endianness>>(&bytes) }
            .map_err(|e| bad(&e))?;
    let named = |name: &str| elf.symbols().find(|s| s.name() == Ok(name)).map(|s| s.address());
    let is_code = |s: &object::Symbol<'_, '_>| matches!(s.kind(), SymbolKind::Text | SymbolKind::Unknown);
    let names = elf.symbols().filter(is_code).filter_map(|s| Some((s.address(), s.name().ok()?.to_owned())));
    // A name for an address of code, not a number of the linker.
    let is_place = |name: &str| !name.is_empty() && !is_automatic(name.as_bytes()) && name != "__global_pointer$";
    let mut symbols: Vec<(u64, String)> = names.filter(|(_, name)| is_place(name)).collect();
    // Where a segment ends, so does what a name stands for.
    symbols.extend(segments.iter().map(|&(address, size, _)| (address.saturating_add(size), String::new())));
    symbols.sort();
    Ok(Program {
        xlen: Some(if elf.is_64() { 64 } else { 32 }),
        physical,
        entry: Some(elf.entry()),
        tohost: named("tohost"),
        fromhost: named("fromhost"),
        global_pointer: named("__global_pointer$"),
        start,
        is_dynamic,
        signature: named("begin_signature").zip(named("end_signature")),
        segments,
        symbols,
        moved: 0,
    })
}

impl Program {
    /// Moves a program that can be anywhere.
    pub(super) fn relocate(&mut self, by: u64) {
        self.moved = by;
        self.segments.iter_mut().for_each(|s| s.0 = s.0.saturating_add(by));
        self.symbols.iter_mut().for_each(|s| s.0 = s.0.saturating_add(by));
        for place in [&mut self.start.entry, &mut self.start.end] {
            *place = place.saturating_add(by);
        }
        if self.start.headers != 0 {
            self.start.headers = self.start.headers.saturating_add(by);
        }
    }
}

/// A segment that is loaded.
struct Load<'d> {
    address: u64,
    /// Where it lies in the memory of a bare machine, from where the program may copy it to its address.
    physical: u64,
    size: u64,
    data: &'d [u8],
}

/// The segments that are loaded.
fn load<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> Result<Vec<Load<'_>>, String> {
    let failed = |e: object::Error| e.to_string();
    let header = Elf::parse(bytes).map_err(failed)?;
    let endian = header.endian().map_err(failed)?;
    let segments = header.program_headers(endian, bytes).map_err(failed)?;
    let mut all = Vec::new();
    for segment in segments.iter().filter(|s| s.p_type(endian) == PT_LOAD) {
        let data = segment.data(endian, bytes).map_err(|()| "a segment is not in the file".to_owned())?;
        let size: u64 = segment.p_memsz(endian).into();
        let (address, physical) = (segment.p_vaddr(endian).into(), segment.p_paddr(endian).into());
        all.push(Load { address, physical, size: size.max(data.len() as u64), data });
    }
    Ok(all)
}

/// What the program headers say, and whether they name a dynamic linker.
fn start<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> object::Result<(Start, bool)> {
    let header = Elf::parse(bytes)?;
    let endian = header.endian()?;
    let all = header.program_headers(endian, bytes)?;
    let place: u64 = header.e_phoff(endian).into();
    let (mut headers, mut end) = (0, 0);
    for segment in all.iter().filter(|s| s.p_type(endian) == PT_LOAD) {
        let offset: u64 = segment.p_offset(endian).into();
        let address: u64 = segment.p_vaddr(endian).into();
        let size: u64 = segment.p_filesz(endian).into();
        if let Some(at) = place.checked_sub(offset).filter(|&at| at < size) {
            headers = address.saturating_add(at);
        }
        end = end.max(address.saturating_add(segment.p_memsz(endian).into()));
    }
    let is_dynamic = all.iter().any(|s| s.p_type(endian) == PT_INTERP);
    let entry = header.e_entry(endian).into();
    let count = all.len() as u64;
    Ok((Start { entry, headers, header_count: count, end, ..Start::default() }, is_dynamic))
}
