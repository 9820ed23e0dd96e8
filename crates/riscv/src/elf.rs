//! An assembled program as an executable ELF file.
//!
//! Sections that follow each other in memory with the same rights become one segment. For example, `.text` at 0x10000
//! (0x234 bytes, 5 = read and execute), `.rodata` at 0x11000 (4 bytes, 4 = read) and `.data` at 0x12000, `.bss` after it
//! (6 = read and write) become three; the last has more bytes in memory than in the file, because `.bss` is zero.
//!
//! A file is mapped by pages, so the bytes of a segment lie in the file as they lie in their page. After the segments come
//! attributes, symbols, names and the table of sections.

use isaglot_asm::assemble::source::{Contents, Section};
use isaglot_invariant::Impossible as _;

use crate::Xlen;
use crate::assembly::{Binding, Program, Symbol};

/// What the file says besides the program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The register width: 32-bit or 64-bit ELF.
    pub xlen: Xlen,
    /// `e_flags`: see [`flags`].
    pub flags: u32,
    /// Where the program starts.
    pub entry: u64,
    /// The instruction set for `.riscv.attributes`, such as `rv64i2p1_m2p0`.
    pub arch: String,
}

/// Pages for which segments are made: that of Linux on RISC-V.
pub const PAGE: u64 = 0x1000;

/// The flags of an instruction set with these extensions.
#[must_use]
pub fn flags(compressed: bool, single: bool, double: bool) -> u32 {
    let float = match (single, double) {
        (_, true) => 4,
        (true, false) => 2,
        (false, false) => 0,
    };
    u32::from(compressed) | float
}

const MACHINE: u16 = 243;
const PT_LOAD: u32 = 1;
const PT_TLS: u32 = 7;
const SHT_PROGBITS: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_STRTAB: u32 = 3;
const SHT_NOBITS: u32 = 8;
const SHT_RISCV_ATTRIBUTES: u32 = 0x7000_0003;
const SHF_WRITE: u64 = 1;
const SHF_ALLOC: u64 = 2;
const SHF_EXECINSTR: u64 = 4;
const SHF_TLS: u64 = 0x400;

/// Bytes in the making; words are as wide as the machine's where that is how ELF has them.
struct Bytes {
    out: Vec<u8>,
    wide: bool,
}

impl Bytes {
    fn u8(&mut self, value: u8) {
        self.out.push(value);
    }

