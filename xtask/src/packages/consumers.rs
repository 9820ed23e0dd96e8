//! The programs of `examples/depend`, built from unpacked packages in a folder outside of this workspace.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Package, cargo, target};
use crate::root;

/// The programs.
const PROGRAMS: [&str; 4] = ["assemble-riscv", "assemble-spirv", "disassemble-ir3", "tablegen-records"];

/// The program of ours: built, too, so that every package is.
const CLI: &str = "isaglot-cli";

/// Builds the programs and runs them. `there` has the unpacked packages.
pub(super) fn run(packages: &[Package], there: &Path) -> Result<(), String> {
    let folder = there.join("depend");
    let from = root().join("examples/depend");
    copy(&from, &folder).map_err(|e| format!("{}: {e}", from.display()))?;
    // The versions of others' crates that this workspace is tested with. Cargo drops what is not used.
    let lock = std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"));
    lock.map_err(|e| format!("Cargo.lock: {e}"))?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, text)).map_err(|e| format!("{}: {e}", path.display()))
    };
    let mut patch = String::from("[patch.crates-io]\n");
    for package in packages {
        let path = there.join(package.stem());
        let _ = writeln!(patch, "{} = {{ path = '{}' }}", package.name, path.display());
    }
    // The same profile as the workspace's, so that the crates of others are not built again.
    patch.push_str("[profile.dev]\ndebug = 0\nincremental = false\n");
    write(".cargo/config.toml", &patch)?;

    let mut build = Command::new("cargo");
    build.args(["build", "--offline", "--workspace", "--quiet"]).current_dir(&folder).env("CARGO_TARGET_DIR", target());
    cargo(&mut build)?;
    let bless = std::env::var_os("BLESS").is_some();
    for program in PROGRAMS {
        let expected = from.join(program).join("expected.txt");
        check(program, &[], &expected, bless)?;
    }
    match ir3() {
        Some(path) => {
            let arguments = [path.display().to_string(), "600".to_owned()];
            check("disassemble-ir3", &arguments, &from.join("disassemble-ir3/expected-ir3.txt"), bless)?;
        }
        None => println!("disassemble-ir3: no corpus with ir3.xml, so only by minnow"),
    }
    every_package(packages, there)
}

/// Runs a program and compares what it prints.
fn check(program: &str, arguments: &[String], expected: &Path, bless: bool) -> Result<(), String> {
    let path = target().join("debug").join(program).with_extension(std::env::consts::EXE_EXTENSION);
    let out = Command::new(&path).args(arguments).output().map_err(|e| format!("{}: {e}", path.display()))?;
    let printed = String::from_utf8_lossy(&out.stdout);
    if !out.status.success() {
        return Err(format!("{program}: {}\n{printed}{}", out.status, String::from_utf8_lossy(&out.stderr)));
    }
    if bless {
        return std::fs::write(expected, printed.as_bytes()).map_err(|e| format!("{}: {e}", expected.display()));
    }
    let golden = std::fs::read_to_string(expected).map_err(|e| format!("{}: {e}", expected.display()))?;
    match golden == printed {
        true => {
            println!("{program}: built from packages, prints {}", expected.display());
            Ok(())
        }
        false => Err(format!("{program} prints\n{printed}\nbut {} has\n{golden}", expected.display())),
    }
}

/// Mesa's description of Adreno's shader cores, if there is a corpus.
fn ir3() -> Option<PathBuf> {
    let corpus = std::env::var_os("ISAGLOT_CORPUS").map_or_else(|| root().join("../shared/corpus"), PathBuf::from);
    Some(corpus.join("isaspec/xml/ir3/ir3.xml")).filter(|path| path.exists())
}

/// Checks the packed program: it depends on nearly all packages, with nearly all features. Those that it does not reach are
/// an error here, so that none is left out in silence.
fn every_package(packages: &[Package], there: &Path) -> Result<(), String> {
    let Some(cli) = packages.iter().find(|package| package.name == CLI) else {
        return Err(format!("{CLI} is not among the packages"));
    };
    let top = there.join(cli.stem());
    let config = there.join("depend/.cargo");
    copy(&config, &top.join(".cargo")).map_err(|e| format!("{}: {e}", config.display()))?;
    let mut check = Command::new("cargo");
    check.args(["check", "--offline", "--quiet"]).current_dir(&top).env("CARGO_TARGET_DIR", target());
    cargo(&mut check)?;
    let lock = std::fs::read_to_string(top.join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    let reached = |package: &&Package| lock.contains(&format!("name = \"{}\"\n", package.name));
    let missing: Vec<&str> = packages.iter().filter(|p| !reached(p)).map(|p| p.name.as_str()).collect();
    match missing.is_empty() {
        true => {
            println!("{CLI}: checked from packages, with every other package");
            Ok(())
        }
        false => Err(format!("no packed program depends on {}", missing.join(", "))),
    }
}

/// Copies a folder, without what was built in it.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true if entry.file_name() == "target" => {}
            true => copy(&path, &target)?,
            false => std::fs::copy(&path, &target).map(drop)?,
        }
    }
    Ok(())
}
