//! Switches of contexts in lock step: a user calls commands in a loop and asks its supervisor, which puts another context in force and returns. So the
//! units that machine code has taken for granted become others again and again, and come back.

use isaglot_hart::{Config, Hart, Stop};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Failed, Random, rounds};
use isaglot_xintf::set;

use crate::description;
use crate::pair::{Count, Pair, WAYS};

const START: u64 = 0x8000_0000;
const HANDLER: u64 = 0x100;
const SKIP: u64 = 0x180;
const USER: u64 = 0x200;
const TURNS: u64 = 120;
const STEPS: u64 = 200_000;

const SXCONTEXT: u32 = 0x5c0;
const MXCONTEXT: u32 = 0x7c0;

/// In each context the same interface leads to a device that does something else, and the unit has the same number; one device is shared and has
/// something to remember.
const MACHINE: &str = r#"levels = ["user", "super", "mach"]
trap_model = "deliver"
shared = ["common"]

[[device]]
name = "own"
serves = [{ interface = "org.example:Work" }]

[context.red]
number = 1
[[context.red.device]]
name = "red"
serves = [{ interface = "org.example:Work" }]
[[context.red.device]]
name = "common"
serves = [{ interface = "org.example:Count" }]

[context.blue]
number = 9
[[context.blue.device]]
name = "common"
serves = [{ interface = "org.example:Count" }]
[[context.blue.device]]
name = "blue"
serves = [{ interface = "org.example:Other" }]
"#;

const INTERFACES: [&str; 3] = [
    "org.example:Work{
    uuid: 0x4321
    add rd rs1 rs2: xcmd0 rd rs1 rs2 semantics { rd = rs1 + rs2; }
    pick rd rs1 rs2: xcmd1 rd rs1 rs2 semantics { if (rs2[0]) { rd = data ^ lun; } }
}",
    "org.example:Other{
    uuid: 0x4322
    sub rd rs1 rs2: xcmd0 rd rs1 rs2 semantics { rd = rs2 - rs1; }
    turn rd rs1 rs2: xcmd1 rd rs1 rs2 semantics { rd = rotl(rs2, lun) - data; }
}",
    "org.example:Count{
    uuid: 0x4323
    state seen
    count rd rs1 rs2: xcmd0 rd rs1 rs2 stateful semantics { seen = seen + 1; rd = seen + rs2; }
    more rd rs1 rs2: xcmd1 rd rs1 rs2 stateful semantics { seen = seen + rs2; rd = ~seen; }
}",
];

fn csr(function: u32, number: u32, rd: u32, rs1: u32) -> u32 {
    number << 20 | rs1 << 15 | function << 12 | rd << 7 | 0x73
}

fn opcode(f3: u32, f7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x0b
}

fn addi(rd: u32, rs1: u32, by: u32) -> u32 {
    by << 20 | rs1 << 15 | rd << 7 | 0x13
}

/// The start at the machine level, the handler that switches (registers 28 to 31 are its own), and the loop of the user. Traps of commands that a
/// context has not got are skipped by the handler, too.
fn parts(by_super: bool, every: u32) -> [(u64, Vec<u32>); 4] {
    // medeleg, stvec and mtvec, the user's pc, no level before; mret.
    let boot = vec![
        csr(1, 0x302, 0, 5),
        csr(1, 0x105, 0, if by_super { 6 } else { 9 }),
        csr(1, 0x305, 0, if by_super { 9 } else { 6 }),
        csr(1, 0x341, 0, 7),
        csr(1, 0x300, 0, 0),
        0x3020_0073,
    ];
    let (epc, register) = if by_super { (0x141, SXCONTEXT) } else { (0x341, MXCONTEXT) };
    let ret = if by_super { 0x1020_0073 } else { 0x3020_0073 };
    let handler = vec![
        csr(2, epc, 28, 0),
        addi(28, 28, 4),
        csr(1, epc, 0, 28),
        // Every so often: 0, 1 and 9 in turn, by x29 and x30.
        addi(31, 31, 1),
        every << 20 | 31 << 15 | 7 << 12 | 27 << 7 | 0x13,
        // bnez x27, ret
        0x63 | 1 << 12 | 27 << 15 | 10 << 8,
        csr(1, register, 26, 29),
        addi(28, 29, 0),
        addi(29, 30, 0),
        addi(30, 26, 0),
        ret,
    ];
    // Traps of commands go to the supervisor in any case.
    let skip = vec![csr(2, 0x141, 28, 0), addi(28, 28, 4), csr(1, 0x141, 0, 28), 0x1020_0073];
    let mut user = vec![
        opcode(0, 1, 10, 5, 0),   // loop: xext x10, x5, x0
        opcode(0, 1, 11, 6, 0),   // xext x11, x6, x0
        opcode(0, 0, 12, 10, 13), // xcmd0 x12, x10, x13
        opcode(1, 0, 13, 10, 12), // xcmd1 x13, x10, x12
        opcode(0, 0, 14, 8, 13),  // xcmd0 x14, x8, x13
        opcode(1, 0, 15, 11, 14), // xcmd1 x15, x11, x14
        0x00f6_8633,              // add x12, x13, x15
        0x0000_0073,              // ecall
        opcode(0, 0, 13, 8, 12),  // xcmd0 x13, x8, x12
        opcode(0, 0, 16, 10, 13), // xcmd0 x16, x10, x13
        0x0106_8733,              // add x14, x13, x16
        addi(3, 3, 0xfff),
    ];
    let back = (-4 * user.len() as i32) as u32;
    let bits = |high: u32, low: u32| back >> low & ((1 << (high - low + 1)) - 1);
    user.push(bits(12, 12) << 31 | bits(10, 5) << 25 | 3 << 15 | 1 << 12 | bits(4, 1) << 8 | bits(11, 11) << 7 | 0x63);
    user.push(0x0010_0073);
    [(0, boot), (HANDLER, handler), (SKIP, skip), (USER, user)]
}

