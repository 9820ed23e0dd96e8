//! The isaspec outputs on descriptions of our own: data unpacked and packed again, in C and in Rust, and what is refused.
//!
//! `BLESS=1` writes what is expected anew.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_asm::{Options as Printing, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_emit::isaspec::{self, Options};
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_testing::{Failed, Trial, bless, corpus, peer, suite};
use support::{COMPILERS, SANITIZE, STRICT, WARNINGS, compile, load, run, said, write};

const TINY: Options<'static> = Options {
    prefix: "tiny",
    stamp: "for a test",
    command: "",
    mesa26: false,
    small: false,
    header: None,
    features: &[],
};

/// Words that are tried, per gen.
const WORDS: usize = 40_000;

fn main() {
    let mut trials = vec![Trial::test("refused", refused)];
    for (compiler, present) in COMPILERS {
        trials.push(peer::trial(format!("tiny_{compiler}"), &[present, peer::RUSTC], move || tiny(compiler)));
    }
    trials.push(peer::trial("gens", &[peer::GCC_SANITIZERS], gens));
    trials.push(peer::trial("beside_each_other", &[peer::GCC_SANITIZERS], beside));
    suite::run(trials)
}

/// Gens that differ by comparisons, by ranges, and by any number.
fn gens() -> Result<(), Failed> {
    let isa = load(&here("tiny/gens.xml"))?;
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let mut out = Diagnostics::new();
    let options = Options { prefix: "gens", ..TINY };
    write(
        &isaspec::c(&isa, &isaspec::parts(&isa), &options, &mut out).ok_or_else(|| format!("{out:?}"))?,
        folder.path(),
    )?;
    let driver = include_str!("driver/stub/disasm.c");
    std::fs::write(at("main.c"), format!("#include \"gens-isa.h\"\n#define PREFIX gens\n#define WORDS 1\n{driver}"))?;
    compile("gcc", &[WARNINGS, STRICT, SANITIZE], &[&at("main.c"), &at("gens-isa.c")], &at("main"))?;
    let bytes = [0x12, 0, 0, 0, 0x12, 0, 0, 1];
    for generation in [0, 4, 5, 7, 8, 9, 100, 599, 600, 601, 799, u32::MAX] {
        let plan = Plan::new(&isa, generation);
        let mut want = Vec::new();
        Stream::new(&plan, Printing::default(), 0).feed(&bytes, &mut Plain, &mut want);
        let got = run(&at("main"), &["-g", &generation.to_string()], &bytes)?;
        if got != want {
            let (got, want) = (String::from_utf8_lossy(&got), String::from_utf8_lossy(&want));
            return Err(format!("gen {generation}: {got}instead of\n{want}").into());
        }
    }
    Ok(())
}

/// Two sets in one program, their headers in one file.
fn beside() -> Result<(), Failed> {
    let isa = load(&here("tiny/tiny.xml"))?;
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    for prefix in ["one", "two"] {
        let mut out = Diagnostics::new();
        let files = isaspec::c(&isa, &isaspec::parts(&isa), &Options { prefix, ..TINY }, &mut out)
            .ok_or_else(|| format!("{out:?}"))?;
        write(&files, folder.path())?;
    }
    let program = "#include \"one-isa.h\"\n#include \"two-isa.h\"\n\nint\nmain(void)\n{\n   uint32_t word = 0x01000443;\n\n\
                   \x20  one_isa_disasm(&word, 4, stdout, NULL);\n   two_isa_disasm(&word, 4, stdout, NULL);\n   return 0;\n}\n";
    std::fs::write(at("main.c"), program)?;
    compile("gcc", &[WARNINGS, STRICT, SANITIZE], &[&at("main.c"), &at("one-isa.c"), &at("two-isa.c")], &at("main"))?;
    let text = String::from_utf8(run(&at("main"), &[], &[])?)?;
    if text == "add 3, 2, 1\nadd 3, 2, 1\n" { Ok(()) } else { Err(text.into()) }
}

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver").join(name)
}

