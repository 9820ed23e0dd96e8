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

/// What happens to the accessed (64) and dirty (128) bits of an entry: with ADUE they are set, without it the access faults.
#[test]
fn accessed_and_dirty_bits() {
    use isaglot_hart::Cause;
    let isa = description::isa();
    const A: u32 = 64;
    const D: u32 = 128;
    for (xlen, sets, bits) in [32, 64]
        .into_iter()
        .flat_map(|x| [false, true].map(|s| (x, s)))
        .flat_map(|(x, s)| [0, A, A | D].map(|b| (x, s, b)))
    {
        // lw a0, 0(a1); sw a0, 0(a1); jalr x0, 0(a1), each for itself.
        let cases = [
            (0x0005_a503, Cause::LoadPage, A),
            (0x00a5_a023, Cause::StorePage, A | D),
            (0x0005_8067, Cause::InstructionPage, A),
        ];
        for (word, fault, needed) in cases {
            let mut hart = hart(&isa, xlen, Level::Super, &[(0, &[word]), (0x100, &[EBREAK])]);
            // Leaves of the highest level: the code where it is, marked; the same memory again, one leaf further.
            let (table, size, leaf) = (START + 0x1_0000, u64::from(xlen / 8), if xlen == 64 { 30 } else { 22 });
            let entry = |flags: u32| (START >> 12 << 10) as u32 | 0xf | flags;
            let place = |at: u64| table + (at >> leaf & if xlen == 64 { 0x1ff } else { 0x3ff }) * size;
            let other = START + (1 << leaf);
            for (at, flags) in [(START, A | D), (other, bits)] {
                let bytes = u64::from(entry(flags)).to_le_bytes();
                hart.memory().write(place(at), &bytes[..size as usize]).expect("it fits");
            }
            hart.set_csr(0x180, if xlen == 64 { 8 << 60 | table >> 12 } else { 1 << 31 | table >> 12 }).expect("satp");
            let (number, adue) = if xlen == 64 { (0x30a, 1 << 61) } else { (0x31a, 1 << 29) };
            hart.set_csr(number, if sets { adue } else { 0 }).expect("menvcfg");
            assert_eq!(hart.csr(number).map(|v| v & adue != 0), Some(sets));
            hart.set_register(11, other + 0x100);
            let name = format!("RV{xlen}, ADUE {sets}, bits {bits:#x}, {word:#x}");
            let stop = hart.run(2);
            let is_there = bits & needed == needed;
            if is_there || sets {
                let at_end = matches!(stop, Stop::Ebreak) || matches!(&stop, Stop::Trap(t) if t.pc == START + 4);
                assert!(at_end, "{name}: {stop:?}");
            } else {
                assert!(
                    matches!(&stop, Stop::Trap(t) if t.reason == fault && t.value == other + 0x100),
                    "{name}: {stop:?}"
                );
            }
            let left = hart.memory().read(place(other), 4).expect("it is there");
            let left = u32::from_le_bytes([left[0], left[1], left[2], left[3]]);
            let wanted = entry(if sets && !is_there { bits | needed } else { bits });
            assert_eq!(left, wanted, "{name}: the entry");
        }
    }
}

