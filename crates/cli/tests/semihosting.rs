//! Semihosting beside QEMU's system emulator: each `tests/semihosting/NAME.c` is compiled with picolibc for both widths; both print the
//! same and exit alike. With the feature `jit` all run as machine code as well. The tests are reported as ignored where there is no compiler, no picolibc or no QEMU.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use isaglot_testing::{Failed, bless, peer, suite};

/// How programs are run: interpreted, and where that is there as machine code. An option, or nothing.
const WAYS: &[&str] = if cfg!(feature = "jit") { &["", "--jit"] } else { &[""] };

const GCC: &str = "riscv64-unknown-elf-gcc";
/// What both say of the program itself ends with this line of ours.
const END: &str = "stopped: ";

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/semihosting");
    let mut trials = Vec::new();
    for source in bless::cases(&dir, ".c") {
        for (xlen, &way) in [32, 64].into_iter().flat_map(|xlen| WAYS.iter().map(move |way| (xlen, way))) {
            let name = source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            let source = source.clone();
            let peers = [peer::RISCV_ELF_GCC, peer::PICOLIBC, peer::QEMU_SYSTEM];
            trials.push(peer::trial(format!("{name}_rv{xlen}{way}"), &peers, move || one(&source, way, xlen)));
        }
    }
    suite::run(trials);
}

fn compile(source: &Path, xlen: u32, program: &Path) -> Result<(), String> {
    let (march, mabi) = if xlen == 64 { ("rv64imafdc", "lp64d") } else { ("rv32imafdc", "ilp32d") };
    let done = Command::new(GCC)
        .args(["--specs=picolibc.specs", "--oslib=semihost", "--crt0=semihost", "-mcmodel=medany", "-O1"])
        .args([format!("-march={march}"), format!("-mabi={mabi}")])
        // Where the memory of QEMU's machine `virt` is; data is copied to its place by the program.
        .args(
            ["__flash=0x80000000", "__flash_size=0x200000", "__ram=0x80200000", "__ram_size=0x200000"]
                .map(|symbol| format!("-Wl,--defsym={symbol}")),
        )
        .arg("-o")
        .args([program, source])
        .arg("-lm")
        .output()
        .map_err(|e| format!("{GCC}: {e}"))?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

/// Runs a command in a fresh folder, with the standard input that belongs to a program.
fn run(command: &mut Command, source: &Path) -> Result<Output, Failed> {
    let folder = tempfile::tempdir()?;
    let input = std::fs::read(source.with_extension("in")).unwrap_or_default();
    let mut child = command
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut pipe = child.stdin.take().ok_or("no input")?;
    // It may end without having read all.
    let _ = pipe.write_all(&input);
    drop(pipe);
    Ok(child.wait_with_output()?)
}

fn one(source: &Path, way: &str, xlen: u32) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let program = dir.path().join("program.elf");
    compile(source, xlen, &program)?;
    let ours = run(
        Command::new(env!("CARGO_BIN_EXE_isaglot"))
            .args(["run", "--max-steps", "100000000", "--files", "."])
            .args(Some(way).filter(|way| !way.is_empty()))
            .arg(&program)
            .args(["one", "two"]),
        source,
    )?;
    // What stands beside a program comes to its serial port.
    let serial = if source.with_extension("in").is_file() { "stdio" } else { "none" };
    let theirs = run(
        Command::new(format!("qemu-system-riscv{xlen}"))
            .args(["-M", "virt", "-bios", "none", "-nographic", "-monitor", "none", "-serial", serial, "-semihosting"])
            .args(["-append", "one two", "-kernel"])
            .arg(&program),
        source,
    )?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&ours.stdout);
    let (printed, _) = said.split_once(END).ok_or_else(|| format!("no end: {said}{}", text(&ours.stderr)))?;
    let lines = |all: &str| {
        let mut lines: Vec<String> = all.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    // QEMU writes its console to standard error, and we what is for it.
    let (here, there) =
        (lines(&(printed.to_owned() + &text(&ours.stderr))), lines(&(text(&theirs.stdout) + &text(&theirs.stderr))));
    if ours.status.code() != theirs.status.code() || here != there {
        let message =
            format!("ours ({}):\n{}\nqemu's ({}):\n{}", ours.status, here.join("\n"), theirs.status, there.join("\n"));
        return Err(message.into());
    }
    println!("semihosting: RV{xlen} {way}: {} lines equal qemu's", here.len());
    Ok(())
}