    fn u16(&mut self, value: u16) {
        self.out.extend(value.to_le_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.out.extend(value.to_le_bytes());
    }

    /// A word of the machine's width.
    fn word(&mut self, value: u64) {
        if self.wide {
            self.out.extend(value.to_le_bytes());
        } else {
            self.u32(value as u32);
        }
    }

    fn align(&mut self, to: usize) {
        self.out.resize(self.out.len().next_multiple_of(to), 0);
    }
}

/// Part of the memory with its rights.
struct Segment {
    kind: u32,
    rights: u32,
    address: u64,
    /// Bytes in memory and in the file.
    memory: u64,
    stored: u64,
    align: u64,
    /// Where its bytes are in the file.
    offset: u64,
}

/// A row of the table of sections.
#[derive(Default)]
struct Row {
    name: u32,
    kind: u32,
    flags: u64,
    address: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry: u64,
}

/// Strings, each ended by 0; the first is empty.
struct Names(Vec<u8>);

impl Names {
    fn add(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let at = self.0.len() as u32;
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(0);
        at
    }
}

fn rights(contents: Contents) -> u32 {
    match contents {
        Contents::Code => 5,
        Contents::Constant | Contents::Note => 4,
        Contents::Data | Contents::Zero | Contents::Thread | Contents::ThreadZero => 6,
    }
}

/// The segments of sections in the order of their addresses.
fn segments(sections: &[&Section]) -> Vec<Segment> {
    let mut list: Vec<Segment> = Vec::new();
    for section in sections {
        let size = section.bytes.len() as u64;
        let stored = if section.contents.is_zero() { 0 } else { size };
        let rights = rights(section.contents);
        if let Some(last) = list.last_mut()
            && last.rights == rights
            && (last.stored == last.memory || stored == 0)
            && section.address - last.address - last.memory < PAGE
        {
            let start = section.address - last.address;
            last.memory = start + size;
            last.stored = if stored > 0 { start + size } else { last.stored };
            last.align = last.align.max(section.align);
            continue;
        }
        let align = section.align.max(PAGE);
        list.push(Segment { kind: PT_LOAD, rights, address: section.address, memory: size, stored, align, offset: 0 });
    }
    list
}

/// What each thread gets a copy of, if there is something.
fn thread(sections: &[&Section]) -> Option<Segment> {
    let all: Vec<_> = sections.iter().filter(|section| section.contents.is_thread()).collect();
    let address = all.first()?.address;
    let end_of = |section: &Section| section.address + section.bytes.len() as u64 - address;
    let end = |stored: bool| all.iter().filter(|s| !stored || !s.contents.is_zero()).map(|s| end_of(s)).max();
    let align = all.iter().map(|section| section.align).max().unwrap_or(1);
    let (memory, stored) = (end(false).unwrap_or(0), end(true).unwrap_or(0));
    Some(Segment { kind: PT_TLS, rights: 4, address, memory, stored, align, offset: 0 })
}

/// The file.
#[must_use]
pub fn write(program: &Program, options: &Options) -> Vec<u8> {
    let wide = options.xlen == Xlen::Rv64;
    let mut loaded: Vec<(usize, &Section)> = (program.image.sections.iter().enumerate())
        .filter(|(_, section)| section.contents != Contents::Note && !section.bytes.is_empty())
        .collect();
    loaded.sort_by_key(|(_, section)| section.address);
    let sections: Vec<&Section> = loaded.iter().map(|(_, section)| *section).collect();
    let mut segments = segments(&sections);
    let (header, entry) = if wide { (64, 56) } else { (52, 32) };
    let thread = thread(&sections);
    let mut file = Bytes { out: vec![0; header + entry * (segments.len() + usize::from(thread.is_some()))], wide };
    place(&mut segments, &mut file);
    // What threads have copies of is a part of a segment that is loaded.
    let part = thread.map(|thread| {
        let whole = segments.iter().rev().find(|s| s.address <= thread.address);
        let offset = whole.map_or(0, |s| s.offset + (thread.address - s.address));
        Segment { offset, ..thread }
    });

    let mut names = Names(vec![0]);
    let mut rows = vec![Row::default()];
    let mut numbers = vec![0u16; program.image.sections.len()];
    for (index, section) in &loaded {
        if let (Some(segment), Some(number)) = (segment_of(&segments, section), numbers.get_mut(*index)) {
            *number = rows.len() as u16;
            rows.push(stored(section, segment, names.add(&section.name), &mut file));
        }
    }
    let start = file.out.len();
    attributes(&options.arch, &mut file.out);
    rows.push(Row {
        name: names.add(".riscv.attributes"),
        kind: SHT_RISCV_ATTRIBUTES,
        offset: start as u64,
        size: (file.out.len() - start) as u64,
        align: 1,
        ..Row::default()
    });
    symbols(program, &numbers, &mut file, &mut rows, &mut names);
    let name = names.add(".shstrtab");
    rows.push(table(name, file.out.len(), names.0.len()));
    file.out.extend_from_slice(&names.0);
    file.align(8);
    let rows_at = file.out.len() as u64;
    for row in &rows {
        section_header(row, &mut file);
    }
    segments.extend(part);
    let head = head(options, &segments, rows_at, rows.len() as u16);
    file.out.get_mut(..head.len()).or_impossible_default().copy_from_slice(&head);
    file.out
}

/// Gives each segment its place in the file.
fn place(segments: &mut [Segment], file: &mut Bytes) {
    for segment in segments {
        // The file is mapped by pages, so bytes lie in a page of the file where they lie in a page of the memory.
        let (at, align) = (file.out.len() as u64, segment.align.max(1));
        let offset = at + (segment.address.wrapping_sub(at)) % align;
        file.out.resize(offset as usize + segment.stored as usize, 0);
        segment.offset = offset;
    }
}

/// The segment that a section lies in.
fn segment_of<'s>(segments: &'s [Segment], section: &Section) -> Option<&'s Segment> {
    let holds = |s: &&Segment| s.address <= section.address && section.address - s.address < s.memory.max(1);
    segments.iter().rev().find(holds)
}

/// Puts the bytes of a section into the file; gives its row in the table of sections.
fn stored(section: &Section, segment: &Segment, name: u32, file: &mut Bytes) -> Row {
    let offset = segment.offset + (section.address - segment.address);
    let is_stored = !section.contents.is_zero();
    if is_stored && let Some(place) = file.out.get_mut(offset as usize..offset as usize + section.bytes.len()) {
        place.copy_from_slice(&section.bytes);
    }
    Row {
        name,
        kind: if is_stored { SHT_PROGBITS } else { SHT_NOBITS },
        flags: match section.contents {
            Contents::Code => SHF_ALLOC | SHF_EXECINSTR,
            Contents::Constant | Contents::Note => SHF_ALLOC,
            Contents::Data | Contents::Zero => SHF_ALLOC | SHF_WRITE,
            Contents::Thread | Contents::ThreadZero => SHF_ALLOC | SHF_WRITE | SHF_TLS,
        },
        address: section.address,
        offset,
        size: section.bytes.len() as u64,
        align: section.align,
        ..Row::default()
    }
}

