//! The programs of `tests/privileged`, and of `tests/hypervisor` on a machine with that extension, for both widths: what they log is the same on our hart, at any length of slices and by the
//! interpreter, as on QEMU's machine (Debian: `gcc-riscv64-unknown-elf`, `qemu-system-misc`).
//!
//! A file `NAME.qemu` beside a program names lines of its log in which QEMU does something else than the manual says, a line each: the
//! width, the number of the line, what we log, and why.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isaglot_hart::{Config, Hart, Stop};
use isaglot_model::Isa;
use isaglot_testing::{Failed, Trial};
use object::{Object, ObjectSegment, ObjectSymbol};

use crate::description;

/// More than any program needs.
const STEPS: u64 = 5_000_000;

/// Programs up to so many instructions are run in other ways, too; longer ones would take minutes.
const SHORT: u64 = 150_000;

/// Of these, so many instructions one by one by the definition of the semantics, and so many by blocks after them.
const INTERPRETED: u64 = 400;
const BY_BLOCKS: u64 = 2011;

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// At one go.
    Whole,
    /// In slices of so many instructions.
    Slices(u64),
    /// Each instruction by the definition of its semantics.
    Interpreter,
    /// Some instructions so, then some by blocks, in turn.
    Turns,
}

/// The folder with the programs for machines with the hypervisor extension.
pub(crate) const HYPERVISOR: &str = "hypervisor";

/// What such a machine has; none has that extension without being asked.
const EXTENSIONS: &[&str] = &["m", "a", "zaamo", "zalrsc", "zicsr", "zifencei", "priv", "svinval", "h"];

fn folder(group: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(group)
}

pub(crate) fn trials() -> Vec<Trial> {
    use isaglot_testing::peer::{QEMU_SYSTEM, RISCV_ELF_GCC, trial};
    let mut trials = Vec::new();
    for group in ["privileged", HYPERVISOR] {
        for path in isaglot_testing::bless::cases(&folder(group), ".S") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for xlen in [32, 64] {
                let program = name.clone();
                let check = move || check(group, &program, xlen);
                trials.push(trial(format!("{group}_{name}_rv{xlen}"), &[RISCV_ELF_GCC, QEMU_SYSTEM], check));
            }
        }
    }
    trials
}

fn compile(dir: &Path, group: &str, name: &str, xlen: u32) -> Result<PathBuf, String> {
    compile_with(dir, group, Path::new(&format!("{name}.S")), &[], xlen)
}

