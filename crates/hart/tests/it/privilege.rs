//! Traps, delegation and returns between the three levels; control and status registers.

use isaglot_hart::{Config, Hart, Level, Stop};

use crate::description;

const START: u64 = 0x8000_0000;

fn hart<'a>(isa: &'a isaglot_model::Isa, xlen: u32, start: Level, at: &[(u64, &[u32])]) -> Hart<'a> {
    let mut config = Config::new(xlen);
    config.start = start;
    let mut hart = Hart::new(isa, config).expect("a sound machine");
    for (offset, words) in at {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        hart.memory().write(START + offset, &bytes).expect("it fits");
    }
    hart.set_pc(START);
    hart
}

/// `csrrw rd, csr, rs1`.
fn csrrw(rd: u32, csr: u32, rs1: u32) -> u32 {
    csr << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x73
}
/// `csrrs rd, csr, x0`.
fn csrr(rd: u32, csr: u32) -> u32 {
    csr << 20 | 2 << 12 | rd << 7 | 0x73
}
const ECALL: u32 = 0x73;
const EBREAK: u32 = 0x0010_0073;
const MRET: u32 = 0x3020_0073;
const SRET: u32 = 0x1020_0073;

#[test]
fn calls_reach_the_machine_level_and_come_back() {
    let isa = description::isa();
    for xlen in [32, 64] {
        let boot = [csrrw(0, 0x305, 10), csrrw(0, 0x341, 11), MRET];
        let user = [ECALL, EBREAK];
        // Reads mcause and mepc, steps over the call.
        let handler = [csrr(5, 0x342), csrr(6, 0x341), 0x0043_0393, csrrw(0, 0x341, 7), csrr(28, 0x300), MRET];
        let mut hart = hart(&isa, xlen, Level::Mach, &[(0, &boot), (0x100, &user), (0x200, &handler)]);
        hart.set_register(10, START + 0x200);
        hart.set_register(11, START + 0x100);
        assert_eq!(hart.run(100), Stop::Ebreak);
        assert_eq!((hart.level(), hart.pc()), (Level::User, START + 0x104));
        assert_eq!((hart.register(5), hart.register(6)), (8, START + 0x100), "cause and place");
        assert_eq!(hart.register(28) >> 11 & 3, 0, "it came from the user");
    }
}

#[test]
fn delegated_traps_stop_at_the_supervisor() {
    let isa = description::isa();
    for xlen in [32, 64] {
        // medeleg = a2; mtvec = a0; stvec = a3; mepc = a1; go to the user.
        let boot = [csrrw(0, 0x302, 12), csrrw(0, 0x305, 10), csrrw(0, 0x105, 13), csrrw(0, 0x341, 11), MRET];
        let user = [0xffff_ffff, EBREAK];
        let supervisor = [csrr(5, 0x142), csrr(6, 0x141), csrr(28, 0x143), 0x0043_0393, csrrw(0, 0x141, 7), SRET];
        let machine = [EBREAK];
        let parts: &[(u64, &[u32])] = &[(0, &boot), (0x100, &user), (0x200, &machine), (0x300, &supervisor)];
        for (delegated, level) in [(1 << 2, Level::User), (0, Level::Mach)] {
            let mut hart = hart(&isa, xlen, Level::Mach, parts);
            for (number, value) in [(10, START + 0x200), (11, START + 0x100), (12, delegated), (13, START + 0x300)] {
                hart.set_register(number, value);
            }
            assert_eq!(hart.run(100), Stop::Ebreak);
            assert_eq!(hart.level(), level);
            if level == Level::User {
                let seen = (hart.register(5), hart.register(6), hart.register(28));
                assert_eq!(seen, (2, START + 0x100, 0xffff_ffff), "cause, place, word");
            }
        }
    }
}

#[test]
fn registers_keep_to_their_levels() {
    let isa = description::isa();
    // A user touches a machine register, a supervisor's, a counter that nobody allowed, one that does not exist.
    for csr in [0x300, 0x100, 0xc00, 0x7c0, 0xf14] {
        let mut hart = hart(&isa, 64, Level::User, &[(0, &[csrr(5, csr)]), (0x200, &[EBREAK])]);
        hart.set_register(5, 77);
        hart.set_vector(START + 0x200);
        let boot = hart.run(1);
        assert_eq!(boot, Stop::Limit);
        assert_eq!((hart.level(), hart.register(5)), (Level::Mach, 77), "csr {csr:#x}");
        assert_eq!(hart.csr(0x342), Some(2));
    }
    // The machine level reads them all but the last two: one does not exist, one is there.
    for (csr, there) in [(0x300, true), (0x100, true), (0xc00, true), (0xf14, true), (0x7c0, false)] {
        let mut hart = hart(&isa, 64, Level::Mach, &[(0, &[csrr(5, csr), EBREAK])]);
        let stop = hart.run(2);
        assert_eq!(stop == Stop::Ebreak, there, "csr {csr:#x}");
    }
    // Read-only ones cannot be written, even by the machine level.
    let mut hart = hart(&isa, 64, Level::Mach, &[(0, &[csrrw(5, 0xf14, 6), EBREAK])]);
    hart.set_vector(START + 4);
    assert_eq!(hart.run(1), Stop::Limit);
    assert_eq!(hart.csr(0x342), Some(2));
}

/// A trap whose handler nobody has set, or that is where no memory is, ends the run and changes nothing.
#[test]
fn traps_without_a_handler_end_the_run() {
    let isa = description::isa();
    for (vector, stops) in [(None, true), (Some(0x10), true), (Some(START + 0x200), false)] {
        let mut hart = hart(&isa, 64, Level::User, &[(0, &[0xffff_ffff]), (0x200, &[EBREAK])]);
        vector.into_iter().for_each(|address| hart.set_vector(address));
        match hart.run(100) {
            Stop::Trap(trap) if stops => {
                assert_eq!((trap.pc, trap.from, trap.to), (START, Level::User, Some(Level::Mach)));
                assert_eq!((hart.pc(), hart.level(), hart.csr(0x342)), (START, Level::User, Some(0)));
            }
            Stop::Ebreak if !stops => assert_eq!(hart.csr(0x342), Some(2)),
            stop => panic!("{vector:x?}: {stop:?}"),
        }
    }
}

#[test]
fn counters_count_what_was_completed() {
    let isa = description::isa();
    let nop = 0x13;
    let mut hart = hart(&isa, 64, Level::Mach, &[(0, &[nop, nop, csrr(5, 0xc02), nop, csrr(6, 0xb02), EBREAK])]);
    assert_eq!(hart.run(100), Stop::Ebreak);
    assert_eq!((hart.register(5), hart.register(6)), (2, 4));
}
