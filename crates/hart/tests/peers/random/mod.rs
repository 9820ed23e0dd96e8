//! Random programs on a bare machine, beside qemu's: integers, floating point, atomic and vector instructions, memory that ends, and
//! every trap that they can take, at the levels of machine and user, with units that are off, for both widths of registers.
//!
//! `driver.c` gives each program a state of its own, `enter.S` runs it and writes its traps down, and a line has sums of all that it
//! left. A line that differs names the program; `-DSHOW=N` prints what is summed.

mod words;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use isaglot_codec::Plan;
use isaglot_hart::{Config, Hart, Stop};
use isaglot_model::{FeatureId, Isa};
use isaglot_testing::{Failed, Trial};
use object::{Object, ObjectSegment, ObjectSymbol};

use crate::description;
use crate::vectors::case::{Setup, instructions};
use words::Generator;

const DRIVER: &str = include_str!("driver.c");
const ENTER: &str = include_str!("enter.S");
const LINK: &str = include_str!("../../privileged/link.ld");
/// Programs of each width, all of them with `ISAGLOT_FULL=1`, and how many are in one file.
const PROGRAMS: usize = 100;
const ALL_PROGRAMS: usize = 1000;
const PER_FILE: usize = 50;
const STEPS: u64 = 200_000_000;
/// What a line sums.
const SUMS: [&str; 7] =
    ["integers", "floating point", "vectors", "control registers", "memory", "traps", "number of traps"];

pub(crate) fn trials() -> Vec<Trial> {
    use isaglot_testing::peer::{QEMU_SYSTEM, RISCV_ELF_GCC, trial};
    let of = |xlen: u32| trial(format!("random_rv{xlen}"), &[RISCV_ELF_GCC, QEMU_SYSTEM], move || compare(xlen));
    [32, 64].map(of).into()
}

fn compile(dir: &Path, setup: Setup, show: Option<usize>) -> Result<std::path::PathBuf, Failed> {
    for (name, text) in [("driver.c", DRIVER), ("enter.S", ENTER), ("link.ld", LINK)] {
        std::fs::write(dir.join(name), text)?;
    }
    let out = dir.join("programs");
    let xlen = setup.xlen;
    let mut gcc = Command::new("riscv64-unknown-elf-gcc");
    gcc.current_dir(dir).arg(format!("-march=rv{xlen}gc_zba_zbb_zbc_zbs_zfh"));
    gcc.args([
        if xlen == 64 { "-mabi=lp64d" } else { "-mabi=ilp32d" },
        "-O1",
        "-w",
        "-mcmodel=medany",
        "-ffreestanding",
    ]);
    gcc.args([&format!("-DVLENB={}", setup.vlen / 8), "-nostdlib", "-static", "-Wl,--no-relax", "-T", "link.ld", "-o"])
        .arg(&out);
    gcc.args(show.map(|n| format!("-DSHOW={n}"))).args(["driver.c", "enter.S", "-lgcc"]);
    let done = gcc.output()?;
    if done.status.success() { Ok(out) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned().into()) }
}

fn on_qemu(program: &Path, setup: Setup) -> Result<Vec<String>, Failed> {
    // A program that does not end, on either machine, is a mistake of the driver.
    let out = Command::new("timeout")
        .args(["120", &format!("qemu-system-riscv{}", setup.xlen)])
        .args(["-M", "spike", "-display", "none", "-serial", "stdio", "-monitor", "none", "-cpu"])
        .arg(format!("rv{},v=true,vlen={},vext_spec=v1.0,Zfh=true", setup.xlen, setup.vlen))
        .arg("-bios")
        .arg(program)
        .stdin(Stdio::null())
        .output()?;
    if out.status.code() == Some(0) { Ok(lines(&out.stdout)) } else { Err(format!("qemu: {out:?}").into()) }
}

fn lines(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text).lines().map(|l| l.trim().to_owned()).collect()
}

