//! What GCC writes for C, assembled here and by GNU's assembler and linker: the code must be equal byte by byte.
//!
//! Every file of `tests/gcc` is compiled for several instruction sets, with and without position independence. The linker
//! gives each section an address of its own; ours gets the same ones. A file whose first line is `// for: NAME NAME` is
//! compiled for those instruction sets only.
//!
//! The second test takes lines with short forms from `tests/gas`, with all of a few registers and numbers.

#[path = "it/description.rs"]
mod description;

use std::path::Path;
use std::process::Command;

use isaglot_asm::assemble::source::Contents;
use isaglot_asm::{Assembler, Compat, Names};
use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_riscv::assembly::{self, Layout, NoImports, Program};
use isaglot_riscv::isa_name;
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_testing::{Failed, Tally, ledger, peer, suite};
use object::{Object, ObjectSection};

const GCC: &str = "riscv64-linux-gnu-gcc";
const AS: &str = "riscv64-linux-gnu-as";
const LD: &str = "riscv64-linux-gnu-ld";

/// Instruction sets with their calling conventions and formats of object files.
const TARGETS: [(&str, &str, &str); 3] = [
    ("rv64gc", "-mabi=lp64d", "elf64lriscv"),
    ("rv32imac", "-mabi=ilp32", "elf32lriscv"),
    ("rv64g", "-mabi=lp64d", "elf64lriscv"),
];

/// Where the first section lies, and how far the next one is at least.
const BASE: u64 = 0x1_0000;

fn main() {
    let run = || peer_gcc().map_err(Failed::from);
    let short = || peer_gas_short().map_err(Failed::from);
    suite::run(vec![
        peer::trial("peer_gcc_code_is_that_of_gnu", &[peer::RISCV_GCC, peer::RISCV_BINUTILS], run),
        peer::trial("peer_gas_takes_the_same_short_forms", &[peer::RISCV_BINUTILS], short),
    ]);
}

/// What stands for a placeholder in `tests/gas`.
fn choices(placeholder: &str) -> &'static [&'static str] {
    match placeholder {
        "r" => &["zero", "ra", "sp", "s0", "s1", "a5", "t6"],
        "i" => &["-2048", "-512", "-33", "-32", "-1", "0", "1", "4", "16", "31", "32", "496", "1020"],
        "s" => &["0", "1", "15", "31"],
        "o" => &["-4", "0", "1", "4", "8", "124", "128", "248", "252", "256", "504", "512"],
        _ => &[],
    }
}

/// All lines that a template stands for.
fn lines(template: &str) -> Vec<String> {
    let Some((before, rest)) = template.split_once('{') else { return vec![format!("{template}\n")] };
    let (placeholder, after) = rest.split_once('}').expect("a placeholder ends");
    let tails = lines(after);
    let choices = choices(placeholder).iter();
    choices.flat_map(|choice| tails.iter().map(move |tail| format!("{before}{choice}{tail}"))).collect()
}

fn peer_gas_short() -> Result<(), String> {
    let isa = description::isa();
    for (march, mabi, emulation) in TARGETS {
        let mut text = String::new();
        for template in include_str!("gas/short.txt").lines().filter(|line| !line.starts_with('#')) {
            match template.strip_prefix("rv64 ") {
                None => text.extend(lines(template)),
                Some(template) if march.starts_with("rv64") => text.extend(lines(template)),
                Some(_) => {}
            }
        }
        println!("short forms of {march}: {} lines", text.lines().count());
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        std::fs::write(dir.path().join("a.s"), text).map_err(|e| e.to_string())?;
        same_as_gnu(&isa, dir.path(), [march, mabi, emulation]).map_err(|e| format!("{march}: {e}"))?;
    }
    Ok(())
}

fn peer_gcc() -> Result<(), String> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let sources = Path::new(folder).join("tests/gcc");
    let mut names: Vec<String> = (std::fs::read_dir(&sources).map_err(|e| e.to_string())?)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let isa = description::isa();
    let mut tally = Tally::default();
    for name in &names {
        let text = std::fs::read_to_string(sources.join(name)).map_err(|e| e.to_string())?;
        let only = text.lines().next().and_then(|line| line.strip_prefix("// for: "));
        for (march, mabi, emulation) in TARGETS {
            if only.is_some_and(|only| only.split(' ').all(|one| one != march)) {
                continue;
            }
            for (pic, place) in [("-fno-pic", march.to_owned()), ("-fPIC", format!("{march} -fPIC"))] {
                tally.row(name, place, same(&isa, &sources.join(name), [march, mabi, emulation, pic]));
            }
        }
    }
    ledger::check(folder, "gcc", &tally)
}

/// Runs a program in a folder.
fn run(program: &str, args: &[&str], dir: &Path) -> Result<(), String> {
    peer::output(Command::new(program).args(args).current_dir(dir), "").map(drop)
}

