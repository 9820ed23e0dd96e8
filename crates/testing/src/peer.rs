//! Peers: other programs that tests run beside ours.
//!
//! The problem: a program that is installed may still not do what a test needs (a compiler without its sanitizer runtime, a
//! browser that does not start). So each peer has a *probe* that does a small part of it: compile, link and run a file, solve
//! a formula, load a page. Its result is remembered for the process. Tests whose peers are missing are reported as ignored;
//! with `ISAGLOT_REQUIRE_PEERS=1` they fail and say what is missing.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};

/// A program, or several, and how to find out that they do their work.
///
/// The peers below are ready; a test may make its own.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// What is missing when the probe fails.
    pub name: &'static str,
    /// Fails, and says why, if the peer cannot do its work.
    pub probe: fn() -> Result<(), String>,
}

/// GCC for this machine: compiles, links and runs C11.
pub const GCC: Peer = Peer { name: "gcc", probe: || compiles("gcc", &[]) };
/// Clang for this machine: compiles, links and runs C11.
pub const CLANG: Peer = Peer { name: "clang", probe: || compiles("clang", &[]) };
/// G++ for this machine: compiles, links and runs C++11.
pub const GXX: Peer = Peer { name: "g++", probe: || compiles_as("g++", "c++11", &[]) };
/// Clang for C++ on this machine: compiles, links and runs C++11.
pub const CLANGXX: Peer = Peer { name: "clang++", probe: || compiles_as("clang++", "c++11", &[]) };
/// Valgrind: watches a program.
pub const VALGRIND: Peer = Peer { name: "valgrind", probe: || answers("valgrind", &["-q", "true"]) };
/// The program that says how to compile and link with a library.
pub const PKG_CONFIG: Peer = Peer { name: "pkg-config", probe: || starts("pkg-config") };
/// The build system Meson.
pub const MESON: Peer = Peer { name: "meson", probe: || starts("meson") };
/// The build system CMake.
pub const CMAKE: Peer = Peer { name: "cmake", probe: || starts("cmake") };
/// What Meson and CMake hand their work to.
pub const NINJA: Peer = Peer { name: "ninja", probe: || starts("ninja") };
/// Make.
pub const MAKE: Peer = Peer { name: "make", probe: || starts("make") };
/// GCC with the runtimes of its address and undefined-behaviour sanitizers.
pub const GCC_SANITIZERS: Peer =
    Peer { name: "gcc with address and undefined sanitizers", probe: || compiles("gcc", SANITIZERS) };
/// Clang with the runtimes of its address and undefined-behaviour sanitizers.
pub const CLANG_SANITIZERS: Peer =
    Peer { name: "clang with address and undefined sanitizers", probe: || compiles("clang", SANITIZERS) };
/// Clang with RISC-V as a target (it only compiles).
pub const CLANG_RISCV: Peer = Peer {
    name: "clang for RISC-V",
    probe: || compile_only("clang", &["--target=riscv64", "-march=rv64imafd", "-mabi=lp64d", "-ffreestanding"]),
};
/// GCC for RISC-V with Linux: compiles for 32 and 64 bits.
pub const RISCV_GCC: Peer = Peer { name: "riscv64-linux-gnu-gcc", probe: || riscv_compiles("riscv64-linux-gnu-gcc") };
/// G++ for RISC-V with Linux.
pub const RISCV_GXX: Peer = Peer { name: "riscv64-linux-gnu-g++", probe: || starts("riscv64-linux-gnu-g++") };
/// GCC for RISC-V without an operating system.
pub const RISCV_ELF_GCC: Peer =
    Peer { name: "riscv64-unknown-elf-gcc", probe: || riscv_compiles("riscv64-unknown-elf-gcc") };
