//! Processes of Linux in lock step: C programs of ours (`linux/*.c`), with glibc and as a compiler makes them, and the programs of others in the folder
//! `linux` of the one that `ISAGLOT_PROGRAMS` names, with arguments in `NAME.args`, one a line.
//!
//! A prefix of each is compared; with `ISAGLOT_FULL=1` all of it.

use std::path::Path;
use std::process::Command;

use isaglot_hart::{Config, Hart, Level, Start, Stop};
use isaglot_model::Isa;
use isaglot_testing::{Failed, Random, Trial, peer, programs};
use object::{Object, ObjectSegment};

use crate::description;
use crate::pair::{Count, Pair, WAYS, Way};

/// Instructions of a program that are compared: after each block, and where blocks are linked.
const BY_BLOCKS: u64 = 300_000;
const LINKED: u64 = 2_000_000;
/// The most, of a whole program.
const WHOLE: u64 = 100_000_000;

fn is_full() -> bool {
    std::env::var("ISAGLOT_FULL").is_ok_and(|v| v == "1")
}

/// A process of a program with its name and arguments, on a host that has a console alone and whose time stands still.
fn process<'a>(isa: &'a Isa, bytes: &[u8], words: &[String]) -> Result<Hart<'a>, String> {
    let elf = object::File::parse(bytes).map_err(|e| e.to_string())?;
    let mut config = Config::new(if elf.is_64() { 64 } else { 32 });
    config.start = Level::User;
    config.ebreak_stops = false;
    config.ram = elf.segments().map(|s| (s.address(), s.size())).collect();
    let mut hart = Hart::new(isa, config)?;
    let mut end = 0;
    for segment in elf.segments() {
        let data = segment.data().map_err(|e| e.to_string())?;
        hart.memory().write(segment.address(), data).map_err(|at| format!("no memory at {at:#x}"))?;
        end = end.max(segment.address() + segment.size());
    }
    let place = if elf.is_64() { [32, 8, 56, 2] } else { [28, 4, 44, 2] };
    let number = |at: usize, length: usize| {
        bytes.get(at..at + length).unwrap_or(&[]).iter().rev().fold(0, |all, &b| all << 8 | u64::from(b))
    };
    // The program headers are in the first segment, as linkers place them.
    let first = elf.segments().map(|s| s.address()).min().unwrap_or(0);
    let start = Start {
        arguments: words.iter().map(|a| a.clone().into_bytes()).collect(),
        environment: vec![b"LANG=C".to_vec()],
        entry: elf.entry(),
        headers: first + number(place[0], place[1]),
        header_count: number(place[2], place[3]),
        end,
    };
    hart.start_process(&start)?;
    Ok(hart)
}

/// Compares a program with its name and arguments in both ways; gives what was compared, and its end.
fn compare(bytes: &[u8], words: &[String]) -> Result<(Count, Stop), String> {
    let isa = description::isa();
    let (mut count, mut end) = (Count::default(), Stop::Limit);
    for way in WAYS {
        let most = match way {
            _ if is_full() => WHOLE,
            Way::Blocks => BY_BLOCKS,
            Way::Linked => LINKED,
        };
        let make = || process(&isa, bytes, words);
        let (stop, compared, _) = Pair::new(make()?, make()?, way)?.run(most, &mut Random::new(1))?;
        count += compared;
        end = stop;
    }
    Ok((count, end))
}

/// One of ours: it ends with status 0.
fn ours(source: &Path, xlen: u32) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("program");
    let options: &[&str] = match xlen {
        64 => &["-march=rv64gc", "-mabi=lp64d", "-O2", "-static"],
        // There is no library for it.
        _ => &[
            "-march=rv32gc",
            "-mabi=ilp32d",
            "-O2",
            "-static",
            "-nostdlib",
            "-ffreestanding",
            "-fno-builtin",
            "-DALONE",
        ],
    };
    let done =
        Command::new("riscv64-linux-gnu-gcc").args(options).arg("-o").arg(&program).arg(source).arg("-lm").output();
    let done = done?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
    }
    let (count, end) = compare(&std::fs::read(&program)?, &["program", "one", "two"].map(str::to_owned))?;
    println!("{}, rv{xlen}: {count}; {end:?}", source.display());
    match end {
        Stop::Exit(0) => Ok(()),
        end => Err(format!("it ends with {end:?}").into()),
    }
}

fn theirs(file: &Path) -> Result<(), Failed> {
    // Some programs do what their name says.
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (count, end) = compare(&std::fs::read(file)?, &[vec![name], programs::beside(file, "args")].concat())?;
    println!("{}: {count}; {end:?}", file.display());
    if matches!(end, Stop::Exit(_) | Stop::Limit) { Ok(()) } else { Err(format!("it ends with {end:?}").into()) }
}

pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lock_step/linux");
    let mut trials = Vec::new();
    for source in isaglot_testing::bless::cases(&folder, ".c") {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&source).unwrap_or_default();
        // What can do without a library says so.
        let widths: &[u32] = if text.contains("ALONE") { &[64, 32] } else { &[64] };
        for &xlen in widths {
            let source = source.clone();
            let check = move || ours(&source, xlen);
            trials.push(peer::trial(format!("linux::{name}_rv{xlen}"), &[peer::RISCV_QEMU], check));
        }
    }
    let Some(folder) = programs::folder() else {
        trials.push(Trial::test("linux::programs_of_others", || Ok(())).with_ignored_flag(true));
        return trials;
    };
    for file in programs::elf_files(&folder.join("linux")) {
        let name = file.strip_prefix(&folder).unwrap_or(&file);
        trials.push(Trial::test(format!("linux::{}", name.display()), {
            let file = file.clone();
            move || theirs(&file)
        }));
    }
    trials
}
