//! `isaglot run --linux` beside qemu-user: each `tests/linux/NAME.c`, without a library, is compiled for both widths and prints the same
//! and exits alike. The tests are reported as ignored where there is no compiler or no qemu.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use isaglot_testing::{Failed, peer, suite};

const INPUT: &[u8] = b"from standard input\n";
const ARGUMENTS: [&str; 2] = ["one", "two three"];

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linux");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(dir).expect("the programs").flatten().map(|e| e.path()).collect();
    sources.sort();
    let mut trials = Vec::new();
    for source in sources {
        for xlen in [32, 64] {
            let name = source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            let source = source.clone();
            let check = move || one(&source, xlen);
            trials.push(peer::trial(format!("linux_{name}_rv{xlen}"), &[peer::RISCV_QEMU], check));
        }
    }
    suite::run(trials);
}

fn compile(source: &Path, xlen: u32, program: &Path) -> Result<(), Failed> {
    let (march, mabi) = if xlen == 64 { ("rv64imac", "lp64") } else { ("rv32imac", "ilp32") };
    let done = Command::new("riscv64-linux-gnu-gcc")
        .args([&format!("-march={march}"), &format!("-mabi={mabi}"), "-O1", "-nostdlib", "-static", "-ffreestanding"])
        .args(["-fno-builtin", "-Wl,--no-relax", "-o"])
        .args([program, source])
        .output()?;
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

fn one(source: &Path, xlen: u32) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let program = dir.path().join("program.elf");
    compile(source, xlen, &program)?;
    let ours = run(Command::new(env!("CARGO_BIN_EXE_isaglot"))
        .args(["run", "--linux", "--max-steps", "1000000", "--files", "."])
        .arg(&program)
        .args(ARGUMENTS))?;
    let theirs = run(Command::new(format!("qemu-riscv{xlen}")).arg(&program).args(ARGUMENTS))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if ours.status.code() != theirs.status.code() || ours.stdout != theirs.stdout || !ours.stderr.is_empty() {
        let message = format!(
            "ours ({}):\n{}{}\nqemu's ({}):\n{}",
            ours.status,
            text(&ours.stdout),
            text(&ours.stderr),
            theirs.status,
            text(&theirs.stdout)
        );
        return Err(message.into());
    }
    println!("linux: RV{xlen}: {} lines equal qemu's", text(&ours.stdout).lines().count());
    Ok(())
}