/// The header of the file and those of the segments; the names of sections are in the last of `rows` sections.
fn head(options: &Options, segments: &[Segment], rows_at: u64, rows: u16) -> Vec<u8> {
    let wide = options.xlen == Xlen::Rv64;
    let (header, entry, row) = if wide { (64, 56, 64) } else { (52, 32, 40) };
    let mut head = Bytes { out: Vec::new(), wide };
    head.out.extend_from_slice(&[0x7f, b'E', b'L', b'F', if wide { 2 } else { 1 }, 1, 1, 0]);
    head.out.resize(16, 0);
    // An executable, version 1.
    head.u16(2);
    head.u16(MACHINE);
    head.u32(1);
    head.word(options.entry);
    head.word(u64::from(header));
    head.word(rows_at);
    head.u32(options.flags);
    for value in [header, entry, segments.len() as u16, row, rows, rows - 1] {
        head.u16(value);
    }
    for segment in segments {
        program_header(segment, &mut head);
    }
    head.out
}

fn table(name: u32, offset: usize, size: usize) -> Row {
    Row { name, kind: SHT_STRTAB, offset: offset as u64, size: size as u64, align: 1, ..Row::default() }
}

fn program_header(segment: &Segment, out: &mut Bytes) {
    out.u32(segment.kind);
    if out.wide {
        out.u32(segment.rights);
    }
    for value in [segment.offset, segment.address, segment.address, segment.stored, segment.memory] {
        out.word(value);
    }
    if !out.wide {
        out.u32(segment.rights);
    }
    out.word(segment.align);
}

fn section_header(row: &Row, out: &mut Bytes) {
    out.u32(row.name);
    out.u32(row.kind);
    for value in [row.flags, row.address, row.offset, row.size] {
        out.word(value);
    }
    out.u32(row.link);
    out.u32(row.info);
    out.word(row.align);
    out.word(row.entry);
}

/// The attributes: one group of one vendor, the instruction set in it.
fn attributes(arch: &str, out: &mut Vec<u8>) {
    const TAG_FILE: u8 = 1;
    const TAG_ARCH: u8 = 5;
    let inner = 1 + 4 + 1 + arch.len() + 1;
    let vendor = b"riscv\0";
    out.push(b'A');
    out.extend(((4 + vendor.len() + inner) as u32).to_le_bytes());
    out.extend_from_slice(vendor);
    out.push(TAG_FILE);
    out.extend((inner as u32).to_le_bytes());
    out.push(TAG_ARCH);
    out.extend_from_slice(arch.as_bytes());
    out.push(0);
}

/// The tables of symbols and their names; `numbers` has the rows of the sections.
fn symbols(program: &Program, numbers: &[u16], file: &mut Bytes, rows: &mut Vec<Row>, names: &mut Names) {
    file.align(8);
    let start = file.out.len();
    let size: u64 = if file.wide { 24 } else { 16 };
    let mut strings = Names(vec![0]);
    file.out.resize(start + size as usize, 0);
    // Local ones come first.
    let sections = &program.image.sections;
    let is_there = |s: &&Symbol| sections.get(s.section as usize).is_some_and(|s| s.contents != Contents::Note);
    let (local, others): (Vec<_>, Vec<_>) =
        program.symbols.iter().filter(is_there).partition(|s| s.binding == Binding::Local);
    let first_other = local.len() as u32 + 1;
    for symbol in local.into_iter().chain(others) {
        let row = numbers.get(symbol.section as usize).copied().or_impossible(0);
        // The end of an empty section is an address like any other.
        let row = if row == 0 { 0xfff1 } else { row };
        let binding: u8 = match symbol.binding {
            Binding::Local => 0,
            Binding::Global => 1,
            Binding::Weak => 2,
        };
        let home = sections.get(symbol.section as usize);
        let thread = home.filter(|section| section.contents.is_thread());
        // Symbols of threads are offsets.
        let base = thread.and(sections.iter().filter(|s| s.contents.is_thread()).map(|s| s.address).min());
        let value = symbol.address - base.unwrap_or(0);
        let kind: u8 = match symbol.is_function {
            _ if thread.is_some() => 6,
            Some(true) => 2,
            Some(false) => 1,
            None => 0,
        };
        let name = strings.add(&symbol.name);
        file.u32(name);
        if file.wide {
            file.u8(binding << 4 | kind);
            file.u8(0);
            file.u16(row);
            file.word(value);
            file.word(symbol.size);
        } else {
            file.word(value);
            file.word(symbol.size);
            file.u8(binding << 4 | kind);
            file.u8(0);
            file.u16(row);
        }
    }
    let link = rows.len() as u32 + 1;
    rows.push(Row {
        name: names.add(".symtab"),
        kind: SHT_SYMTAB,
        offset: start as u64,
        size: (file.out.len() - start) as u64,
        link,
        info: first_other,
        align: 8,
        entry: size,
        ..Row::default()
    });
    let name = names.add(".strtab");
    rows.push(table(name, file.out.len(), strings.0.len()));
    file.out.extend_from_slice(&strings.0);
}
