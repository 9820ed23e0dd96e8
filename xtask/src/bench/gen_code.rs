//! Generated code: making it, compiling it, and what it does with the streams of [`super::isaspec`], beside the engine.
//!
//! The programs are the drivers of the tests of `crates/emit`, with the codecs that `isaglot gen` writes.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Row;
use super::isaspec::{COUNT, stream};

/// Description, gen.
const SETS: &[(&str, u32)] = &[("ir3", 600), ("afuc", 7), ("etnaviv", 0)];

/// How often a stream is decoded where it is not printed.
const REPEAT: u64 = 50;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let corpus = super::corpus()?.join("isaspec");
    let dir = super::folder()?;
    let isaglot = super::program().display().to_string();
    let rustc = sysroot()?.join("bin/rustc").display().to_string();
    let mut rows = Vec::new();
    for &(isa, generation) in SETS {
        let spec = corpus.join(format!("xml/{isa}/{isa}.xml")).display().to_string();
        let input = stream(isa, generation)?.display().to_string();
        let (gen_, repeat) = (generation.to_string(), REPEAT.to_string());
        let engine = vec![
            isaglot.clone(),
            "disasm".into(),
            "--spec".into(),
            spec.clone(),
            "--gen".into(),
            gen_.clone(),
            input.clone(),
        ];
        for mode in ["--switch", "--tables"] {
            for language in ["rust", "c"] {
                let out = dir.join(format!("gen.{isa}.{language}{mode}"));
                let name = format!("{isa} gen {generation}, {language} {mode}");
                let naming = if language == "c" { "--prefix" } else { "--name" };
                let make: Vec<String> =
                    ["gen", language, "--spec", &spec, "--gen", &gen_, mode, naming, "isaglot", "-o"]
                        .iter()
                        .map(|s| (*s).to_owned())
                        .chain([out.display().to_string()])
                        .collect();
                execute(Command::new(&isaglot).args(&make))?;
                let size = size(&out)?;
                let program = out.join("driver");
                let row = |what: &str, args: Vec<String>, units, count, peer| {
                    rows.push(Row { name: format!("{name}: {what}"), args, units, count, peer });
                };
                let mut row = row;
                row(&format!("writing {} bytes, the longest file {} lines", size.0, size.1), make, 1, true, None);
                if language == "rust" {
                    let lib =
                        ["--edition", "2024", "-C", "opt-level=3", "--crate-name", "isaglot", "--crate-type", "lib"];
                    let library = out.join("libisaglot.rlib").display().to_string();
                    let source = out.join("src/lib.rs").display().to_string();
                    let compile: Vec<String> =
                        lib.iter().map(|s| (*s).to_owned()).chain(["-o".to_owned(), library.clone(), source]).collect();
                    execute(Command::new(&rustc).args(&compile))?;
                    row("compiling", [vec![rustc.clone()], compile].concat(), 1, false, None);
                    let driver = crate::root().join("crates/emit/tests/rust/driver.rs");
                    let link = format!("isaglot={library}");
                    execute(
                        Command::new(&rustc)
                            .args(["--edition", "2024", "-C", "opt-level=3", "--extern", &link])
                            .args([driver.as_os_str(), "-o".as_ref(), program.as_os_str()]),
                    )?;
                } else {
                    let driver = crate::root().join("crates/emit/tests/c/driver.c");
                    execute(
                        Command::new("gcc")
                            .args(["-std=c11", "-O2", "-I"])
                            .args([out.as_os_str(), driver.as_os_str(), out.join("isaglot.c").as_os_str()])
                            .args(["-o".as_ref(), program.as_os_str()]),
                    )?;
                }
                let program = program.display().to_string();
                row("disassembly", vec![program.clone(), input.clone()], COUNT, true, Some(engine.clone()));
                row(
                    "decoding alone",
                    vec![program, "-d".into(), repeat.clone(), input.clone()],
                    REPEAT * COUNT,
                    false,
                    None,
                );
            }
        }
    }
    Ok(rows)
}

/// Where rustc is, without rustup before it.
fn sysroot() -> Result<PathBuf, String> {
    let out =
        Command::new("rustc").args(["--print", "sysroot"]).output().map_err(|e| format!("cannot run rustc: {e}"))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&out.stdout).trim()))
}

fn execute(command: &mut Command) -> Result<(), String> {
    let done = command.status().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    if done.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}

/// Bytes of all sources of a folder, and lines of the longest.
fn size(folder: &Path) -> Result<(u64, usize), String> {
    let error = |e: std::io::Error| format!("{}: {e}", folder.display());
    let (mut bytes, mut lines) = (0, 0);
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.is_dir() {
            let inside = size(&path)?;
            (bytes, lines) = (bytes + inside.0, lines.max(inside.1));
        } else if path.extension().is_some_and(|e| ["rs", "c", "h"].iter().any(|known| e == *known)) {
            let text = std::fs::read_to_string(&path).map_err(error)?;
            (bytes, lines) = (bytes + text.len() as u64, lines.max(text.lines().count()));
        }
    }
    Ok((bytes, lines))
}