/// `tcontrol`: with MTE at 0 no trigger fires at the machine level; a trap to that level clears it, and its return brings it back.
#[test]
fn triggers_of_the_machine_level_can_wait() {
    use isaglot_hart::Cause;
    let isa = description::isa();
    for xlen in [32, 64] {
        // t0 to tcontrol; a load that a trigger watches; ebreak.
        let code = [csrrw(6, 0x7a5, 5), 0x0005_a503, EBREAK];
        // The handler reads tcontrol, steps over the load by a return, which ends at the ebreak.
        let handler = [csrr(7, 0x7a5), csrr(28, 0x341), 0x004e_0e13, csrrw(0, 0x341, 28), MRET];
        for (mte, fires) in [(0, false), (8, true), (0x80, false)] {
            let mut hart = hart(&isa, xlen, Level::Mach, &[(0, &code), (0x200, &handler)]);
            assert_eq!(hart.csr(0x7a5), Some(8), "it starts with the bit set");
            hart.set_vector(START + 0x200);
            hart.set_csr(0x7a2, START + 0x100).expect("tdata2");
            hart.set_csr(0x7a1, 1 << 6 | 1).expect("tdata1: loads of the machine level");
            hart.set_register(5, mte);
            hart.set_register(11, START + 0x100);
            assert_eq!(hart.run(20), Stop::Ebreak, "RV{xlen}");
            let cause = hart.csr(0x342);
            assert_eq!(cause, Some(if fires { Cause::Trigger.code(Level::Mach) } else { 0 }), "RV{xlen}, {mte:#x}");
            // In the handler MTE is 0 and MPTE has what it was; afterwards both have it.
            let (inside, after) = if fires { (0x80, 0x88) } else { (0, mte) };
            assert_eq!((hart.register(7), hart.csr(0x7a5)), (inside, Some(after)), "RV{xlen}, {mte:#x}");
        }
    }
}

const PLIC: u64 = 0xc00_0000;

/// An interrupt that a store asks for while interrupts are on comes before the next instruction.
#[test]
fn a_store_to_a_device_interrupts_at_once() {
    let isa = description::isa();
    for xlen in [32, 64] {
        // sw t1, 0(t0); then a loop of addi s0, s0, 1; the handler stops.
        let code = [0x0062_a023, 0x0014_0413, 0xffdf_f06f];
        let mut hart = hart(&isa, xlen, Level::Mach, &[(0, &code), (0x200, &[EBREAK])]);
        hart.set_vector(START + 0x200);
        hart.set_csr(0x304, 8).expect("mie");
        hart.set_csr(0x300, 8).expect("mstatus");
        hart.set_register(5, 0x200_0000);
        hart.set_register(6, 1);
        assert_eq!(hart.run(100), Stop::Ebreak, "RV{xlen}");
        assert_eq!((hart.register(8), hart.csr(0x341)), (0, Some(START + 4)), "RV{xlen}");
    }
}

/// What a program reads and writes at the interrupt controller.
fn plic(hart: &mut Hart<'_>, offset: u64, write: Option<u32>) -> u32 {
    let (load, store) = (0x0002_a383, 0x0062_a023); // lw t2, 0(t0); sw t1, 0(t0)
    hart.memory().write(START, &u32::to_le_bytes(if write.is_some() { store } else { load })).expect("it fits");
    hart.code_changed();
    hart.set_register(5, PLIC + offset);
    hart.set_register(6, write.unwrap_or(0).into());
    hart.set_pc(START);
    assert_eq!(hart.step(), None, "an access at {offset:#x}");
    hart.register(7) as u32
}