/// Compiles a file with the folders of a group to include from, and puts the program into a folder.
pub(crate) fn compile_with(
    dir: &Path,
    group: &str,
    source: &Path,
    include: &[&str],
    xlen: u32,
) -> Result<PathBuf, String> {
    let out = dir.join("program.elf");
    let abi = if xlen == 64 { "lp64" } else { "ilp32" };
    let done = Command::new("riscv64-unknown-elf-gcc")
        .args([&format!("-march=rv{xlen}ima_zicsr_zifencei_zba_zbb_zbc_zbs"), &format!("-mabi={abi}")])
        .args(["-mcmodel=medany", "-nostdlib", "-static", "-T", "../privileged/link.ld", "-o"])
        .arg(&out)
        .args(include.iter().map(|folder| format!("-I{folder}")))
        .arg(format!("-I{}", dir.display()))
        .arg(source)
        .current_dir(folder(group))
        .output()
        .map_err(|e| e.to_string())?;
    if done.status.success() { Ok(out) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

pub(crate) fn on_qemu(group: &str, program: &Path, xlen: u32) -> Result<Vec<u8>, String> {
    let more = if group == HYPERVISOR { ",h=true,priv_spec=v1.12.0" } else { "" };
    let out = Command::new(format!("qemu-system-riscv{xlen}"))
        .args(["-M", "spike", "-display", "none", "-serial", "stdio", "-monitor", "none", "-cpu"])
        .arg(format!("rv{xlen},svinval=true{more}"))
        .arg("-bios")
        .arg(program)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| e.to_string())?;
    if out.status.code() == Some(0) { Ok(out.stdout) } else { Err(format!("qemu: {out:?}")) }
}

pub(crate) fn on_hart(isa: &Isa, group: &str, program: &Path, way: Way) -> Result<(Vec<u8>, u64), String> {
    let bytes = std::fs::read(program).map_err(|e| e.to_string())?;
    let elf = object::File::parse(&*bytes).map_err(|e| e.to_string())?;
    let mut config = Config::new(if elf.is_64() { 64 } else { 32 });
    config.ebreak_stops = false;
    if group == HYPERVISOR {
        config.extensions = Some(EXTENSIONS.iter().map(|&e| e.to_owned()).collect());
    }
    let mut hart = Hart::new(isa, config)?;
    for s in elf.segments() {
        let data = s.data().map_err(|e| e.to_string())?;
        hart.memory().write(s.address(), data).map_err(|at| format!("no memory at {at:#x}"))?;
    }
    let symbol = |name: &str| elf.symbol_by_name(name).map(|s| s.address());
    symbol("tohost").into_iter().for_each(|address| hart.set_tohost(address));
    hart.set_pc(elf.entry());
    let mut stop = Stop::Limit;
    let mut left = STEPS;
    let mut turn = 0;
    while stop == Stop::Limit && left > 0 {
        let slice = match way {
            Way::Whole => left,
            Way::Slices(length) => length,
            Way::Turns if turn >= INTERPRETED => {
                turn = 0;
                BY_BLOCKS
            }
            Way::Interpreter | Way::Turns => 1,
        };
        turn += 1;
        left = left.saturating_sub(slice);
        let pc = hart.pc();
        let body = match way {
            Way::Interpreter | Way::Turns if slice == 1 => hart.fetch(pc).and_then(|(word, _)| {
                let body = hart.instruction(&word).and_then(|id| isa.body(id, hart.xlen()))?;
                Some((word, body))
            }),
            _ => None,
        };
        stop = match body {
            Some((word, body)) => hart.interpret(&word, &body).unwrap_or(Stop::Limit),
            None => hart.run(slice),
        };
    }
    match stop {
        Stop::Tohost(1) => Ok((hart.take_console(), hart.retired())),
        stop => Err(format!("{way:?}: {stop:x?} at {:#x}", hart.pc())),
    }
}

/// Where QEMU is wrong: the number of a line and what it should be.
fn faults(group: &str, name: &str, xlen: u32) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(folder(group).join(format!("{name}.qemu"))).unwrap_or_default();
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let mut next = || words.next().unwrap_or_default();
        let (width, number, value) = (next(), next(), next());
        if width == format!("rv{xlen}") {
            all.push((number.parse().unwrap_or_default(), value.to_owned()));
        }
    }
    all
}

fn check(group: &str, name: &str, xlen: u32) -> Result<(), Failed> {
    let isa = description::isa();
    let dir = tempfile::tempdir()?;
    let program = compile(dir.path(), group, name, xlen)?;
    let (got, count) = on_hart(&isa, group, &program, Way::Whole)?;
    let want = String::from_utf8_lossy(&on_qemu(group, &program, xlen)?).into_owned();
    let mut want: Vec<&str> = want.lines().collect();
    let faults = faults(group, name, xlen);
    for (at, value) in &faults {
        let line = want.get_mut(*at).ok_or("a fault of QEMU that there is not")?;
        if *line == value {
            return Err(format!("line {at}: QEMU is right").into());
        }
        *line = value;
    }
    let text = String::from_utf8_lossy(&got).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    let differ: Vec<String> = (0..want.len().max(lines.len()))
        .filter(|&at| want.get(at) != lines.get(at))
        .map(|at| format!("line {at}: QEMU {:?}, we {:?}", want.get(at), lines.get(at)))
        .collect();
    println!("qemu: RV{xlen} {name}: {}/{} lines", want.len() - differ.len().min(want.len()), want.len());
    if !differ.is_empty() || want.is_empty() {
        return Err(differ.join("\n").into());
    }
    let ways: &[Way] = match count {
        0..=SHORT => &[Way::Slices(1), Way::Slices(7), Way::Interpreter],
        // What a guest may be interrupted by is looked at between slices.
        _ if group == HYPERVISOR => &[Way::Slices(7), Way::Turns],
        _ => &[],
    };
    for &way in ways {
        if on_hart(&isa, group, &program, way)? != (got.clone(), count) {
            return Err(format!("{way:?} differs").into());
        }
    }
    Ok(())
}
