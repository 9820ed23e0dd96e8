//! What the tests of the isaspec outputs share: the corpus, compilers, and data for packers.

#![allow(dead_code)]

pub(crate) mod fill;
pub(crate) mod map;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap, render};
use libtest_mimic::Failed;

/// How everything generated is compiled.
pub(crate) const WARNINGS: &[&str] = &["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-g1"];

/// What is also asked of C that has no text of a driver in it.
pub(crate) const STRICT: &[&str] = &["-Wconversion"];

/// What a program is watched for.
pub(crate) const SANITIZE: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// The corpus: `Err` with its place if it is not there.
pub(crate) fn corpus() -> Result<PathBuf, PathBuf> {
    let root = match std::env::var_os("ISAGLOT_CORPUS") {
        // What is named must be there: its cases fail otherwise.
        Some(path) => return Ok(PathBuf::from(path).join("isaspec")),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let path = root.join("isaspec");
    if path.is_dir() { Ok(path) } else { Err(path) }
}

/// Whether a compiler is installed, or has to be: with `ISAGLOT_REQUIRE_PEERS` a missing one is a failure.
pub(crate) fn has(compiler: &str) -> bool {
    std::env::var_os("ISAGLOT_REQUIRE_PEERS").is_some_and(|v| v == "1")
        || Command::new(compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

pub(crate) fn load(path: &Path) -> Result<Isa, Failed> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let top = path.to_string_lossy();
    let isa = isaglot_isaspec::load(&mut files, &top, &mut |p| std::fs::read(p).map_err(|e| e.to_string()), &mut out);
    isa.ok_or_else(|| out.iter().map(|d| render::text(&files, d, false)).collect::<String>().into())
}

/// A description given as text.
pub(crate) fn parse(xml: &str) -> (SourceMap, Result<Isa, String>) {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let isa = isaglot_isaspec::load(&mut files, "spec.xml", &mut |_| Ok(xml.as_bytes().to_vec()), &mut out);
    let said = isa.ok_or_else(|| out.iter().map(|d| render::text(&files, d, false)).collect());
    (files, said)
}

pub(crate) fn unpack(path: &Path) -> Result<Vec<u8>, Failed> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path)?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Compiles C files to a program.
pub(crate) fn compile(compiler: &str, flags: &[&[&str]], files: &[&Path], to: &Path) -> Result<(), Failed> {
    let out = Command::new(compiler).args(flags.concat()).args(files).arg("-o").arg(to).output()?;
    if out.status.success() && out.stderr.is_empty() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&out.stderr);
    Err(format!("{compiler}:\n{}", text.lines().take(60).collect::<Vec<_>>().join("\n")).into())
}

/// Runs a program on some input and gives what it prints.
pub(crate) fn run(program: &Path, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, Failed> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let out = child.wait_with_output()?;
    let fed = feeder.join();
    if !out.status.success() {
        let text = String::from_utf8_lossy(&out.stderr);
        return Err(format!("{}: {}\n{text}", program.display(), out.status).into());
    }
    fed.map_err(|_| "the input was not written")??;
    Ok(out.stdout)
}

/// Writes generated files to a folder.
pub(crate) fn write(files: &[isaglot_emit::files::File], folder: &Path) -> std::io::Result<()> {
    files.iter().try_for_each(|file| {
        let target = folder.join(&file.name);
        std::fs::create_dir_all(target.parent().unwrap_or(folder))?;
        std::fs::write(target, &file.text)
    })
}