fn on_hart(isa: &Isa, program: &Path, setup: Setup) -> Result<Vec<String>, Failed> {
    let bytes = std::fs::read(program)?;
    let elf = object::File::parse(&*bytes)?;
    let mut config = Config::new(setup.xlen);
    config.ebreak_stops = false;
    config.vlen = setup.vlen as u32;
    let extensions = "m a priv zca zcd zaamo zalrsc f d zfh zicsr zifencei zba zbb zbc zbs v zvfh zicntr";
    let narrow = if setup.xlen == 32 { " zcf" } else { "" };
    config.extensions =
        Some(extensions.split_whitespace().chain(narrow.split_whitespace()).map(str::to_owned).collect());
    let mut hart = Hart::new(isa, config)?;
    for s in elf.segments() {
        hart.memory().write(s.address(), s.data()?).map_err(|at| format!("no memory at {at:#x}"))?;
    }
    let tohost = elf.symbol_by_name("tohost").ok_or("no tohost")?;
    hart.set_tohost(tohost.address());
    hart.set_pc(elf.entry());
    match hart.run(STEPS) {
        Stop::Tohost(1) => Ok(lines(&hart.take_console())),
        stop => Err(format!("{stop:x?} at {:#x}: {}", hart.pc(), String::from_utf8_lossy(&hart.take_console())).into()),
    }
}

/// Writes the programs of one file.
fn write(dir: &Path, generator: &mut Generator<'_>, first: usize, count: usize) -> Result<(), Failed> {
    let (mut code, mut table) = (String::new(), String::new());
    let word = if generator.setup.xlen == 64 { ".dword" } else { ".word" };
    for n in first..first + count {
        let _ = write!(code, ".balign 4\np{n}:\n{}e{n}: ecall\n", generator.program());
        // At the level of users or not; one in eight without floating point, one in eight without vectors.
        let kind = n % 2 + 2 * usize::from(n % 16 / 2 == 3) + 4 * usize::from(n % 16 / 2 == 6);
        let _ = writeln!(table, "{word} p{n}, e{n}, {}, {kind}", n + 1);
    }
    std::fs::write(dir.join("programs.S"), code)?;
    std::fs::write(dir.join("table.S"), table)?;
    Ok(())
}

fn compare(xlen: u32) -> Result<(), Failed> {
    let isa = description::isa();
    let features: Vec<FeatureId> =
        (0..isa.features().len() as u32).map(FeatureId).filter(|&f| isa[f].name == "v").collect();
    let plan = Plan::with_features(&isa, xlen, &features);
    let vectors = instructions(&isa, xlen);
    let count = if std::env::var_os("ISAGLOT_FULL").is_some() { ALL_PROGRAMS } else { PROGRAMS };
    let (mut same, mut traps, mut wrong) = (0, 0, Vec::new());
    for first in (0..count).step_by(PER_FILE) {
        let setup = Setup { xlen, vlen: [128, 256][first / PER_FILE % 2] };
        let dir = tempfile::tempdir()?;
        let mut generator = Generator::new(setup, &plan, &vectors, (first as u64) << 8 | u64::from(xlen));
        write(dir.path(), &mut generator, first, PER_FILE)?;
        let program = compile(dir.path(), setup, None)?;
        let (want, got) = (on_qemu(&program, setup)?, on_hart(&isa, &program, setup)?);
        if want.len() != PER_FILE || got.len() != PER_FILE {
            return Err(format!("qemu gives {} lines, we {}, of {PER_FILE}", want.len(), got.len()).into());
        }
        let mut shown = 0;
        for (n, (want, got)) in want.iter().zip(&got).enumerate() {
            let number = want.split_whitespace().last().and_then(|n| u32::from_str_radix(n, 16).ok());
            traps += number.ok_or("qemu says no number of traps")?;
            if want == got {
                same += 1;
                continue;
            }
            let both = want.split_whitespace().zip(got.split_whitespace()).zip(SUMS);
            let differ: Vec<&str> = both.filter(|((w, g), _)| w != g).map(|b| b.1).collect();
            let mut text = format!("program {}: {}", first + n, differ.join(", "));
            shown += 1;
            if shown <= 2 {
                let program = compile(dir.path(), setup, Some(n))?;
                let (want, got) = (on_qemu(&program, setup)?, on_hart(&isa, &program, setup)?);
                for (w, g) in want.iter().zip(&got).filter(|(w, g)| w != g).take(3) {
                    let _ = write!(text, "\n  qemu {w}\n  ours {g}");
                }
            }
            wrong.push(text);
        }
    }
    println!("qemu: RV{xlen}: {same}/{count} random programs on a bare machine, with {traps} traps");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
