//! `isaglot run --linux` beside qemu-user: each `tests/linux/NAME.c`, without a library, is compiled for both widths, and each
//! `tests/linux/libc/NAME.c` with glibc for RV64GC; all print the same and exit alike. With the feature `jit` all run as machine code as
//! well. The tests are reported as ignored where there is no compiler or no qemu. `linux/programs.rs` runs programs of others.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use isaglot_testing::{Failed, peer, suite};

#[path = "linux/programs.rs"]
mod programs;

const INPUT: &[u8] = b"from standard input\n";
const ARGUMENTS: [&str; 2] = ["one", "two three"];

/// How often a program is run to be equal: on a busy host qemu's threads may come late for what they wait for.
const MOST_RUNS: usize = 5;

/// How programs are run: interpreted, and where that is there as machine code. An option, or nothing.
const WAYS: &[&str] = if cfg!(feature = "jit") { &["", "--jit"] } else { &[""] };

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linux");
    let mut trials = Vec::new();
    for source in sources(&dir.join("libc")) {
        let name = source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        for &way in WAYS {
            let source = source.clone();
            let check = move || one(&source, way, 64, &["-march=rv64gc", "-mabi=lp64d", "-O2", "-static"], &["-lm"]);
            trials.push(peer::trial(format!("linux_libc_{name}{way}"), &[peer::RISCV_QEMU], check));
        }
    }
    for source in sources(&dir) {
        for (xlen, &way) in [32, 64].into_iter().flat_map(|xlen| WAYS.iter().map(move |way| (xlen, way))) {
            let name = source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            let source = source.clone();
            let check = move || {
                let (march, mabi) = if xlen == 64 { ("rv64imac", "lp64") } else { ("rv32imac", "ilp32") };
                let machine = [&*format!("-march={march}"), &*format!("-mabi={mabi}"), "-O1", "-nostdlib", "-static"];
                let alone = ["-ffreestanding", "-fno-builtin", "-Wl,--no-relax"];
                one(&source, way, xlen, &[&machine[..], &alone[..]].concat(), &[])
            };
            trials.push(peer::trial(format!("linux_{name}_rv{xlen}{way}"), &[peer::RISCV_QEMU], check));
        }
    }
    trials.extend(programs::trials());
    suite::run(trials);
}

/// The programs of a folder.
fn sources(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).expect("the programs").flatten().map(|e| e.path());
    let mut sources: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    sources.sort();
    sources
}

fn compile(source: &Path, options: &[&str], libraries: &[&str], program: &Path) -> Result<(), Failed> {
    let mut gcc = Command::new("riscv64-linux-gnu-gcc");
    gcc.args(options).arg("-o").args([program, source]).args(libraries);
    let done = gcc.output()?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned().into()) }
}

/// Runs a command in a fresh folder, which the program sees as its own.
fn run(command: &mut Command) -> Result<Output, Failed> {
    let folder = tempfile::tempdir()?;
    let mut child = command
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(INPUT)?;
    }
    Ok(child.wait_with_output()?)
}

fn one(source: &Path, way: &str, xlen: u32, options: &[&str], libraries: &[&str]) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let program = dir.path().join("program.elf");
    compile(source, options, libraries, &program)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut message = String::new();
    for _ in 0..MOST_RUNS {
        let ours = run(Command::new(env!("CARGO_BIN_EXE_isaglot"))
            .args(["run", "--linux", "--max-steps", "100000000", "--files", "."])
            .args(Some(way).filter(|way| !way.is_empty()))
            .arg(&program)
            .args(ARGUMENTS))?;
        let theirs = run(Command::new(format!("qemu-riscv{xlen}")).arg(&program).args(ARGUMENTS))?;
        if ours.status.code() == theirs.status.code() && ours.stdout == theirs.stdout && ours.stderr.is_empty() {
            println!("linux: RV{xlen} {way}: {} lines equal qemu's", text(&ours.stdout).lines().count());
            return Ok(());
        }
        message = format!(
            "ours ({}):\n{}{}\nqemu's ({}):\n{}",
            ours.status,
            text(&ours.stdout),
            text(&ours.stderr),
            theirs.status,
            text(&theirs.stdout)
        );
    }
    Err(message.into())
}
