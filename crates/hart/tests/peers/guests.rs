//! Random accesses of guests and of hosts into guests, through two stages of page tables, beside QEMU's machine: entries of both stages, marks, rights
//! by the status of each level, superpages, tables with flags, addresses beyond what is mapped, and every delegation of what comes of it.
//!
//! `tests/hypervisor/random/stages.S` runs a file of cases and logs what each has done; a case that differs is named with its words.
//! What QEMU 7.2 does otherwise than the manual says is left out, each with its reason; fixed cases in `tests/hypervisor` have those.

use std::fmt::Write;

use isaglot_testing::random::Random;
use isaglot_testing::{Failed, Trial};

use crate::description;
use crate::privileged::{HYPERVISOR, Way, compile_with, on_hart, on_qemu};

/// Cases of each width and scheme, all of them with `ISAGLOT_FULL=1`, and how many are in one file.
const CASES: usize = 400;
const ALL_CASES: usize = 6000;
const PER_FILE: usize = 400;

const WINDOW: u64 = 0x1000_0000;
const PLACE: u64 = 0x3000_0000;
const SUM: u64 = 1 << 18;
const MXR: u64 = 1 << 19;
const SPVP: u64 = 1 << 8;
/// What a kind is, by its place in the program.
const FETCH: u64 = 7;
/// Those of a guest. QEMU 7.2 has what an `amoadd` may not read as a fault of a load; an atomic operation's are those of a store.
const OF_GUEST: [u64; 7] = [0, 1, 2, 3, 5, 6, FETCH];
/// Those of a host. QEMU 7.2 asks of `hlvx` (11 and 12) the right to read, where it is that to execute.
const OF_HOST: [u64; 5] = [8, 9, 10, 13, 14];
/// Faults of access and of pages, of guests' pages, and what is virtual.
const DELEGATED: [u64; 9] = [1, 5, 7, 12, 13, 15, 20, 21, 23];
const GUESTS_OWN: [u64; 3] = [12, 13, 15];
const HOST: u64 = 2;

pub(crate) fn trials() -> Vec<Trial> {
    use isaglot_testing::peer::{QEMU_SYSTEM, RISCV_ELF_GCC, trial};
    let of = |(xlen, deep): (u32, bool)| {
        let name = format!("hypervisor_random_rv{xlen}{}", if deep { "_sv48" } else { "" });
        trial(name, &[RISCV_ELF_GCC, QEMU_SYSTEM], move || compare(xlen, deep))
    };
    [(32, false), (64, false), (64, true)].map(of).into()
}

/// The flags of a leaf: mostly one that some access may use.
fn flags(r: &mut Random) -> u64 {
    match r.below(4) {
        0 => r.below(256),
        1 => 0xdf & !(1 << r.below(8)),
        _ => *r.pick(&[0xcf, 0xdf, 0xd7, 0xd3, 0xd9, 0xdb, 0xc3, 0xc7, 0xc9]),
    }
}

fn subset(r: &mut Random, of: &[u64]) -> u64 {
    of.iter().filter(|_| r.bool()).fold(0, |all, bit| all | 1 << bit)
}

