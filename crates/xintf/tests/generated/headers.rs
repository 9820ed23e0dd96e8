//! Generated headers through real compilers: what they make is, byte for byte, what the encoding profiles say.

use std::collections::BTreeMap;
use std::path::Path;

use isaglot_riscv::Xlen;
use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, Trial};
use isaglot_xintf::ast::Interface;
use isaglot_xintf::header::{Lang, header};
use isaglot_xintf::profile::{self, GenericInst, Profile};
use isaglot_xintf::uuid::id_word;
use object::{Object, ObjectSection, ObjectSymbol};

use crate::common;

/// A compiler and how it is told the width.
#[derive(Clone, Copy)]
struct Compiler {
    name: &'static str,
    program: &'static str,
    rv32: &'static [&'static str],
    rv64: &'static [&'static str],
    /// Whether it is there, with C and with C++.
    c: Peer,
    cpp: Peer,
}

const GCC32: &[&str] = &["-march=rv32imafd", "-mabi=ilp32d", "-ffreestanding"];
const GCC64: &[&str] = &["-march=rv64imafd", "-mabi=lp64d", "-ffreestanding"];
const CLANG32: &[&str] = &["--target=riscv32", "-march=rv32imafd", "-mabi=ilp32d", "-ffreestanding"];
const CLANG64: &[&str] = &["--target=riscv64", "-march=rv64imafd", "-mabi=lp64d", "-ffreestanding"];

const COMPILERS: [Compiler; 3] = [
    Compiler {
        name: "linux_gcc",
        program: "riscv64-linux-gnu-gcc",
        rv32: GCC32,
        rv64: GCC64,
        c: peer::RISCV_GCC,
        cpp: Peer { name: "C++ of riscv64-linux-gnu-gcc", probe: || compiles_cpp("riscv64-linux-gnu-gcc", GCC64) },
    },
    Compiler {
        name: "elf_gcc",
        program: "riscv64-unknown-elf-gcc",
        rv32: GCC32,
        rv64: GCC64,
        c: peer::RISCV_ELF_GCC,
        cpp: Peer { name: "C++ of riscv64-unknown-elf-gcc", probe: || compiles_cpp("riscv64-unknown-elf-gcc", GCC64) },
    },
    Compiler {
        name: "clang",
        program: "clang",
        rv32: CLANG32,
        rv64: CLANG64,
        c: peer::CLANG_RISCV,
        cpp: Peer { name: "C++ of clang for RISC-V", probe: || compiles_cpp("clang", CLANG64) },
    },
];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for compiler in COMPILERS {
        for xlen in [Xlen::Rv32, Xlen::Rv64] {
            let name = |what: &str| format!("{}_rv{}_{what}", compiler.name, xlen.bits());
            let mut add = |what: &str, peer: Peer, test: fn(Compiler, Xlen) -> Result<(), Failed>| {
                trials.push(peer::trial(name(what), &[peer], move || test(compiler, xlen)));
            };
            add("preprocessed_asm", compiler.c, |c, x| assembly(c, x, Lang::C));
            add("plain_asm", compiler.c, |c, x| assembly(c, x, Lang::Asm));
            add("c_o0", compiler.c, |c, x| calls(c, x, &["-std=c89", "-O0"], "c"));
            add("c_o2", compiler.c, |c, x| calls(c, x, &["-std=c11", "-O2"], "c"));
            add("cpp_o0", compiler.cpp, |c, x| calls(c, x, &["-std=c++98", "-O0"], "cpp"));
            add("cpp_o2", compiler.cpp, |c, x| calls(c, x, &["-std=c++17", "-O2"], "cpp"));
        }
    }
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        trials.push(peer::trial(format!("rustc_rv{}", xlen.bits()), &[peer::RUSTC], move || rust(xlen)));
    }
    trials
}

/// A compiler for C++ makes an object for RISC-V. Not every cross compiler comes with C++.
fn compiles_cpp(program: &str, flags: &[&str]) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(dir.path().join("a.cpp"), "int a;\n").map_err(|e| e.to_string())?;
    common::run(program, &[flags, &["-c", "a.cpp"]].concat(), dir.path())
}