pub(crate) fn switches() -> Result<(), Failed> {
    let isa = description::isa();
    let mut count = Count::default();
    for xlen in [32, 64] {
        let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let named: Vec<_> = INTERFACES.iter().map(|text| files.add("interfaces", text.as_bytes())).collect();
        let set = set::load(&mut files, &named, |_, _, _| None, &mut problems);
        let text = format!("xlen = {xlen}\n{MACHINE}");
        let file = files.add("machine", text.as_bytes());
        let mut variants = Vec::new();
        for by_super in [false, true] {
            for every in [0, 1, 7] {
                variants.extend([true, false].map(|log| (by_super, every, log)));
            }
        }
        for seed in 0..rounds(20) as u64 {
            for &(by_super, every, log) in &variants {
                for way in WAYS {
                    let mut make = || -> Result<Hart<'_>, Failed> {
                        let mut r = Random::new(seed);
                        let config = Config::read(file, text.as_bytes(), &set, xlen, &mut problems);
                        let mut hart = Hart::new(&isa, config)?;
                        for (offset, words) in parts(by_super, every) {
                            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                            let done = hart.memory().write(START + offset, &bytes);
                            done.map_err(|at| format!("no memory at {at:#x}"))?;
                        }
                        hart.set_pc(START);
                        hart.set_call_log(log);
                        (10..20).for_each(|n| hart.set_register(n, r.u64()));
                        // Calls of the user and what no command is go to the supervisor.
                        let delegated = if by_super { 1 << 8 | 1 << 2 | 1 << 24 } else { 0 };
                        let vectors = [(6, START + HANDLER), (9, START + SKIP)];
                        for (n, value) in vectors.into_iter().chain([(5, delegated), (7, START + USER), (3, TURNS)]) {
                            hart.set_register(n, value);
                        }
                        // A handle of no interface in particular; the contexts that come.
                        [(8, 32 + r.below(2)), (29, 1), (30, 9)].into_iter().for_each(|(n, v)| hart.set_register(n, v));
                        Ok(hart)
                    };
                    let (mut plain, mut native) = (make()?, make()?);
                    // The start alone, after which the registers with the interfaces are the user's.
                    for hart in [&mut plain, &mut native] {
                        hart.run(6);
                        hart.set_register(5, 0x4321_u64 << 12);
                        hart.set_register(6, (if seed % 2 == 0 { 0x4322_u64 } else { 0x4323 }) << 12);
                    }
                    let at = format!("rv{xlen}, by the supervisor: {by_super}, every {every}, log {log}, seed {seed}");
                    let pair = Pair::new(plain, native, way).map_err(|e| format!("{at}: {e}"))?;
                    let (stop, compared, native) =
                        pair.run(STEPS, &mut Random::new(seed)).map_err(|e| format!("{at}: {e}"))?;
                    if stop != Stop::Ebreak || native.call_count() < 100 {
                        return Err(format!("{at}: {stop:?} after {} calls", native.call_count()).into());
                    }
                    count += compared;
                }
            }
        }
        if problems.has_errors() {
            return Err(format!("{problems:?}").into());
        }
    }
    println!("switches of contexts: {count}");
    Ok(())
}
