//! Executable files: what their readers see, and that programs of a compiler are what GNU's assembler and linker make of
//! them, and run. Tests are skipped where those tools are missing.

use std::path::Path;
use std::process::Command;

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_riscv::assembly::{self, Layout, NoImports, Program};
use isaglot_riscv::{Xlen, elf};
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_testing::peer;
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolScope};

use crate::description;

type Failed = Box<dyn std::error::Error>;

const GCC: &str = "riscv64-linux-gnu-gcc";
const AS: &str = "riscv64-linux-gnu-as";
const LD: &str = "riscv64-linux-gnu-ld";
const OBJDUMP: &str = "riscv64-linux-gnu-objdump";
const QEMU: &str = "qemu-riscv64";

const OPTIMISE: [&str; 3] = ["-O0", "-O2", "-Os"];

#[test]
fn executables_read_back() -> Result<(), Failed> {
    reads_back(Xlen::Rv32)?;
    reads_back(Xlen::Rv64)
}

#[test]
fn compiled_programs_are_the_bytes_that_gnu_makes() -> Result<(), Failed> {
    if !peer::present(&[peer::RISCV_GCC, peer::RISCV_BINUTILS]) {
        return Ok(());
    }
    OPTIMISE.into_iter().try_for_each(same_bytes)
}

#[test]
fn compressed_programs_run_as_those_of_gnu() -> Result<(), Failed> {
    if !peer::present(&[peer::RISCV_GCC, peer::RISCV_BINUTILS, peer::RISCV_QEMU]) {
        return Ok(());
    }
    OPTIMISE.into_iter().try_for_each(runs)
}

#[test]
fn objdump_reads_executables() -> Result<(), Failed> {
    if peer::present(&[peer::RISCV_BINUTILS]) { objdump() } else { Ok(()) }
}

/// Assembles a program without interfaces.
fn assemble(xlen: Xlen, compressed: bool, text: &str, layout: &Layout) -> Result<Program, Failed> {
    let isa = description::isa();
    let off: &[&str] = if compressed { &[] } else { &["c"] };
    let plan = description::plan_without(&isa, u64::from(xlen.bits()), "custom0", 8, off);
    let custom = Names::default();
    let mut assembler = Assembler::new(&plan, &custom, Compat::default());
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("program.s", text.as_bytes());
    let program = assembly::assemble(&mut assembler, &mut NoImports, &mut files, file, layout, &mut found);
    let problems: String = found.iter().take(20).map(|d| render::text(&files, d, false)).collect();
    program.ok_or_else(|| problems.into())
}

/// The ELF file of a program that starts at `_start`.
fn file_of(program: &Program, xlen: Xlen, compressed: bool) -> Vec<u8> {
    let entry = program.symbols.iter().find(|s| s.name == "_start").map_or(0, |s| s.address);
    let arch = format!("rv{}i2p1_m2p0_a2p1_f2p2_d2p2", xlen.bits());
    elf::write(program, &elf::Options { xlen, flags: elf::flags(compressed, true, true), entry, arch })
}

const PROGRAM: &str = "
    .globl _start
    .type _start, @function
_start:
    la a0, numbers
    lw a1, 4(a0)
    la a2, space
    sw a1, 0(a2)
1:  j 1b
    .size _start, . - _start
helper: ret
    .section .rodata
text: .asciz \"a\\tb\"
    .data
    .align 3
numbers: .word 1, 2, helper
    .type numbers, @object
    .size numbers, 12
    .bss
space: .zero 64
";

fn reads_back(xlen: Xlen) -> Result<(), Failed> {
    let layout = Layout { base: 0x1_0000, page: elf::PAGE, ..Layout::default() };
    let program = assemble(xlen, true, PROGRAM, &layout)?;
    let bytes = file_of(&program, xlen, true);
    let file = object::File::parse(&*bytes)?;
    assert_eq!((file.is_64(), file.is_little_endian(), file.entry()), (xlen == Xlen::Rv64, true, 0x1_0000));
    let object::FileFlags::Elf { e_flags, .. } = file.flags() else { return Err("no ELF flags".into()) };
    assert_eq!(e_flags, object::elf::FileFlags(5));
    let section = |name: &str| file.section_by_name(name).ok_or_else(|| Failed::from(format!("no {name}")));
    assert_eq!(section(".text")?.address(), 0x1_0000);
    assert_eq!(section(".rodata")?.data()?, b"a\tb\0");
    assert_eq!(section(".data")?.address() % 8, 0);
    assert_eq!((section(".bss")?.size(), section(".bss")?.kind()), (64, object::SectionKind::UninitializedData));
    let symbol = |name: &str| file.symbols().find(|s| s.name() == Ok(name));
    let start = symbol("_start").ok_or("no _start")?;
    assert_eq!((start.address(), start.scope()), (0x1_0000, SymbolScope::Dynamic));
    // Loads, stores and jumps are compressed, what a linker would fill in is not.
    assert_eq!((start.kind(), start.size()), (object::SymbolKind::Text, 22));
    let numbers = symbol("numbers").ok_or("no numbers")?;
    assert_eq!((numbers.kind(), numbers.size(), numbers.is_local()), (object::SymbolKind::Data, 12, true));
    let helper = symbol("helper").ok_or("no helper")?.address();
    let data = section(".data")?.data()?;
    assert_eq!(data.get(8..12), Some(&(helper as u32).to_le_bytes()[..]));
    // What is loaded lies where the sections say, with no byte shared between segments.
    let segments: Vec<_> = file.segments().map(|s| (s.address(), s.size(), s.data().map(<[u8]>::len))).collect();
    assert_eq!(segments.len(), 3, "{segments:x?}");
    for (address, size, stored) in &segments {
        assert!(address % elf::PAGE == 0 && *size > 0 && stored.is_ok_and(|stored| stored as u64 <= *size));
    }
    let space = symbol("space").ok_or("no space")?.address();
    assert!(segments.iter().any(|(at, size, _)| *at <= space && space + 64 == at + size));
    Ok(())
}

