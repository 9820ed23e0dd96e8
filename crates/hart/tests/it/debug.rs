//! Breakpoints and watchpoints: where a run stops, what was done until there, and that it goes on as if nothing had been.

use isaglot_hart::{Access, Config, Hart, Stop};
use isaglot_model::Isa;

use crate::description;

const START: u64 = 0x8000_0000;

/// Ten rounds: a0 += 1; a load, an addition and a store of a word; then `ebreak`.
const LOOP: &[u32] = &[
    0x00a0_0293, // 00 li t0, 10
    0x0000_1597, // 04 auipc a1, 1
    0x0015_0513, // 08 addi a0, a0, 1
    0x0005_a603, // 0c lw a2, 0(a1)
    0x0016_0613, // 10 addi a2, a2, 1
    0x00c5_a023, // 14 sw a2, 0(a1)
    0xfff2_8293, // 18 addi t0, t0, -1
    0xfe02_96e3, // 1c bnez t0, 08
    0x0010_0073, // 20 ebreak
];

fn hart(isa: &Isa, xlen: u32) -> Hart<'_> {
    let mut hart = Hart::new(isa, Config::new(xlen)).expect("a sound machine");
    let bytes: Vec<u8> = LOOP.iter().flat_map(|w| w.to_le_bytes()).collect();
    hart.memory().write(START, &bytes).expect("it fits");
    hart.set_pc(START);
    hart
}

/// The word that the loop counts in.
const COUNTER: u64 = START + 0x1004;

#[test]
fn breakpoints_stop_inside_of_blocks() {
    let isa = description::isa();
    for xlen in [32, 64] {
        let mut hart = hart(&isa, xlen);
        // What has run before is decoded without it.
        assert_eq!(hart.run(8), Stop::Limit);
        hart.set_breakpoint(START + 0x10);
        for round in [1, 2, 3] {
            assert_eq!(hart.run(1000), Stop::Breakpoint);
            assert_eq!((hart.pc(), hart.register(10)), (START + 0x10, round + 1));
            // It does not go on by itself, but a step does.
            assert_eq!(hart.run(1000), Stop::Breakpoint);
            assert_eq!(hart.step(), None);
            assert_eq!(hart.pc(), START + 0x14);
        }
        assert!(hart.clear_breakpoint(START + 0x10));
        assert!(!hart.clear_breakpoint(START + 0x10));
        assert_eq!(hart.run(1000), Stop::Ebreak);
        assert_eq!((hart.register(10), hart.retired()), (10, 2 + 60));
    }
}

#[test]
fn watchpoints_stop_before_the_access() {
    let isa = description::isa();
    for xlen in [32, 64] {
        // (loads, stores, where it stops in each round)
        for (loads, stores, places) in
            [(true, false, &[0xc][..]), (false, true, &[0x14]), (true, true, &[0xc, 0x14]), (false, false, &[])]
        {
            let mut hart = hart(&isa, xlen);
            hart.set_watchpoint(COUNTER + 3, 1, loads, stores);
            for round in 0..10 {
                for place in places {
                    let access = if *place == 0xc { Access::Load } else { Access::Store };
                    assert_eq!(hart.run(1000), Stop::Watchpoint(COUNTER + 3, access));
                    assert_eq!((hart.pc(), hart.register(10)), (START + place, round + 1));
                    assert_eq!(hart.memory().read(COUNTER, 1), Ok(vec![round as u8]));
                }
            }
            assert_eq!(hart.run(1000), Stop::Ebreak);
            assert_eq!((hart.register(10), hart.retired()), (10, 2 + 60));
            assert_eq!(hart.memory().read(COUNTER, 4), Ok(vec![10, 0, 0, 0]));
        }
    }
}

#[test]
fn a_step_stops_before_the_access_once() {
    let isa = description::isa();
    let mut hart = hart(&isa, 64);
    hart.set_watchpoint(COUNTER, 4, false, true);
    for _ in 0..5 {
        assert_eq!(hart.step(), None);
    }
    assert_eq!(hart.step(), Some(Stop::Watchpoint(COUNTER, Access::Store)));
    assert_eq!(hart.pc(), START + 0x14);
    assert_eq!(hart.step(), None);
    assert_eq!(hart.pc(), START + 0x18);
    assert!(hart.clear_watchpoint(COUNTER, 4, false, true));
    assert!(!hart.clear_watchpoint(COUNTER, 4, false, true));
    assert_eq!(hart.run(1000), Stop::Ebreak);
    // A place beside it is not it.
    let mut hart = self::hart(&isa, 64);
    hart.set_watchpoint(COUNTER + 4, 8, true, true);
    hart.set_watchpoint(COUNTER - 4, 4, true, true);
    // Code is fetched, not loaded.
    hart.set_watchpoint(START, 0x20, true, true);
    assert_eq!(hart.run(1000), Stop::Ebreak);
}