fn compile(compiler: Compiler, xlen: Xlen, flags: &[&str], file: &str, dir: &Path) -> Result<Code, Failed> {
    let target = if xlen == Xlen::Rv32 { compiler.rv32 } else { compiler.rv64 };
    // What is no C has no use for options of C, and clang says so.
    let target: Vec<&str> =
        target.iter().copied().filter(|f| !file.ends_with(".s") || *f != "-ffreestanding").collect();
    let pedantic: &[&str] = if file.ends_with(".s") { &[] } else { &["-pedantic"] };
    let args = [&target, flags, pedantic, &["-Wall", "-Wextra", "-Werror", "-c", file, "-o", "out.o"]].concat();
    common::run(compiler.program, &args, dir)?;
    code(&dir.join("out.o"))
}

/// The code of an object.
struct Code {
    /// All of `.text`.
    text: Vec<u32>,
    /// Function by function.
    functions: BTreeMap<String, Vec<u32>>,
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn code(path: &Path) -> Result<Code, Failed> {
    let data = std::fs::read(path)?;
    let file = object::File::parse(&*data)?;
    let section = file.section_by_name(".text").ok_or("no .text")?;
    let bytes = section.data()?;
    let mut functions = BTreeMap::new();
    for symbol in file.symbols().filter(|s| s.kind() == object::SymbolKind::Text && s.size() > 0) {
        let start = (symbol.address() - section.address()) as usize;
        let body = bytes.get(start..start + symbol.size() as usize).ok_or("symbol outside .text")?;
        functions.insert(symbol.name()?.to_owned(), words(body));
    }
    Ok(Code { text: words(bytes), functions })
}

/// What the project says that a line of assembly is: the one place where the expected words come from.
fn assemble(line: &Line<'_>, profile: &Profile, xlen: Xlen) -> Vec<u32> {
    match *line {
        Line::Generic(op, rd, rs1, rs2) => vec![profile.encode(op, rd, rs1, rs2)],
        Line::Open(rd, interface, dev, rs2) => {
            let uuid = interface.uuid.and_then(|u| u.value).expect("a number");
            let mut out = li(rd, id_word(uuid, dev, xlen), xlen);
            out.push(profile.encode(GenericInst::Xext(0), rd, rd, rs2));
            out
        }
    }
}

enum Line<'a> {
    Generic(GenericInst, u32, u32, u32),
    Open(u32, &'a Interface, u64, u32),
}

/// `lui` and, for a device number, `addi` (`addiw` on RV64) of the rounded rest.
fn li(rd: u32, value: u64, xlen: Xlen) -> Vec<u32> {
    let low = (value & 0xfff) as u32;
    let upper = (value.wrapping_add(0x800) >> 12) as u32 & 0xf_ffff;
    let mut out = vec![upper << 12 | rd << 7 | 0x37];
    if low != 0 {
        let opcode = if xlen == Xlen::Rv32 { 0x13 } else { 0x1b };
        out.push(low << 20 | rd << 15 | rd << 7 | opcode);
    }
    out
}

/// Every command, every profile, and opening handles, in assembly.
fn assembly(compiler: Compiler, xlen: Xlen, lang: Lang) -> Result<(), Failed> {
    let set = common::interfaces(&["example.xintf"]);
    let own: Vec<&Interface> = set.interfaces().collect();
    for profile in profile::builtin() {
        let dir = tempfile::tempdir()?;
        let (include, file) =
            if lang == Lang::C { ("#include \"intf.h\"", "t.S") } else { (".include \"intf.inc\"", "t.s") };
        let target = if lang == Lang::C { "intf.h" } else { "intf.inc" };
        std::fs::write(dir.path().join(target), header(&own, &profile, lang))?;
        let call = |name: &str, args: &str| match lang {
            Lang::C => format!("{name}({args})\n"),
            _ => format!("{name} {args}\n"),
        };
        let (mut text, mut expected) = (format!("{include}\n.text\n"), Vec::new());
        let mut emit = |line: Line<'_>| expected.extend(assemble(&line, &profile, xlen));
        for (n, name) in ["xext", "xext0", "xextm1"].into_iter().enumerate() {
            text += &call(name, "a0, x31, zero");
            emit(Line::Generic(GenericInst::Xext(n as u32), 10, 31, 0));
        }
        for interface in &own {
            let base = isaglot_xintf::name::mangle(&interface.name.text);
            for (i, command) in interface.commands.iter().enumerate() {
                let i = i as u32;
                text += &call(&format!("{base}__{}", command.name), &format!("x{}, x{}, x{}", 5 + i, 28 - i, 17 + i));
                let (a, b) = if command.swapped { (17 + i, 28 - i) } else { (28 - i, 17 + i) };
                emit(Line::Generic(GenericInst::Xcmd(command.k.expect("a number")), 5 + i, a, b));
            }
            // Interface 0 is no `lui`.
            if interface.uuid.and_then(|u| u.value) == Some(0) {
                continue;
            }
            for dev in [0, 1, 2047, 2048, 4095] {
                if lang == Lang::C {
                    text += &call("xext_open", &format!("t0, {base}, {dev}, a1"));
                } else {
                    text += &format!("li t0, {base}__id_ + {dev}\nxext t0, t0, a1\n");
                }
                emit(Line::Open(5, interface, dev, 11));
            }
        }
        std::fs::write(dir.path().join(file), &text)?;
        let made = compile(compiler, xlen, &[], file, dir.path())?;
        if made.text != expected {
            let first = made.text.iter().zip(&expected).position(|(a, b)| a != b);
            return Err(format!(
                "{}: {} words, expected {}; first difference {first:?}\n{text}",
                profile.name,
                made.text.len(),
                expected.len()
            )
            .into());
        }
    }
    Ok(())
}

/// The generic instructions among some words.
fn generic(profile: &Profile, words: &[u32]) -> Vec<GenericInst> {
    words.iter().filter_map(|&w| profile.decode(w, 16)).collect()
}

const RET: u32 = 0x0000_8067;

const CALLS: &str = "
#ifdef __cplusplus
extern \"C\" {
#endif
xext_word one(xext_word h, xext_word x) { return acme_audio__Mixer__rotate(h, x); }
xext_word swapped(xext_word a, xext_word b) { return acme_audio__Mixer__flip(a, b); }
xext_word chain(xext_word x)
{
    xext_word h = xext_open(acme_audio__Mixer, 0, 0);
    return acme_audio__Mixer__rotate(h, acme_audio__Mixer__flip(x, acme_audio__Mixer__rotate(h, x)));
}
xext_word two(xext_word x)
{
    xext_word a = acme_audio__Mixer__rotate(xext_open(acme_audio__Mixer, 0, 0), x);
    xext_word b = acme_audio__Mixer__rotate(xext_open(acme_audio__Mixer, 0, 0), a);
    return a ^ b;
}
xext_word again(xext_word h, xext_word x) { return acme_audio__Mixer__gain(h, x) - acme_audio__Mixer__gain(h, x); }
void forced(xext_word h, xext_word x) { acme_audio__Mixer__rotate(h, x); }
xext_word high(xext_word x) { return xext_open(acme_audio__Filter__Low_pass, 4095, x); }
int fine(xext_word h) { return xext_ok(xext0(xext_id(acme__Edge, 1), h)) && xext_ok(xextm1(h, 1)); }
#ifdef __cplusplus
}
#endif
";

