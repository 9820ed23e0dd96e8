//! Processes whose supervisor switches between them, in random runs: no command of one reaches a device of another, whatever code it has and
//! whatever handles the one before has left in the registers.
//!
//! The problem: whose command it was must be known without asking the hart which context is in force, or a switch that had no effect would agree with
//! itself. Method: the supervisor gives each process its mark in a register that no process writes, and all commands pass that register as
//! rs2, which the log of calls keeps. Processes are entered at random places and left by traps, and by interrupts at any instruction. A supervisor that
//! forgets to switch is found, or the check would say nothing.

use isaglot_hart::{Config, Hart, Level, Stop};
use isaglot_model::Isa;
use isaglot_testing::Random;

use crate::contexts::{DEVICES, MXCONTEXT, START, SXCONTEXT, allowed, config, counts, csr};
use crate::description;

/// The processes by their contexts; a process's mark is its place here.
const PROCESSES: [u16; 3] = [0, 1, 9];
const HANDLER: u64 = 0x100;
const CODE: u64 = 0x1000;
const SCHEDULE: u64 = 0x10_0000;
/// Instructions of each process.
const LENGTH: u64 = 400;
/// Turns of a run.
const TURNS: u64 = 900;
/// The register with the mark.
const MARK: u32 = 20;
/// What the supervisor fills in for each turn beside context and address: the mark, four handles, two interfaces.
const FILLED: [u32; 7] = [MARK, 10, 11, 12, 13, 14, 15];
const ECALL: u32 = 0x73;
const NOP: u32 = 0x13;

/// What a run is of.
#[derive(Clone, Copy, Debug)]
struct Case {
    xlen: u32,
    /// The supervisor switches, by `sxcontext`; otherwise the machine level by `mxcontext`.
    by_super: bool,
    /// Each instruction is looked at.
    by_steps: bool,
    /// The supervisor forgets to switch, so that the check has something to find.
    forgets: bool,
}

/// What was seen of a run.
#[derive(Debug, Default)]
struct Seen {
    /// Commands that devices ran, by process.
    calls: [usize; 3],
    /// A command came after one of another process.
    changes: usize,
    /// Handles that were compared.
    handles: usize,
}

/// Loads a register from the schedule, which x31 points to.
fn load(case: Case, register: u32, column: usize) -> u32 {
    let function = if case.xlen == 64 { 3 } else { 2 };
    (column as u32 * case.xlen / 8) << 20 | 31 << 15 | function << 12 | register << 7 | 0x03
}

/// The supervisor: the next row of the schedule says which process has its turn, where, and with which registers.
fn handler(case: Case) -> Vec<u32> {
    let (scratch, epc, context, back) = match case.by_super {
        true => (0x140, 0x141, SXCONTEXT, 0x1020_0073),
        false => (0x340, 0x341, MXCONTEXT, 0x3020_0073),
    };
    let columns = FILLED.len() + 2;
    let switch = if case.forgets { NOP } else { csr(1, context, 0, 30) };
    let mut words = vec![csr(1, scratch, 31, 31), load(case, 30, 0), switch, load(case, 30, 1), csr(1, epc, 0, 30)];
    words.extend(FILLED.into_iter().enumerate().map(|(at, register)| load(case, register, at + 2)));
    words.push((columns as u32 * case.xlen / 8) << 20 | 31 << 15 | 31 << 7 | 0x13);
    words.extend([csr(1, scratch, 31, 31), back]);
    words
}

