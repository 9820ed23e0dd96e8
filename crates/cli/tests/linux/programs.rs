//! Programs of others, from the folder that `ISAGLOT_PROGRAMS` names: CoreMark, Embench, riscv-tests and the like, which are not part of this
//! project. Reported as ignored where it is not set.
//!
//! Each ELF file below `linux` is a static program for Linux and prints and exits as qemu-user's does. `NAME.args` beside it has its
//! arguments, one a line; lines that begin as a line of `NAME.varies` says are not compared. Each ELF file below `bare` ends with status 0.
//! With the feature `jit` all of them run as machine code as well.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use isaglot_testing::{Failed, Trial, peer};

use super::run;

/// More than any of them takes; the bare ones wait for ever where they fail.
const STEPS: &str = "2000000000";

pub(super) fn trials() -> Vec<Trial> {
    let Some(folder) = std::env::var_os("ISAGLOT_PROGRAMS").and_then(|folder| std::fs::canonicalize(folder).ok())
    else {
        return vec![Trial::test("linux_programs_of_others", || Ok(())).with_ignored_flag(true)];
    };
    let mut trials = Vec::new();
    for (kind, check) in [("linux", linux as fn(&Path, &str) -> Result<(), Failed>), ("bare", bare)] {
        let mut files = Vec::new();
        elf_files(&folder.join(kind), &mut files);
        files.sort();
        for file in files {
            let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
            let ways: &[&str] = if cfg!(feature = "jit") { &["", "--jit"] } else { &[""] };
            for &way in ways {
                let file = file.clone();
                trials.push(peer::trial(format!("{name}{way}"), &[peer::RISCV_QEMU], move || check(&file, way)));
            }
        }
    }
    trials
}

fn elf_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            elf_files(&path, files);
        } else if std::fs::read(&path).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")) {
            files.push(path);
        }
    }
}

/// The lines of a file beside a program, none if there is no such file.
fn beside(file: &Path, end: &str) -> Vec<String> {
    let path = format!("{}.{end}", file.display());
    std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn ours(file: &Path, way: &str, more: &[&str], arguments: &[String]) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_isaglot"));
    command.args(["run", "--max-steps", STEPS]).args(more).args(Some(way).filter(|way| !way.is_empty()));
    run(command.arg("--").arg(file).args(arguments))
}

fn linux(file: &Path, way: &str) -> Result<(), Failed> {
    let (arguments, varies) = (beside(file, "args"), beside(file, "varies"));
    let is_narrow = std::fs::read(file)?.get(4) == Some(&1);
    let qemu = if is_narrow { "qemu-riscv32" } else { "qemu-riscv64" };
    let theirs = run(Command::new(qemu).arg(file).args(&arguments))?;
    let ours = ours(file, way, &["--linux", "--files", "."], &arguments)?;
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.lines().filter(|line| !varies.iter().any(|v| line.starts_with(v))).collect::<Vec<_>>().join("\n")
    };
    let (a, b) = (text(&ours.stdout), text(&theirs.stdout));
    if a == b && ours.status.code() == theirs.status.code() && text(&ours.stderr) == text(&theirs.stderr) {
        return Ok(());
    }
    Err(format!("ours ({}):\n{a}\n{}\nqemu's ({}):\n{b}", ours.status, text(&ours.stderr), theirs.status).into())
}

fn bare(file: &Path, way: &str) -> Result<(), Failed> {
    let ours = ours(file, way, &[], &[])?;
    if ours.status.success() {
        return Ok(());
    }
    Err(format!("{}\n{}{}", ours.status, String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&ours.stderr))
        .into())
}