/// C and C++ functions: at -O2 whole functions are known, at -O0 every wrapper is one generic instruction.
fn calls(compiler: Compiler, xlen: Xlen, flags: &[&str], ext: &str) -> Result<(), Failed> {
    let set = common::interfaces(&["example.xintf"]);
    let own: Vec<&Interface> = set.interfaces().collect();
    for profile in profile::builtin() {
        let dir = tempfile::tempdir()?;
        std::fs::write(dir.path().join("intf.h"), header(&own, &profile, Lang::C))?;
        let file = format!("t.{ext}");
        // Twice, as through two other headers.
        std::fs::write(dir.path().join(&file), format!("#include \"intf.h\"\n#include \"intf.h\"\n{CALLS}"))?;
        let made = compile(compiler, xlen, flags, &file, dir.path())?;
        let body = |name: &str| made.functions.get(name).ok_or_else(|| Failed::from(format!("no function {name}")));
        let rotate = GenericInst::Xcmd(1);
        if flags.contains(&"-O2") {
            let exact: [(&str, Vec<u32>); 4] = [
                ("one", vec![profile.encode(rotate, 10, 10, 11), RET]),
                ("swapped", vec![profile.encode(GenericInst::Xcmd(7), 10, 11, 10), RET]),
                ("forced", vec![profile.encode(rotate, 10, 10, 11), RET]),
                (
                    "high",
                    [
                        li(15, id_word(0xBCDEF, 4095, xlen), xlen),
                        vec![profile.encode(GenericInst::Xext(0), 10, 15, 10), RET],
                    ]
                    .concat(),
                ),
            ];
            for (name, expected) in exact {
                // The compiler is free in its choice of scratch registers.
                let found: Vec<u32> = body(name)?.iter().map(|&w| if name == "high" { blur(w) } else { w }).collect();
                let wanted: Vec<u32> = expected.iter().map(|&w| if name == "high" { blur(w) } else { w }).collect();
                // A result that is not used may go to any register.
                let same = if name == "forced" { generic(&profile, &found) == [rotate] } else { found == wanted };
                if !same {
                    return Err(format!("{}: {name}: {found:08x?}, expected {wanted:08x?}", profile.name).into());
                }
            }
            let ops: [(&str, Vec<GenericInst>); 4] = [
                ("chain", vec![GenericInst::Xext(0), rotate, GenericInst::Xcmd(7), rotate]),
                // Two calls through one handle cost one xext.
                ("two", vec![GenericInst::Xext(0), rotate, rotate]),
                ("again", vec![]),
                ("fine", vec![GenericInst::Xext(1), GenericInst::Xext(2)]),
            ];
            for (name, expected) in ops {
                let mut found = generic(&profile, body(name)?);
                // Equal pure calls may be merged, and their difference is then 0.
                if name == "again" && found.len() == 1 {
                    found.clear();
                }
                if found != expected {
                    return Err(format!("{}: {name}: {found:?}, expected {expected:?}", profile.name).into());
                }
            }
            // lui, xext, three commands, ret.
            if body("chain")?.len() != 6 {
                return Err(format!("{}: chain: {:08x?}", profile.name, body("chain")?).into());
            }
        } else {
            let mut seen = 0;
            for interface in &own {
                for command in &interface.commands {
                    let name = format!("{}__{}", isaglot_xintf::name::mangle(&interface.name.text), command.name);
                    // C++ decorates the name.
                    let function = made.functions.iter().find(|(n, _)| **n == name || n.contains(&format!("{name}mm")));
                    let Some((_, body)) = function else { continue };
                    seen += 1;
                    let expected = [GenericInst::Xcmd(command.k.expect("a number"))];
                    if generic(&profile, body) != expected {
                        return Err(format!("{}: {name}: {body:08x?}", profile.name).into());
                    }
                }
            }
            if seen < 3 {
                return Err(format!("only {seen} wrappers found").into());
            }
        }
    }
    Ok(())
}