/// The words of a case after its number.
fn case(r: &mut Random, xlen: u32) -> [u64; 12] {
    let level = r.below(3);
    let kind = if level == HOST { *r.pick(&OF_HOST) } else { *r.pick(&OF_GUEST) };
    let entry = |address: u64, flags: u64| address >> 2 | flags;
    let place = match r.below(16) {
        0 => PLACE + 0x1000,
        // Not where the program is.
        1 if xlen == 64 => 1 << (32 + r.below(18)),
        _ => PLACE,
    };
    let guest_leaf = entry(place, flags(r));
    let host_leaf = flags(r);
    let table_flags = |r: &mut Random| if r.one_in(12) { 1 | 1 << r.below(8) } else { 1 };
    let guest_middle = match r.below(6) {
        0 => entry(PLACE, flags(r) | 2),
        1 if r.one_in(3) => entry(PLACE + 0x1000, flags(r) | 3),
        _ => table_flags(r),
    };
    let host_middle = if r.one_in(20) { entry(PLACE + 0x1000, flags(r) | 3) } else { table_flags(r) };
    // QEMU 7.2 knows one MXR in all stages of a guest's access, which is the guest's, and not that of the host; and for the accesses of hosts it takes
    // another MXR than the guest's, and SUM as 1.
    let mut own = [0, SUM, MXR, SUM | MXR][r.index(4)];
    let outer = [0, SUM][r.index(2)];
    let is_only_run = host_leaf & 0b1010 == 0b1000;
    if level == HOST {
        own = SUM;
    } else if is_only_run {
        own &= SUM;
    }
    let status = if level == HOST && r.bool() { SPVP } else { 0 };
    let offset = if kind == FETCH { 0 } else { r.below(1000) * 4 + 64 };
    let address = match r.below(24) {
        0 => WINDOW + 0x1000 + offset,
        1 if xlen == 64 => 1 << (38 + r.below(26)) | offset,
        _ => WINDOW + offset,
    };
    let (to_host, to_guest) = (subset(r, &DELEGATED), subset(r, &GUESTS_OWN));
    [guest_leaf, host_leaf, guest_middle, host_middle, own, outer, status, to_host, to_guest, address, kind, level]
}

/// What each case has logged, by its number.
fn split(text: &str) -> Vec<(u64, Vec<&str>)> {
    let mut all: Vec<(u64, Vec<&str>)> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start_matches('0') == "ca5e" {
            all.push((lines.next().and_then(|n| u64::from_str_radix(n, 16).ok()).unwrap_or(u64::MAX), Vec::new()));
        } else if let Some((_, log)) = all.last_mut() {
            log.push(line);
        }
    }
    all
}

fn compare(xlen: u32, deep: bool) -> Result<(), Failed> {
    let isa = description::isa();
    let count = if std::env::var_os("ISAGLOT_FULL").is_some() { ALL_CASES } else { CASES };
    let (mut same, mut wrong) = (0, Vec::new());
    for first in (0..count).step_by(PER_FILE) {
        let mut r = Random::new((first as u64) << 8 | u64::from(xlen) | u64::from(deep));
        let cases: Vec<[u64; 12]> = (0..PER_FILE).map(|_| case(&mut r, xlen)).collect();
        let dir = tempfile::tempdir()?;
        let mut text = if deep { "#define SV48\n".to_owned() } else { String::new() };
        text.push_str("#include \"stages.S\"\n");
        std::fs::write(dir.path().join("program.S"), &text)?;
        let word = if xlen == 64 { ".dword" } else { ".word" };
        let mut table = String::new();
        for (at, case) in cases.iter().enumerate() {
            let words: Vec<String> = case.iter().map(|w| format!("{w:#x}")).collect();
            let _ = writeln!(table, "{word} {}, {}", first + at, words.join(", "));
        }
        std::fs::write(dir.path().join("cases.inc"), table)?;
        let program = compile_with(dir.path(), HYPERVISOR, &dir.path().join("program.S"), &["random"], xlen)?;
        let want = String::from_utf8_lossy(&on_qemu(HYPERVISOR, &program, xlen)?).into_owned();
        let got = String::from_utf8_lossy(&on_hart(&isa, HYPERVISOR, &program, Way::Whole)?.0).into_owned();
        let (want, got) = (split(&want), split(&got));
        if want.len() != PER_FILE || got.len() != PER_FILE {
            return Err(format!("QEMU has {} cases, we {}, of {PER_FILE}", want.len(), got.len()).into());
        }
        for ((want, got), case) in want.iter().zip(&got).zip(&cases) {
            if want == got {
                same += 1;
            } else {
                let words: Vec<String> = case.iter().map(|w| format!("{w:x}")).collect();
                let number = want.0;
                wrong.push(format!(
                    "case {number}: {}\n  QEMU {}\n  ours {}",
                    words.join(" "),
                    want.1.join(" "),
                    got.1.join(" ")
                ));
            }
        }
    }
    println!(
        "qemu: RV{xlen}{}: {same}/{count} random accesses of guests and into guests",
        if deep { " Sv48" } else { "" }
    );
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} differ:\n{}", wrong.len(), wrong.join("\n")).into()) }
}