#[test]
fn sources_wait_for_their_turn() {
    let isa = description::isa();
    const PENDING: u64 = 0x1000;
    for xlen in [32, 64] {
        let hart = &mut hart(&isa, xlen, Level::Mach, &[]);
        let line = |hart: &mut Hart<'_>, bit: u32| {
            // Reads `mip` as a program does.
            hart.memory().write(START, &csrr(7, 0x344).to_le_bytes()).expect("it fits");
            hart.code_changed();
            hart.set_pc(START);
            assert_eq!(hart.step(), None);
            hart.register(7) >> bit & 1
        };
        for (target, bit) in [(0, 11), (1, 9)] {
            let (enable, threshold, claim) =
                (0x2000 + 0x80 * target, 0x20_0000 + 0x1000 * target, 0x20_0004 + 0x1000 * target);
            // What can be written.
            assert_eq!((plic(hart, 4 * 3, Some(15)), plic(hart, 4 * 3, None)).1, 7, "priorities have three bits");
            for (offset, value) in
                [(4 * 3, 2), (4 * 5, 2), (4 * 40, 6), (enable, 1 << 3 | 1 << 5), (enable + 4, 1 << 8), (threshold, 1)]
            {
                plic(hart, offset, Some(value));
                assert_eq!(plic(hart, offset, None), value, "{offset:#x}");
            }
            assert_eq!((plic(hart, claim, None), line(hart, bit)), (0, 0), "nothing waits");
            [5, 3, 40, 9].into_iter().for_each(|n| hart.set_source(n, true));
            assert_eq!(plic(hart, PENDING, None), 1 << 3 | 1 << 5 | 1 << 9);
            assert_eq!((plic(hart, PENDING + 4, None), line(hart, bit)), (1 << 8, 1));
            // By priority, then by number; source 9 is off.
            assert_eq!([(); 4].map(|()| plic(hart, claim, None)), [40, 3, 5, 0]);
            assert_eq!((plic(hart, PENDING, None), line(hart, bit)), (1 << 9, 0));
            // What is done asks again as long as its source does; what was never enabled cannot be done.
            hart.set_source(3, false);
            for n in [3, 5, 9, 99] {
                plic(hart, claim, Some(n));
            }
            assert_eq!((plic(hart, PENDING, None), line(hart, bit)), (1 << 5 | 1 << 9, 1));
            // Held back by the threshold, and yet there to be taken.
            plic(hart, threshold, Some(2));
            assert_eq!((line(hart, bit), plic(hart, claim, None)), (0, 5));
            [5, 9, 40].into_iter().for_each(|n| hart.set_source(n, false));
            for n in [5, 40] {
                plic(hart, claim, Some(n));
            }
            // It asked, so it waits until somebody takes it.
            plic(hart, enable, Some(1 << 9));
            plic(hart, 4 * 9, Some(3));
            assert_eq!((line(hart, bit), plic(hart, claim, None), plic(hart, claim, None)), (1, 9, 0));
            plic(hart, claim, Some(9));
            for offset in [enable, enable + 4, threshold] {
                plic(hart, offset, Some(0));
            }
        }
        assert_eq!((plic(hart, 0, Some(7)), plic(hart, 0, None)).1, 0, "there is no source 0");
        assert_eq!((plic(hart, 0x3f_fffc, Some(7)), plic(hart, 0x3f_fffc, None)).1, 0, "nothing is there");
    }
}

#[test]
fn external_interrupts_are_taken() {
    let isa = description::isa();
    for (xlen, level) in [32, 64].into_iter().flat_map(|x| [Level::Mach, Level::Super].map(|l| (x, l))) {
        let (target, bit, cause) = if level == Level::Mach { (0, 11, 0x342) } else { (1, 9, 0x142) };
        // The machine level waits in a loop, the user below the supervisor; the handler claims and stops.
        let start = if level == Level::Mach { Level::Mach } else { Level::User };
        let handler = [0x0002_a383, EBREAK]; // lw t2, 0(t0)
        let mut hart = hart(&isa, xlen, start, &[(0x200, &handler)]);
        plic(&mut hart, 4 * 7, Some(3));
        plic(&mut hart, 0x2000 + 0x80 * target, Some(1 << 7));
        let words = [0x0014_0413_u32, 0xffdf_f06f]; // addi s0, s0, 1; jal back
        hart.memory().write(START, &words.map(u32::to_le_bytes).concat()).expect("it fits");
        hart.code_changed();
        hart.set_pc(START);
        let vector = START + 0x200;
        for (number, value) in [(0x305, vector), (0x105, vector), (0x304, 1 << bit), (0x303, 1 << 9), (0x300, 8)] {
            hart.set_csr(number, value).expect("it can be written");
        }
        hart.set_register(5, PLIC + 0x20_0004 + 0x1000 * target);
        assert_eq!(hart.run(50), Stop::Limit, "nothing asks");
        hart.set_source(7, true);
        assert_eq!(hart.run(50), Stop::Ebreak, "RV{xlen}, {level:?}");
        assert_eq!((hart.level(), hart.register(7)), (level, 7), "RV{xlen}, {level:?}");
        assert_eq!(hart.csr(cause), Some(1 << (xlen - 1) | bit), "RV{xlen}, {level:?}");
    }
}