/// A word without its register fields, except for the opcode and an immediate.
fn blur(word: u32) -> u32 {
    match word & 0x7f {
        0x37 => word & !0xf80,
        // Away from the sign boundary `addi` does as well as `addiw`.
        0x13 | 0x1b => word & !0xf_8f80 | 8,
        _ if word == RET => word,
        _ => word & profile::R_TYPE_MASK,
    }
}

/// Just enough of a core library for the generated module, since stable compilers come without one for RISC-V.
const MINICORE: &str = "
#![feature(no_core, lang_items, rustc_attrs, decl_macro)]
#![no_core]
#![allow(internal_features, dead_code)]
#[lang = \"pointee_sized\"] pub trait PointeeSized {}
#[lang = \"meta_sized\"] pub trait MetaSized: PointeeSized {}
#[lang = \"sized\"] pub trait Sized: MetaSized {}
#[lang = \"copy\"] pub trait Copy {}
#[lang = \"legacy_receiver\"] pub trait LegacyReceiver {}
impl<T: ?Sized> LegacyReceiver for &T {}
impl Copy for usize {}
impl Copy for u64 {}
impl Copy for bool {}
#[lang = \"bitor\"] pub trait BitOr<Rhs = Self> { type Output; fn bitor(self, rhs: Rhs) -> Self::Output; }
impl BitOr for usize { type Output = usize; fn bitor(self, rhs: usize) -> usize { self | rhs } }
#[lang = \"partial_ord\"] pub trait PartialOrd<Rhs = Self> {
    fn lt(&self, o: &Rhs) -> bool; fn le(&self, o: &Rhs) -> bool;
    fn gt(&self, o: &Rhs) -> bool; fn ge(&self, o: &Rhs) -> bool;
}
impl PartialOrd for usize {
    fn lt(&self, o: &usize) -> bool { *self < *o } fn le(&self, o: &usize) -> bool { *self <= *o }
    fn gt(&self, o: &usize) -> bool { *self > *o } fn ge(&self, o: &usize) -> bool { *self >= *o }
}
pub mod arch {
    #[rustc_builtin_macro] pub macro asm(\"assembly template\", $(operands,)* $(options($(option),*))?) {}
}
pub mod prelude { pub mod v1 { pub use crate::{Copy, Sized}; } }
";

