//! Programs compiled by the stock compiler, run on our hart and on qemu's user mode.

use std::path::Path;
use std::process::Command;

use isaglot_hart::{Cause, Config, Hart, Level, Stop, TrapModel};
use isaglot_model::Isa;
use object::{Object, ObjectSegment};

/// The compiler and the two emulators.
const TOOLS: [&str; 3] = ["riscv64-linux-gnu-gcc", "qemu-riscv32", "qemu-riscv64"];
const MAX_STEPS: u64 = 60_000_000_000;

/// Compiles sources that need no library.
pub(crate) fn compile(
    dir: &Path,
    source: &str,
    xlen: u32,
    extensions: &str,
    level: &str,
) -> Result<std::path::PathBuf, String> {
    let out = dir.join(format!("{source}.{xlen}"));
    // Floats are passed in their registers if the single letters have D.
    let float = if extensions.split('_').next().is_some_and(|letters| letters.contains('d')) { "d" } else { "" };
    let abi = if xlen == 64 { format!("lp64{float}") } else { format!("ilp32{float}") };
    let done = Command::new(TOOLS[0])
        .args([&format!("-march=rv{xlen}{extensions}"), &format!("-mabi={abi}"), level])
        .args(["-nostdlib", "-static", "-ffreestanding", "-fwrapv", "-fno-strict-aliasing", "-w", "-Wl,--no-relax"])
        .arg("-o")
        .arg(&out)
        .arg(dir.join(source))
        .output()
        .map_err(|e| format!("{}: {e}", TOOLS[0]))?;
    if done.status.success() { Ok(out) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

/// What a program writes and its exit status, on qemu.
pub(crate) fn on_qemu(program: &Path, xlen: u32) -> Result<(Vec<u8>, u64), String> {
    on_qemu_with(program, xlen, "Zfh=true")
}

/// The same on a processor with these properties.
pub(crate) fn on_qemu_with(program: &Path, xlen: u32, properties: &str) -> Result<(Vec<u8>, u64), String> {
    let cpu = format!("rv{xlen},{properties}");
    let mut qemu = Command::new(TOOLS[if xlen == 32 { 1 } else { 2 }]);
    let out = qemu.args(["-cpu", &cpu]).arg(program).output().map_err(|e| e.to_string())?;
    let code = out.status.code().ok_or_else(|| format!("qemu: {}", out.status))?;
    Ok((out.stdout, code as u64))
}

/// What a program writes and its exit status, on our hart; `write` and `exit` are served here.
pub(crate) fn on_hart(isa: &Isa, program: &Path) -> Result<(Vec<u8>, u64), String> {
    on_hart_with(isa, program, None)
}

/// The same on a machine with these extensions, or with the usual ones.
pub(crate) fn on_hart_with(isa: &Isa, program: &Path, extensions: Option<&[&str]>) -> Result<(Vec<u8>, u64), String> {
    let bytes = std::fs::read(program).map_err(|e| e.to_string())?;
    let elf = object::File::parse(&*bytes).map_err(|e| e.to_string())?;
    let mut config = Config::new(if elf.is_64() { 64 } else { 32 });
    config.trap_model = TrapModel::OneLevelUp;
    config.start = Level::User;
    config.extensions = extensions.map(|list| list.iter().map(|&e| e.to_owned()).collect());
    config.ram.extend(elf.segments().map(|s| (s.address(), s.size())));
    let mut hart = Hart::new(isa, config)?;
    for s in elf.segments() {
        let data = s.data().map_err(|e| e.to_string())?;
        hart.memory().write(s.address(), data).map_err(|at| format!("no memory at {at:#x}"))?;
    }
    hart.set_register(2, 0x8700_0000);
    hart.set_pc(elf.entry());
    let mut written = Vec::new();
    loop {
        match hart.run(MAX_STEPS) {
            Stop::Trap(t) if t.reason == Cause::EnvironmentCall => match hart.register(17) {
                64 => {
                    let (at, length) = (hart.register(11), hart.register(12));
                    let text = hart.memory().read(at, length as usize).map_err(|at| format!("no memory at {at:#x}"))?;
                    written.extend(text);
                    hart.set_register(10, length);
                    hart.set_pc(t.pc + 4);
                }
                93 => return Ok((written, hart.register(10) & 0xff)),
                n => return Err(format!("system call {n}")),
            },
            other => return Err(format!("{other:?} at {:#x}", hart.pc())),
        }
    }
}