/// Every word that is an instruction is unpacked to data from which C and Rust pack the same word.
fn tiny(compiler: &str) -> Result<(), Failed> {
    let isa = load(&here("tiny/tiny.xml"))?;
    let folder = tempfile::tempdir()?;
    let mut out = Diagnostics::new();
    let files = isaspec::c(&isa, &isaspec::parts(&isa), &TINY, &mut out).ok_or_else(|| format!("{out:?}"))?;
    let module = isaspec::encode_module(&isa, "for a test", &[], &mut out).ok_or_else(|| format!("{out:?}"))?;
    write(&files, folder.path())?;
    let at = |name: &str| folder.path().join(name);
    std::fs::copy(here("tiny/main.c"), at("main.c"))?;
    std::fs::copy(here("tiny/main.rs"), at("main.rs"))?;
    std::fs::write(at(&module.name), module.text)?;
    compile(compiler, &[WARNINGS, SANITIZE], &[&at("main.c"), &at("tiny-isa.c")], &at("c"))?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut made = Command::new(rustc);
    made.args(["--edition", "2024", "-D", "warnings", "-O", "-o"]).args([at("rust"), at("main.rs")]);
    let warnings = said(&mut made)?;
    if !warnings.is_empty() {
        return Err(warnings.into());
    }
    for generation in [1, 2] {
        let plan = Plan::new(&isa, generation);
        let (mut bytes, mut wanted) = (Vec::new(), 0);
        let words = isaglot_testing::rounds(WORDS) as u32;
        for i in 0..words {
            // Opcodes often, everything else at random.
            let mixed = u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(i) << 21;
            let opcode = [1, 2, 3, 0x23, 4, 5, 6][i as usize % 7];
            let word = (mixed >> 17) as u32 & 0xc0ff_ffff | opcode << 24;
            bytes.extend(if i % 5 == 0 && opcode < 4 { word & !0x3f_8000 } else { word }.to_le_bytes());
        }
        let name = generation.to_string();
        let from_c = String::from_utf8(run(&at("c"), &[&name], &bytes)?)?;
        let from_rust = String::from_utf8(run(&at("rust"), &[&name], from_c.as_bytes())?)?;
        let mut packed = from_rust.lines();
        for (word, line) in bytes.chunks_exact(4).zip(from_c.lines()) {
            let mut text = Vec::new();
            Stream::new(&plan, Printing::default(), 0).feed(word, &mut Plain, &mut text);
            let text = String::from_utf8_lossy(&text).into_owned();
            let hex: String = word.iter().rev().map(|b| format!("{b:02x}")).collect();
            if text.contains("no match") || text.contains("\t;") {
                if line != "none" {
                    return Err(format!("{hex}: {line} from `{text}`").into());
                }
                continue;
            }
            wanted += 1;
            let again = packed.next().unwrap_or("nothing");
            if !line.ends_with(&hex) || again != hex {
                return Err(format!("{hex}: {line}, {again} in Rust, from `{text}`").into());
            }
        }
        println!("tiny gen {generation} {compiler}: {wanted} of {words} words are instructions and come back");
        if wanted < words / 4 || from_c.lines().count() != words as usize {
            return Err("too few".into());
        }
    }
    // A value that does not fit gives no word.
    let error = String::from_utf8(run(&at("rust"), &["2"], b"0 0 40 0 0 0 0 0 0\n0 0 1 1 0 1 0 4096 0\n")?)?;
    let want = "40 does not fit field `NUM`\n4096 does not fit field `IMM`\n";
    if error == want { Ok(()) } else { Err(error.into()) }
}

/// What cannot be written is said, with its place, and nothing comes of it.
fn refused() -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for path in &bless::cases(&here("bad"), ".xml") {
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let name = corpus::name(path);
        let isa =
            isaglot_isaspec::load(&mut files, &name, &mut |_| std::fs::read(path).map_err(|e| e.to_string()), &mut out);
        let written = match &isa {
            None => false,
            Some(isa) if name.ends_with(".rust.xml") => isaspec::encode_module(isa, "", &[], &mut out).is_some(),
            Some(isa) => isaspec::c(isa, &isaspec::parts(isa), &TINY, &mut out).is_some(),
        };
        let got: String = out.iter().map(|d| render::text(&files, d, false)).collect();
        wrong.extend(bless::golden(&path.with_extension("txt"), &got).err());
        if written {
            wrong.push(format!("{name}: files are written"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
