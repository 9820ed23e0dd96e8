//! Programs of others, from the folder that `ISAGLOT_PROGRAMS` names: CoreMark, Embench, riscv-tests and the like, which are not part of this
//! project. Reported as ignored where it is not set.
//!
//! Each ELF file below `linux` is a static program for Linux and prints and exits as qemu-user's does. `NAME.args` beside it has its
//! arguments, one a line; lines that begin as a line of `NAME.varies` says are not compared. Each ELF file below `bare` ends with status 0.
//! With the feature `jit` all of them run as machine code as well.

use std::path::Path;
use std::process::{Command, Output};

use isaglot_testing::programs::{self, beside};
use isaglot_testing::{Failed, Trial, peer};

use super::{WAYS, run};

/// More than any of them takes; the bare ones wait for ever where they fail.
const STEPS: &str = "2000000000";

pub(super) fn trials() -> Vec<Trial> {
    let Some(folder) = programs::folder() else {
        return vec![Trial::test("linux_programs_of_others", || Ok(())).with_ignored_flag(true)];
    };
    let mut trials = Vec::new();
    for (kind, check) in [("linux", linux as fn(&Path, &str) -> Result<(), Failed>), ("bare", bare)] {
        for file in programs::elf_files(&folder.join(kind)) {
            let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
            for &way in WAYS {
                let file = file.clone();
                trials.push(peer::trial(format!("{name}{way}"), &[peer::RISCV_QEMU], move || check(&file, way)));
            }
        }
    }
    trials
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