/// A word of a process: commands, handles, attempts at the register, system calls, and any other instruction that neither stores nor jumps.
fn word(r: &mut Random) -> u32 {
    let rd = (r.u32() & 31) << 7;
    let word = match r.below(10) {
        0 | 1 => r.u32() | 3,
        2 => csr(r.below(8) as u32, *r.pick(&[SXCONTEXT, MXCONTEXT]), 0, r.u32() & 31) | rd,
        3 if r.one_in(3) => ECALL,
        // xext, xext0, xextm1 of an interface, with data.
        4 => 1 << 25 | (r.u32() & 31) << 20 | *r.pick(&[14, 15]) << 15 | *r.pick(&[0, 1, 2]) << 12 | rd | 0x0b,
        _ => MARK << 20 | (r.u32() & 31) << 15 | (r.u32() & 7) << 12 | rd | 0x0b,
    };
    let stores_or_jumps = matches!(word & 0x7f, 0x23 | 0x27 | 0x2f | 0x0f | 0x63 | 0x67 | 0x6f);
    let command = word & 0x7f == 0x0b && word >> 25 == 0 && word >> 20 & 31 != MARK;
    let is_system = word & 0x707f == 0x73 && word != ECALL;
    if stores_or_jumps || command || is_system || word >> 7 & 31 == MARK { NOP } else { word }
}

/// The unit that an interface has for a process, by the file of the machine.
fn unit(config: &Config, process: usize, uuid: u64, dev: u16) -> Option<u16> {
    match config.contexts.iter().find(|c| c.number == PROCESSES[process]) {
        Some(context) => context.luns.iter().find(|l| (l.0, l.1) == (uuid, dev)).map(|l| l.2),
        None => config.luns.iter().find(|l| (l.0, l.1) == (uuid, dev) && l.2 & 1 == 1).map(|l| l.3),
    }
}

fn machine<'a>(isa: &'a Isa, case: Case, r: &mut Random) -> Hart<'a> {
    let mut config = config(case.xlen);
    config.start = Level::User;
    config.ebreak_stops = false;
    let mut hart = Hart::new(isa, config).expect("a sound machine");
    let mut put = |offset: u64, bytes: Vec<u8>| hart.memory().write(START + offset, &bytes).expect("it fits");
    let bytes = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    // The first trap is where the run starts.
    put(0, bytes(&[ECALL]));
    put(HANDLER, bytes(&handler(case)));
    for process in 0..PROCESSES.len() as u64 {
        let mut words: Vec<u32> = (0..LENGTH).map(|_| word(r)).collect();
        words.push(ECALL);
        put(CODE * (process + 1), bytes(&words));
    }
    let mut row = SCHEDULE;
    for _ in 0..TURNS * 8 {
        let process = r.below(3);
        let handles = [0; 4].map(|_| r.u64() << 12 | *r.pick(&[40, 41, 50, 4095, 1, 2, 0]));
        let interface = |r: &mut Random| *r.pick(&[0x100_u64 << 12, 0x200 << 12 | 1, 0x200 << 12, 0x300 << 12]);
        let place = START + CODE * (process + 1) + 4 * r.below(LENGTH);
        let columns = [PROCESSES[process as usize].into(), place, process].into_iter().chain(handles);
        for value in columns.chain([interface(r), interface(r)]).collect::<Vec<u64>>() {
            let width = case.xlen as usize / 8;
            put(row, value.to_le_bytes()[..width].to_vec());
            row += width as u64;
        }
    }
    let (scratch, vector) = if case.by_super { (0x140, 0x105) } else { (0x340, 0x305) };
    // What processes do wrong, their calls, and the interrupt are the supervisor's.
    let delegated = if case.by_super { [(0x302, 0xb3ff), (0x303, 0x222)] } else { [(0x302, 0), (0x303, 0)] };
    for (number, value) in
        [(vector, START + HANDLER), (scratch, START + SCHEDULE), (0x304, 0xa00)].into_iter().chain(delegated)
    {
        hart.set_csr(number, value).expect("it can be written");
    }
    hart.set_pc(START);
    hart
}

