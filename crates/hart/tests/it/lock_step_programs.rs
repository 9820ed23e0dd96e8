//! Machine code and the interpreter in lock step on programs that are not random: those of privilege, with traps, returns and CSRs; and loops of
//! overloadable opcodes whose handles change, so that what machine code has taken for granted is not so any more.

use isaglot_hart::limits::MAX_REGION_BLOCKS;
use isaglot_hart::{Config, Hart, Stop};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::Random;
use isaglot_xintf::set;

use crate::{description, programs};

/// The most instructions of a run.
const STEPS: u64 = 4000;

/// What can be seen of a machine.
fn state(hart: &Hart<'_>) -> (u64, u64, Vec<u64>, Vec<Option<u64>>, u64) {
    let registers = (0..32).map(|n| hart.register(n)).collect();
    // fcsr, mstatus, mepc, mcause, mtval, mscratch, minstret.
    let csrs = [3, 0x300, 0x341, 0x342, 0x343, 0x340, 0xb02].map(|n| hart.csr(n)).to_vec();
    (hart.pc(), hart.retired(), registers, csrs, hart.call_count())
}

/// Runs both to the end, in slices of these lengths at most; gives the end.
fn both(plain: &mut Hart<'_>, native: &mut Hart<'_>, slice: u64, r: &mut Random, name: &str) -> Stop {
    native.set_native(true).expect("there is a translator for this host");
    native.native_from(1, MAX_REGION_BLOCKS);
    let mut ran = 0;
    loop {
        let steps = r.below(slice) + 1;
        let (one, other) = (plain.run(steps), native.run(steps));
        assert_eq!(one, other, "{name}: the end after {ran} instructions and {steps} more");
        assert_eq!(plain.level(), native.level(), "{name}: the level after {ran} instructions and {steps} more");
        assert_eq!(state(plain), state(native), "{name}: after {ran} instructions and {steps} more");
        assert_eq!(plain.calls(), native.calls(), "{name}: calls");
        ran += steps;
        if one != Stop::Limit || ran >= STEPS {
            return one;
        }
    }
}

#[test]
fn lock_step_of_privilege() {
    let isa = description::isa();
    let mut r = Random::new(11);
    for xlen in [32, 64] {
        for program in programs::programs(xlen) {
            for slice in [1, 3, 1000] {
                let (mut plain, mut native) = (program.hart(&isa), program.hart(&isa));
                let stop = both(&mut plain, &mut native, slice, &mut r, &program.name);
                let wrong = program.wrong(&native, &stop);
                assert_eq!(wrong, None, "rv{xlen}, {}", program.name);
            }
        }
    }
}

const MACHINE: &str = "levels = [\"user\", \"mach\"]
start_priv = \"user\"

[[device]]
name = \"one\"
serves = [{ interface = \"org.example.bench:One\" }]

[[device]]
name = \"two\"
serves = [{ interface = \"org.example.bench:Two\" }]
";

/// Commands that compute, that decide, that leave their result at 0, and that keep something.
const INTERFACES: [&str; 2] = [
    "org.example.bench:One{
    uuid: 0x4321
    add rd rs1 rs2: xcmd0 rd rs1 rs2 semantics { rd = rs1 + rs2; }
    pick rd rs1 rs2: xcmd1 rd rs1 rs2 semantics { if (rs2[0]) { rd = data ^ lun; } }
    sum rd rs1 rs2: xcmd2 rd rs1 rs2 semantics { rd = rotl(rs2, lun) - data; }
}",
    "org.example.bench:Two{
    uuid: 0x4322
    sub rd rs1 rs2: xcmd0 rd rs1 rs2 semantics { rd = rs2 - rs1; }
    pick rd rs1 rs2: xcmd1 rd rs1 rs2 semantics { let half = rs2 >>u 1; if (rs2[1]) { rd = half; } else { rd = ~half; } }
}",
];

fn opcode(f3: u32, f7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x0b
}

/// A loop with handles of two interfaces in turn; after it a command that only one has.
fn code(every: u32) -> Vec<u8> {
    let words = [
        0x0432_12b7,               // lui x5, 0x4321
        0x0000_33b7,               // lui x7, 3
        0x0c80_0193,               // addi x3, x0, 200
        opcode(0, 1, 6, 5, 11),    // loop: xext x6, x5, x11
        opcode(0, 0, 10, 6, 12),   // xcmd0 x10, x6, x12
        opcode(1, 0, 12, 6, 10),   // xcmd1 x12, x6, x10
        opcode(0, 0, 6, 6, 6),     // xcmd0 x6, x6, x6
        opcode(0, 1, 6, 5, 12),    // xext x6, x5, x12
        opcode(1, 0, 13, 6, 11),   // xcmd1 x13, x6, x11
        opcode(1, 1, 14, 13, 12),  // xext0 x14, x13, x12
        0x00a5_85b3,               // add x11, x11, x10
        every << 20 | 0x0001_f713, // andi x14, x3, every
        0x0007_1463,               // bne x14, x0, 8
        0x0072_c2b3,               // xor x5, x5, x7
        0xfff1_8193,               // addi x3, x3, -1
        0xfc01_98e3,               // bne x3, x0, loop
        opcode(2, 0, 10, 6, 12),   // xcmd2 x10, x6, x12
        0x0010_0073,
    ];
    words.iter().flat_map(|w: &u32| w.to_le_bytes()).collect()
}

#[test]
fn lock_step_of_commands() {
    let isa = description::isa();
    let mut r = Random::new(5);
    for xlen in [32, 64] {
        let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let named: Vec<_> = INTERFACES.iter().map(|text| files.add("interfaces", text.as_bytes())).collect();
        let set = set::load(&mut files, &named, |_, _, _| None, &mut problems);
        let text = format!("xlen = {xlen}\n{MACHINE}");
        let file = files.add("machine", text.as_bytes());
        for (every, log) in [(15, true), (15, false), (1, false), (0, false), (0, true)] {
            let mut make = || {
                let config = Config::read(file, text.as_bytes(), &set, xlen, &mut problems);
                let mut hart = Hart::new(&isa, config).expect("a sound machine");
                let start = isaglot_hart::limits::RAM.0;
                hart.memory().write(start, &code(every)).expect("there is memory");
                hart.set_pc(start);
                hart.set_call_log(log);
                (11..13).for_each(|n| hart.set_register(n, u64::from(n) * 0x9e37));
                hart
            };
            let (mut plain, mut native) = (make(), make());
            let name = format!("rv{xlen}, every {every}, log {log}");
            let stop = both(&mut plain, &mut native, 700, &mut r, &name);
            assert!(stop != Stop::Limit, "{name}: the loop ends");
            assert!(plain.call_count() > 500, "{name}: {} calls", plain.call_count());
            for device in 0..3 {
                assert_eq!(plain.device_variables(device), native.device_variables(device), "{name}");
            }
        }
        assert!(!problems.has_errors(), "{problems:?}");
    }
}