/// The assembler, linker and `objdump` of GNU for RISC-V.
pub const RISCV_BINUTILS: Peer = Peer {
    name: "riscv64-linux-gnu-{as,ld,objdump}",
    probe: || ["as", "ld", "objdump"].iter().try_for_each(|tool| starts(&format!("riscv64-linux-gnu-{tool}"))),
};
/// picolibc for RISC-V, a C library for bare machines: GCC compiles and links with it.
pub const PICOLIBC: Peer = Peer { name: "picolibc-riscv64-unknown-elf", probe: picolibc };
/// QEMU's user mode for RISC-V of 32 and 64 bits, and the compiler for it: a compiled program runs.
pub const RISCV_QEMU: Peer = Peer { name: "riscv64-linux-gnu-gcc with qemu-riscv32 and qemu-riscv64", probe: qemu };
/// GNU's `objdump` for AVR.
pub const AVR_OBJDUMP: Peer = Peer { name: "avr-objdump", probe: || starts("avr-objdump") };
/// GNU's debugger for all machines.
pub const GDB: Peer = Peer { name: "gdb-multiarch", probe: || starts("gdb-multiarch") };
/// QEMU's system emulator for RISC-V of 32 and 64 bits.
pub const QEMU_SYSTEM: Peer = Peer { name: "qemu-system-riscv64", probe: || starts("qemu-system-riscv64") };
/// LLVM's `objdump`.
pub const LLVM_OBJDUMP: Peer = Peer { name: "llvm-objdump-19", probe: || starts("llvm-objdump-19") };
/// LLVM's assembler.
pub const LLVM_MC: Peer = Peer { name: "llvm-mc-19", probe: || starts("llvm-mc-19") };
/// The same of LLVM 22.
pub const LLVM_MC_22: Peer = Peer { name: "llvm-mc-22", probe: || starts("llvm-mc-22") };
/// LLVM's TableGen.
pub const LLVM_TBLGEN: Peer = Peer { name: "llvm-tblgen-19", probe: || starts("llvm-tblgen-19") };
/// SPIRV-Tools' assembler, disassembler and validator.
pub const SPIRV_TOOLS: Peer = Peer {
    name: "spirv-as, spirv-dis and spirv-val",
    probe: || ["spirv-as", "spirv-dis", "spirv-val"].iter().try_for_each(|tool| starts(tool)),
};
/// Intel's assembler for its GPUs, for XeLP to Xe HPC.
pub const IGA64: Peer = Peer { name: "iga64", probe: || answers("iga64", &["-h"]) };
/// The solver z3: solves a formula.
pub const Z3: Peer = Peer { name: "z3", probe: z3 };
/// Icarus Verilog.
pub const IVERILOG: Peer = Peer { name: "iverilog", probe: || answers("iverilog", &["-V"]) };
/// The Rust compiler.
pub const RUSTC: Peer = Peer { name: "rustc", probe: || starts("rustc") };
/// The formatter of Rust.
pub const RUSTFMT: Peer = Peer { name: "rustfmt", probe: || starts("rustfmt") };
/// Chromium without a screen, and its driver: loads a page.
pub const CHROMIUM: Peer = Peer { name: "chromium and chromedriver", probe: chromium };

const SANITIZERS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// How long a probe may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is missing of these peers. Each is probed once in a process.
///
/// # Errors
///
/// The name of the first missing one and why it counts as missing.
pub fn probe(peers: &[Peer]) -> Result<(), String> {
    static KNOWN: Mutex<BTreeMap<&str, Result<(), String>>> = Mutex::new(BTreeMap::new());
    peers.iter().try_for_each(|peer| {
        let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let result = known.entry(peer.name).or_insert_with(peer.probe);
        result.clone().map_err(|why| format!("{} is missing: {why}", peer.name))
    })
}

/// Whether a missing peer is a failure: `ISAGLOT_REQUIRE_PEERS=1`.
#[must_use]
pub fn required() -> bool {
    std::env::var_os("ISAGLOT_REQUIRE_PEERS").is_some_and(|v| !v.is_empty() && v != "0")
}

/// Whether the peers are there; for a `#[test]`, which returns early if not.
///
/// # Panics
///
/// If one is missing with `ISAGLOT_REQUIRE_PEERS=1`.
#[must_use]
pub fn present(peers: &[Peer]) -> bool {
    let missing = probe(peers).err();
    if let Some(why) = &missing {
        assert!(!required(), "{why}");
        println!("skipped: {why}");
    }
    missing.is_none()
}

/// A test beside these peers: ignored where one is missing, a failure with `ISAGLOT_REQUIRE_PEERS=1`.
pub fn trial(
    name: impl Into<String>,
    peers: &[Peer],
    run: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    match probe(peers) {
        Ok(()) => Trial::test(name, run),
        Err(why) if required() => Trial::test(name, move || Err(why.into())),
        Err(why) => {
            let name = name.into();
            eprintln!("{name} is ignored: {why}");
            Trial::test(name, || Ok(())).with_ignored_flag(true)
        }
    }
}

/// A program answers to `--version`.
///
/// # Errors
///
/// Why it does not.
pub fn starts(program: &str) -> Result<(), String> {
    answers(program, &["--version"])
}

/// A program succeeds with these arguments.
///
/// # Errors
///
/// Why it does not.
pub fn answers(program: &str, arguments: &[&str]) -> Result<(), String> {
    output(Command::new(program).args(arguments), "").map(drop)
}

