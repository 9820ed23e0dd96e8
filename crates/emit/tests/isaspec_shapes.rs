//! Programs that use what is generated for drivers, one for each way of using it: they compile without a warning, in C11
//! with gcc and clang and, where they are C++, in C++17; and they print what is expected.
//!
//! A new shape is a file in `driver/shapes`: `NAME.c` or `NAME.cc`, with what it prints in `NAME.txt` (`BLESS=1` writes it
//! anew). Its folder has a driver's own headers; the generated files of all descriptions there are on its path.

mod support;

use std::path::{Path, PathBuf};

use isaglot_emit::isaspec::{self, Options, Part};
use isaglot_source::Diagnostics;
use isaglot_testing::{Failed, Trial, bless, corpus, peer, suite};
use support::{SANITIZE, load, run, said, write};

/// Warnings that are errors. The last ones are for C alone.
const WARNINGS: &[&str] = &["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wpointer-arith", "-Wvla", "-g1"];
const OF_C: &[&str] = &[
    "-std=c11",
    "-Wstrict-prototypes",
    "-Wmissing-prototypes",
    "-Wold-style-definition",
    "-Wincompatible-pointer-types",
    "-Wint-conversion",
    "-Wimplicit-function-declaration",
];

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver/shapes")
}

fn main() {
    let mut trials = Vec::new();
    for (compiler, plus, present) in [
        ("gcc", "g++", [peer::GCC_SANITIZERS, peer::GXX]),
        ("clang", "clang++", [peer::CLANG_SANITIZERS, peer::CLANGXX]),
    ] {
        for small in [false, true] {
            // The tables differ, the interfaces do not: one compiler is enough for both forms.
            if small && compiler == "clang" {
                continue;
            }
            let name = format!("shapes_{compiler}{}", if small { "_small" } else { "" });
            trials.push(peer::trial(name, &present, move || shapes((compiler, plus), small)));
        }
    }
    trials.push(Trial::test("small_is_smaller", small_is_smaller));
    suite::run(trials)
}

/// Writes everything that the descriptions give; the sources of disassemblers.
fn generate(folder: &Path, small: bool) -> Result<Vec<PathBuf>, Failed> {
    let mut sources = Vec::new();
    for path in bless::cases(&here(), ".xml") {
        let isa = load(&path)?;
        let prefix = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let features = isaspec::default_features(&isa);
        let options = Options {
            prefix: &prefix,
            stamp: "for a test",
            command: "",
            mesa26: false,
            small,
            header: None,
            features: &features,
        };
        let mut parts = isaspec::parts(&isa);
        if prefix == "crab" {
            parts.push(Part::Enums);
        }
        let mut out = Diagnostics::new();
        write(&isaspec::c(&isa, &parts, &options, &mut out).ok_or_else(|| format!("{out:?}"))?, folder)?;
        sources.push(folder.join(format!("{prefix}-isa.c")));
    }
    Ok(sources)
}

/// Compiles a file to an object beside the generated ones, without a warning.
fn object(compiler: &str, flags: &[&str], file: &Path, folder: &Path) -> Result<PathBuf, Failed> {
    let to = folder.join(format!("{}.o", corpus::name(file)));
    let mut command = std::process::Command::new(compiler);
    command.args(WARNINGS).args(SANITIZE).args(flags).arg("-I").arg(folder).arg("-I").arg(here());
    let said = said(command.arg("-c").arg(file).arg("-o").arg(&to))?;
    if said.is_empty() { Ok(to) } else { Err(format!("{compiler}:\n{said}").into()) }
}

fn shapes((compiler, plus): (&str, &str), small: bool) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let folder = scratch.path();
    let mut objects = vec![object(compiler, OF_C, &here().join("isaspec.c"), folder)?];
    for source in generate(folder, small)? {
        objects.push(object(compiler, &[OF_C, &["-Wconversion"]].concat(), &source, folder)?);
    }
    let mut wrong = Vec::new();
    let mut files = bless::cases(&here(), ".c");
    files.retain(|file| !file.ends_with("isaspec.c"));
    files.extend(bless::cases(&here(), ".cc"));
    for file in &files {
        if let Err(e) = shape((compiler, plus), file, &objects, folder) {
            wrong.push(format!("{}: {}", corpus::name(file), e.message().unwrap_or("it failed")));
        }
    }
    println!("{} shapes with {compiler}", files.len());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn shape((compiler, plus): (&str, &str), file: &Path, objects: &[PathBuf], folder: &Path) -> Result<(), Failed> {
    let is_plus = file.extension().is_some_and(|end| end == "cc");
    let (tool, standard) = if is_plus { (plus, &["-std=c++17"][..]) } else { (compiler, OF_C) };
    let text = std::fs::read_to_string(file)?;
    let more = text.lines().next().and_then(|line| line.strip_prefix("/* flags: "));
    let more: Vec<&str> = more.into_iter().flat_map(str::split_whitespace).collect();
    let made = object(tool, &[standard, &more].concat(), file, folder)?;
    let program = folder.join("program");
    said(std::process::Command::new(plus).args(SANITIZE).arg(made).args(objects).arg("-o").arg(&program))?;
    let printed = String::from_utf8(run(&program, &[], &[])?)?;
    Ok(bless::golden(&file.with_extension("txt"), &printed)?)
}

/// The small form of a description has fewer finished texts and no more steps than it needs.
fn small_is_smaller() -> Result<(), Failed> {
    let (large, small) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let size = |sources: Vec<PathBuf>| -> Result<u64, Failed> {
        let sizes: Result<Vec<u64>, _> = sources.iter().map(|path| std::fs::metadata(path).map(|m| m.len())).collect();
        Ok(sizes?.iter().sum())
    };
    let (large, small) = (size(generate(large.path(), false)?)?, size(generate(small.path(), true)?)?);
    println!("{small} bytes of source instead of {large}");
    if small < large { Ok(()) } else { Err("the small form is not smaller".into()) }
}