fn same(isa: &Isa, source: &Path, [march, mabi, emulation, pic]: [&str; 4]) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let dir = dir.path();
    let (march_is, source) = (format!("-march={march}"), source.display().to_string());
    run(GCC, &["-S", "-O2", &march_is, mabi, "-ffreestanding", pic, &source, "-o", "a.s"], dir)?;
    same_as_gnu(isa, dir, [march, mabi, emulation])
}

/// Whether the code of `a.s` in a folder is what GNU's assembler and linker make of it.
fn same_as_gnu(isa: &Isa, dir: &Path, [march, mabi, emulation]: [&str; 3]) -> Result<(), String> {
    let march_is = format!("-march={march}");
    run(AS, &[&march_is, mabi, "a.s", "-o", "a.o"], dir)?;
    let object = std::fs::read(dir.join("a.o")).map_err(|e| e.to_string())?;
    std::fs::write(dir.join("a.ld"), script(&object)?).map_err(|e| e.to_string())?;
    run(LD, &["--no-relax", "-m", emulation, "-T", "a.ld", "-e", "0", "a.o", "-o", "a"], dir)?;
    let theirs = std::fs::read(dir.join("a")).map_err(|e| e.to_string())?;
    let theirs = object::File::parse(&*theirs).map_err(|e| e.to_string())?;
    let text = std::fs::read_to_string(dir.join("a.s")).map_err(|e| e.to_string())?;

    // Our names of sections, then the program with the addresses of theirs.
    let found = assemble(isa, march, &text, Layout { base: BASE, ..Layout::default() })?;
    let address = |name: &str| theirs.section_by_name(name).map(|section| section.address());
    let starts = found.image.sections.iter().filter(|section| !section.bytes.is_empty());
    let starts = starts.filter_map(|section| Some((section.name.clone(), address(&section.name)?))).collect();
    let ours = assemble(isa, march, &text, Layout { base: BASE, starts, ..Layout::default() })?;
    for section in ours.image.sections.iter().filter(|s| s.contents == Contents::Code && !s.bytes.is_empty()) {
        let there = theirs.section_by_name(&section.name).ok_or_else(|| format!("{} is not theirs", section.name))?;
        let data = there.data().map_err(|e| e.to_string())?;
        // GNU's assembler fills a section up to its alignment.
        let tail = data.get(section.bytes.len()..).unwrap_or(&[]);
        let is_padding = (tail.len() as u64) < section.align && tail.iter().all(|&byte| byte == 0);
        let data = if is_padding { data.get(..section.bytes.len()).unwrap_or(data) } else { data };
        equal(&section.name, &section.bytes, data)?;
    }
    for section in theirs.sections().filter(|section| section.kind() == object::SectionKind::Text) {
        let name = section.name().map_err(|e| e.to_string())?;
        if ours.image.sections.iter().all(|ours| ours.name != name) {
            return Err(format!("{name} is only theirs"));
        }
    }
    Ok(())
}

fn equal(name: &str, ours: &[u8], theirs: &[u8]) -> Result<(), String> {
    let Some(at) = (0..ours.len().max(theirs.len())).find(|&at| ours.get(at) != theirs.get(at)) else { return Ok(()) };
    let at = at & !1;
    let from = |bytes: &[u8]| bytes.iter().skip(at).take(8).map(|b| format!("{b:02x}")).collect::<String>();
    Err(format!("{name} differs at {at:#x}: {} here, {} with GNU", from(ours), from(theirs)))
}

/// A linker script that gives each section of an object its own pages.
fn script(object: &[u8]) -> Result<String, String> {
    let object = object::File::parse(object).map_err(|e| e.to_string())?;
    let mut script = "SECTIONS {\n".to_owned();
    let mut at = BASE;
    for section in object.sections() {
        let name = section.name().map_err(|e| e.to_string())?;
        let object::SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
        if sh_flags.0 & object::elf::SHF_ALLOC.0 == 0 || section.size() == 0 {
            continue;
        }
        // What each thread has is one block.
        let place = if name == ".tbss" { String::new() } else { format!("{at:#x}") };
        script += &format!("{name} {place} : {{ *({name}) }}\n");
        at = (at + section.size()).next_multiple_of(BASE) + BASE;
    }
    script += &format!(".got {at:#x} : {{ *(.got) }}\n.got.plt : {{ *(.got.plt) }}\n}}\n");
    Ok(script)
}

fn assemble(isa: &Isa, march: &str, text: &str, layout: Layout) -> Result<Program, String> {
    let target = isa_name::parse(march).ok_or("no such instruction set")?;
    let on: Vec<_> = (0..).zip(isa.features()).filter(|(_, f)| target.features.contains(&f.name)).collect();
    let on: Vec<_> = on.into_iter().map(|(id, _)| isaglot_model::FeatureId(id)).collect();
    let plan = Plan::with_features(isa, target.xlen.bits(), &on);
    let custom = Names::default();
    let mut assembler = Assembler::new(&plan, &custom, Compat::default());
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("a.s", text.as_bytes());
    let program = assembly::assemble(&mut assembler, &mut NoImports, &mut files, file, &layout, &mut found);
    let problems: String = found.iter().take(3).map(|d| render::text(&files, d, false)).collect();
    program.ok_or(problems)
}