/// What a program prints for an input of a few lines.
///
/// # Errors
///
/// If it cannot be started, fails, or takes more than a minute.
pub fn output(command: &mut Command, input: &str) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let error = |e: std::io::Error| format!("{name}: {e}");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(error)?;
    // A program that does not read its input closes the pipe, which is no failure.
    drop(child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes())));
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let read = |pipe: &mut Option<_>| pipe.take().map(|p| std::thread::spawn(move || everything(p)));
    let out = read(&mut out);
    let err = err.take().map(|p| std::thread::spawn(move || everything(p)));
    let started = Instant::now();
    let status = loop {
        match child.try_wait().map_err(error)? {
            Some(status) => break status,
            None if started.elapsed() > PATIENCE => {
                let _ = child.kill().and_then(|()| child.wait().map(drop));
                return Err(format!("{name}: no end after {} s", PATIENCE.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let text = |reader: Option<std::thread::JoinHandle<String>>| reader.and_then(|r| r.join().ok()).unwrap_or_default();
    let (out, err) = (text(out), text(err));
    if status.success() { Ok(out) } else { Err(format!("{name}: {status}: {}", crate::first_line(&err, 200))) }
}

fn everything(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

const PROGRAM: &str = "#include <stdint.h>\nint main(int n, char **v) { uint32_t x = n; return v[0] ? x - 1 : 2; }\n";

/// Calls `work` with a new folder that has the program above as `probe.c`.
fn with_source(work: impl FnOnce(&Path) -> Result<(), String>) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(dir.path().join("probe.c"), PROGRAM).map_err(|e| e.to_string())?;
    work(dir.path())
}

/// A compiler for this machine makes a program, and the program runs.
///
/// # Errors
///
/// What does not work.
pub fn compiles(compiler: &str, flags: &[&str]) -> Result<(), String> {
    compiles_as(compiler, "c11", flags)
}

/// The same for a standard: `c11` of C, `c++11` of C++.
fn compiles_as(compiler: &str, standard: &str, flags: &[&str]) -> Result<(), String> {
    with_source(|dir| {
        let mut compile = Command::new(compiler);
        let kind = if standard.starts_with("c++") { "c++" } else { "c" };
        compile.arg(format!("-std={standard}")).args(flags).args(["-x", kind, "probe.c", "-o", "probe"]);
        compile.current_dir(dir);
        output(&mut compile, "")?;
        output(&mut Command::new(dir.join("probe")), "").map(drop)
    })
}

/// A compiler makes an object.
///
/// # Errors
///
/// What does not work.
pub fn compile_only(compiler: &str, flags: &[&str]) -> Result<(), String> {
    with_source(|dir| {
        let mut compile = Command::new(compiler);
        output(compile.args(flags).args(["-c", "probe.c", "-o", "probe.o"]).current_dir(dir), "").map(drop)
    })
}

fn riscv_compiles(compiler: &str) -> Result<(), String> {
    let widths = [("-march=rv32imac", "-mabi=ilp32"), ("-march=rv64imac", "-mabi=lp64")];
    widths.iter().try_for_each(|(march, mabi)| compile_only(compiler, &[march, mabi, "-ffreestanding"]))
}

fn picolibc() -> Result<(), String> {
    let options = ["--specs=picolibc.specs", "--oslib=semihost", "--crt0=semihost", "-march=rv64imac", "-mabi=lp64"];
    let all = [&options[..], &["-x", "c", "-", "-o", "/dev/null"]].concat();
    let mut gcc = Command::new("riscv64-unknown-elf-gcc");
    gcc.args(all).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = gcc.spawn().map_err(|e| e.to_string())?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(b"int main(void) { return 0; }").map_err(|e| e.to_string())?;
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

fn qemu() -> Result<(), String> {
    let source = ".global _start\n_start:\n li a0, 0\n li a7, 93\n ecall\n";
    [("32", "ilp32"), ("64", "lp64")].iter().try_for_each(|(bits, abi)| {
        with_source(|dir| {
            std::fs::write(dir.join("probe.s"), source).map_err(|e| e.to_string())?;
            let mut compile = Command::new("riscv64-linux-gnu-gcc");
            compile.args([&format!("-march=rv{bits}imac"), &format!("-mabi={abi}"), "-nostdlib", "-static"]);
            output(compile.args(["probe.s", "-o", "probe"]).current_dir(dir), "")?;
            output(Command::new(format!("qemu-riscv{bits}")).arg(dir.join("probe")), "").map(drop)
        })
    })
}

fn z3() -> Result<(), String> {
    let formula = "(declare-const x (_ BitVec 8))\n(assert (= (bvmul x #x03) #x09))\n(check-sat)\n";
    let answer = output(Command::new("z3").arg("-in"), formula)?;
    if answer.trim() == "sat" { Ok(()) } else { Err(format!("z3 answers {answer:?}")) }
}

fn chromium() -> Result<(), String> {
    starts("chromedriver")?;
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let profile = format!("--user-data-dir={}", dir.path().display());
    let options = ["--headless=new", "--no-sandbox", "--disable-gpu", &profile, "--dump-dom"];
    let page = output(Command::new("chromium").args(options).arg("data:text/html,<p>it works</p>"), "")?;
    if page.contains("<p>it works</p>") { Ok(()) } else { Err("chromium does not show a page".to_owned()) }
}