/// Runs the processes; a sentence says what one has reached or was told of another.
fn check(isa: &Isa, case: Case, seed: u64, native: bool) -> Result<Seen, String> {
    let mut r = Random::new(seed);
    let config = config(case.xlen);
    let mut hart = machine(isa, case, &mut r);
    if native {
        #[cfg(feature = "jit")]
        {
            hart.set_native(true)?;
            hart.native_from(2, 8);
        }
    }
    let asks = if case.by_super { Level::Super } else { Level::Mach };
    let (mut seen, mut looked, mut last) = (Seen::default(), 0, None);
    for turn in 0..TURNS {
        let slice = r.below(40) + 1;
        let steps = if case.by_steps { slice } else { 1 };
        for _ in 0..steps {
            let (pc, level, process) = (hart.pc(), hart.level(), hart.register(MARK as u8) as usize);
            let word = hart.fetch(pc).map_or(0, |(word, _)| word.low_u64());
            let asked = hart.register((word >> 15 & 31) as u8);
            let stop = hart.run(if case.by_steps { 1 } else { slice });
            if stop != Stop::Limit {
                return Err(format!("turn {turn}: {stop:?}"));
            }
            let is_xext = word & 0x7f == 0x0b && word >> 25 == 1 && word >> 7 & 31 != 0;
            if case.by_steps && is_xext && level == Level::User && hart.pc() == pc + 4 {
                let expected = unit(&config, process, asked >> 12, asked as u16 & 0xfff);
                let got = hart.register((word >> 7 & 31) as u8) & 0xfff;
                if got != expected.map_or(word >> 12 & 7, u64::from) {
                    return Err(format!("process {process} was given the unit {got}, its own is {expected:?}"));
                }
                seen.handles += 1;
            }
        }
        for call in hart.calls().get(looked..).unwrap_or_default() {
            let process = call.rs2 as usize;
            let context = *PROCESSES.get(process).ok_or("the mark was lost")?;
            let device = DEVICES[call.device];
            if !allowed(context).contains(&device) || call.level != Level::User {
                return Err(format!("turn {turn}: process {process} reached {device} at {:?}", call.level));
            }
            seen.calls[process] += 1;
            seen.changes += usize::from(last.replace(process).is_some_and(|last| last != process));
        }
        looked = hart.calls().len();
        // The process is interrupted where it is; within the supervisor nothing happens.
        hart.set_external(asks, true);
        hart.run(1);
        hart.set_external(asks, false);
    }
    // Each device counts what it was asked: nothing reached one beside the log.
    for (at, count) in counts(&hart).into_iter().enumerate().skip(1) {
        let logged = hart.calls().iter().filter(|c| c.device == at).count() as u64;
        if count != logged {
            return Err(format!("{} was asked {count} times, the log has {logged}", DEVICES[at]));
        }
    }
    Ok(seen)
}

fn cases(forgets: bool) -> Vec<Case> {
    let flags = [false, true];
    let mut all = Vec::new();
    for xlen in [32, 64] {
        for by_super in flags {
            all.extend(flags.map(|by_steps| Case { xlen, by_super, by_steps, forgets }));
        }
    }
    all
}

#[test]
fn processes_reach_only_their_own() {
    let isa = description::isa();
    for case in cases(false) {
        let mut total = Seen::default();
        for seed in 0..8 {
            let native = cfg!(feature = "jit") && seed % 2 == 1;
            let seen = check(&isa, case, seed, native).unwrap_or_else(|e| panic!("{case:?}, seed {seed}: {e}"));
            total.calls.iter_mut().zip(seen.calls).for_each(|(all, more)| *all += more);
            total.changes += seen.changes;
            total.handles += seen.handles;
        }
        let said = total.calls.iter().all(|&n| n > 300) && total.changes > 500;
        assert!(said && (!case.by_steps || total.handles > 300), "{case:?}: {total:?} is too little to say anything");
    }
}

/// The check finds what it is for: processes that run with the tables of another one.
#[test]
fn a_switch_that_is_forgotten_is_found() {
    let isa = description::isa();
    for case in cases(true) {
        for seed in 0..4 {
            let found = check(&isa, case, seed, false).expect_err("nothing was found");
            assert!(found.contains("reached") || found.contains("was given"), "{case:?}, seed {seed}: {found}");
        }
    }
}
