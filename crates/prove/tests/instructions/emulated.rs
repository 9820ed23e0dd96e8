//! One step in qemu: its program, with what stores the registers in place of the end, built by GNU's tools and run in user mode.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use isaglot_bits::Word;
use isaglot_prove::instructions::{After, DATA, Step};
use isaglot_riscv::Xlen;
use isaglot_testing::peer;

/// Whether the version of qemu that is asked knows an instruction: it is older than Zcmp, Zabha and Zacas, which the tests of the hart compare with
/// base instructions instead.
pub(crate) fn has(name: &str) -> bool {
    let narrow = |n: &str| n.starts_with("amo") && (n.contains(".b") || n.contains(".h"));
    !(name.starts_with("cm.") || name.starts_with("amocas") || narrow(name))
}

/// Whether qemu leaves the registers as the shipped description says, or ends the program by a signal where that says a trap.
pub(crate) fn sides_with_us(step: &Step, xlen: Xlen) -> Result<(), String> {
    let jumps = |side: &After| side.trap.is_none() && side.changes.iter().any(|change| change.starts_with("pc "));
    if jumps(&step.ours) {
        return Err("not run: it jumps to where nothing is".to_owned());
    }
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let found = registers(step, xlen, dir.path())?;
    let values = |side: &After| side.x.iter().skip(1).map(Word::low_u64).collect::<Vec<_>>();
    let agrees = |side: &After| match &found {
        Some(found) => side.trap.is_none() && *found == values(side),
        None => side.trap.is_some(),
    };
    match (agrees(&step.ours), agrees(&step.theirs), &found) {
        (true, ..) => Ok(()),
        (_, true, _) => Err("qemu sides with the database".to_owned()),
        (.., Some(_)) => Err("qemu does a third thing".to_owned()),
        (.., None) => Err("qemu traps, and neither side does".to_owned()),
    }
}

/// The integer registers from the first on after the step, or nothing if a signal ends the program.
fn registers(step: &Step, xlen: Xlen, dir: &Path) -> Result<Option<Vec<u64>>, String> {
    let (bits, bytes) = (xlen.bits(), xlen.bits() as usize / 8);
    // A register has to hold the address; a floating-point register keeps its value meanwhile.
    let (store, into, back) = if bits == 64 { ("sd", "fmv.d.x", "fmv.x.d") } else { ("sw", "fmv.w.x", "fmv.x.w") };
    let mut end = format!("\t{into} f31, x31\n\tla x31, saved\n");
    for n in 1..31 {
        let _ = writeln!(end, "\t{store} x{n}, {}(x31)", n * bytes);
    }
    let _ = writeln!(end, "\t{back} x1, f31\n\t{store} x1, {}(x31)", 31 * bytes);
    let _ = writeln!(end, "\tli a0, 1\n\tmv a1, x31\n\tli a2, {}\n\tli a7, 64\n\tecall", 32 * bytes);
    let _ = writeln!(end, "\tli a0, 0\n\tli a7, 93\n\tecall\n\t.bss\n\t.align 3\nsaved:\t.zero {}", 32 * bytes);
    let _ = writeln!(end, "\t.section .place,\"aw\"\n\t.zero 0x2000");
    let program = step.program();
    let (before, _) = program.split_once("\tebreak\n").ok_or("the program has no end")?;
    let clear: String = (1..32).map(|n| format!("\tli x{n}, 0\n")).collect();
    let text = format!("\t.global _start\n_start:\n\t.option norelax\n{clear}{before}{end}");
    std::fs::write(dir.join("step.s"), text).map_err(|e| e.to_string())?;
    let abi = if bits == 64 { "lp64d" } else { "ilp32d" };
    let mut build = Command::new("riscv64-linux-gnu-gcc");
    build.args([format!("-march=rv{bits}gc"), format!("-mabi={abi}")]).args(["-nostdlib", "-static"]);
    // A page before the place of the step's memory, for what is below it.
    build.arg(format!("-Wl,--section-start=.place={:#x}", DATA - 0x1000));
    peer::output(build.args(["step.s", "-o", "step"]).current_dir(dir), "")?;
    let cpu = format!("rv{bits},zbkb=true,zbkx=true,zbkc=true");
    let out = Command::new(format!("qemu-riscv{bits}")).args(["-cpu", &cpu]).arg(dir.join("step")).output();
    let out = out.map_err(|e| e.to_string())?;
    if out.status.code().is_none() {
        return Ok(None);
    }
    if out.stdout.len() != 32 * bytes {
        return Err(format!("qemu ends with {}", out.status));
    }
    let value = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    Ok(Some(out.stdout.chunks(bytes).skip(1).map(value).collect()))
}