/// Where the sections of compiled programs lie, for both linkers.
const PLACES: [(&str, u64); 4] = [(".text", 0x1_0000), (".rodata", 0x2_0000), (".data", 0x3_0000), (".bss", 0x4_0000)];

/// Runs a program in a folder.
fn run(program: &str, args: &[&str], dir: &Path) -> Result<(), Failed> {
    Ok(peer::output(Command::new(program).args(args).current_dir(dir), "").map(drop)?)
}

/// The program in C as assembly, and GNU's executable of it.
fn compiled(optimise: &str, march: &str, dir: &Path) -> Result<String, Failed> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/program.c");
    std::fs::copy(source, dir.join("program.c"))?;
    let march = format!("-march={march}");
    let common = [march.as_str(), "-mabi=lp64d", "-mno-relax"];
    let c = ["-S", "-ffreestanding", "-fno-pic", "-mcmodel=medlow", "-msmall-data-limit=0", "-fno-merge-constants"];
    let more = ["-fno-asynchronous-unwind-tables", "-fno-stack-protector", optimise, "program.c", "-o", "program.s"];
    run(GCC, &[&common[..], &c, &more].concat(), dir)?;
    run(AS, &[&common[..], &["program.s", "-o", "program.o"]].concat(), dir)?;
    let starts: Vec<String> = PLACES.iter().map(|(name, at)| format!("--section-start={name}={at:#x}")).collect();
    let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
    run(LD, &[&["--no-relax", "program.o", "-o", "program"], &starts[..]].concat(), dir)?;
    Ok(std::fs::read_to_string(dir.join("program.s"))?)
}

fn places() -> Layout {
    Layout {
        base: 0x1_0000,
        starts: PLACES.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect(),
        page: elf::PAGE,
        list: false,
    }
}

fn same_bytes(optimise: &str) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let text = compiled(optimise, "rv64imafd", dir.path())?;
    let program = assemble(Xlen::Rv64, false, &text, &places())?;
    let theirs = std::fs::read(dir.path().join("program"))?;
    let theirs = object::File::parse(&*theirs)?;
    for (name, address) in PLACES {
        let Some(section) = theirs.section_by_name(name) else { continue };
        let ours = program.image.sections.iter().find(|s| s.name == name).ok_or(name)?;
        assert_eq!((ours.address, section.address()), (address, address), "{name}");
        if name == ".bss" {
            assert_eq!(ours.bytes.len() as u64, section.size(), "{name}");
            continue;
        }
        let data = section.data()?;
        let differs = ours.bytes.iter().zip(data).position(|(a, b)| a != b);
        assert_eq!((differs, ours.bytes.len()), (None, data.len()), "{name}");
    }
    let entry = program.symbols.iter().find(|s| s.name == "_start").map(|s| s.address);
    assert_eq!(entry, Some(theirs.entry()));
    Ok(())
}

fn status(file: &str, dir: &Path) -> Result<Option<i32>, Failed> {
    Ok(Command::new(QEMU).arg(file).current_dir(dir).status()?.code())
}

fn runs(optimise: &str) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let text = compiled(optimise, "rv64imafdc", dir.path())?;
    let theirs = status("program", dir.path())?;
    let layouts = [places(), Layout { base: 0x1_0000, page: elf::PAGE, ..Layout::default() }];
    for layout in layouts {
        let program = assemble(Xlen::Rv64, true, &text, &layout)?;
        let path = dir.path().join("ours");
        std::fs::write(&path, file_of(&program, Xlen::Rv64, true))?;
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        assert_eq!(status("./ours", dir.path())?, theirs, "{optimise}");
    }
    assert!(theirs.is_some_and(|status| status > 0), "the program says nothing: {theirs:?}");
    Ok(())
}

fn objdump() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let layout = Layout { base: 0x8000_0000, page: elf::PAGE, ..Layout::default() };
    let program = assemble(Xlen::Rv64, false, PROGRAM, &layout)?;
    std::fs::write(dir.path().join("p.elf"), file_of(&program, Xlen::Rv64, false))?;
    let out = Command::new(OBJDUMP).args(["-d", "-h", "-t", "p.elf"]).current_dir(dir.path()).output()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let complaints = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && complaints.is_empty(), "{complaints}");
    for wanted in ["elf64-littleriscv", "0000000080000000 <_start>:", "80000010:", "g     F .text", "<helper>:", "ret"]
    {
        assert!(text.contains(wanted), "{wanted} is missing:\n{text}");
    }
    Ok(())
}