const RUST_CALLS: &str = "
#![feature(no_core)]
#![no_core]
#![no_std]
extern crate core;
mod intf;
use intf::*;
#[unsafe(no_mangle)]
pub extern \"C\" fn one(h: usize, x: usize) -> usize { acme_audio__Mixer__rotate(h, x) }
#[unsafe(no_mangle)]
pub extern \"C\" fn swapped(a: usize, b: usize) -> usize { acme_audio__Mixer__flip(a, b) }
#[unsafe(no_mangle)]
pub extern \"C\" fn two(x: usize) -> usize {
    let a = acme_audio__Mixer__rotate(xext(acme_audio__Mixer__id_, 0), x);
    acme_audio__Mixer__rotate(xext(acme_audio__Mixer__id_, 0), a)
}
";

fn rust(xlen: Xlen) -> Result<(), Failed> {
    let set = common::interfaces(&["example.xintf"]);
    let own: Vec<&Interface> = set.interfaces().collect();
    let target = if xlen == Xlen::Rv32 { "riscv32i-unknown-none-elf" } else { "riscv64gc-unknown-none-elf" };
    for profile in profile::builtin() {
        let dir = tempfile::tempdir()?;
        std::fs::write(dir.path().join("core.rs"), MINICORE)?;
        std::fs::write(dir.path().join("intf.rs"), header(&own, &profile, Lang::Rust))?;
        std::fs::write(dir.path().join("t.rs"), RUST_CALLS)?;
        let rustc = |args: &[&str]| -> Result<(), Failed> {
            let all = [
                &["--edition=2024", "--target", target, "-Cpanic=abort", "-Copt-level=2", "-Ctarget-feature=-c"],
                args,
            ]
            .concat();
            let mut rustc = std::process::Command::new("rustc");
            let out = rustc.args(&all).current_dir(dir.path()).env("RUSTC_BOOTSTRAP", "1").output()?;
            if out.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned().into()) }
        };
        rustc(&["--crate-type=rlib", "--crate-name=core", "core.rs"])?;
        rustc(&["--crate-type=lib", "--emit=obj", "-o", "out.o", "--extern", "core=libcore.rlib", "t.rs"])?;
        let data = std::fs::read(dir.path().join("out.o"))?;
        let file = object::File::parse(&*data)?;
        // The RV64 target has compressed instructions.
        let body = |name: &str| -> Result<Vec<u32>, Failed> {
            let symbol = file.symbols().find(|s| s.name() == Ok(name)).ok_or(format!("no {name}"))?;
            let section = file.section_by_index(symbol.section_index().ok_or("no section")?)?;
            let start = symbol.address() as usize;
            let bytes = section.data()?.get(start..start + symbol.size() as usize).ok_or("outside")?;
            let (mut out, mut at) = (Vec::new(), 0);
            while let Some(&[a, b]) = bytes.get(at..at + 2) {
                let short = u32::from(u16::from_le_bytes([a, b]));
                match bytes.get(at..at + 4) {
                    Some(long) if short & 3 == 3 => out.extend(words(long)),
                    _ => out.push(if short == 0x8082 { RET } else { short }),
                }
                at += if short & 3 == 3 { 4 } else { 2 };
            }
            Ok(out)
        };
        let one = body("one")?;
        if one != [profile.encode(GenericInst::Xcmd(1), 10, 10, 11), RET] {
            return Err(format!("{}: one: {one:08x?}", profile.name).into());
        }
        let swapped = body("swapped")?;
        if swapped != [profile.encode(GenericInst::Xcmd(7), 10, 11, 10), RET] {
            return Err(format!("{}: swapped: {swapped:08x?}", profile.name).into());
        }
        let two = generic(&profile, &body("two")?);
        if two != [GenericInst::Xext(0), GenericInst::Xcmd(1), GenericInst::Xcmd(1)] {
            return Err(format!("{}: two: {two:?}", profile.name).into());
        }
    }
    Ok(())
}
