//! The hypervisor extension where QEMU cannot say what is right: who has it, what its levels are for overloadable opcodes, `hlvx`, and what stands above
//! a guest's status. The rest is in `tests/hypervisor`, beside QEMU.

use isaglot_hart::{Cause, Config, Hart, Level, Stop, TrapModel};
use isaglot_model::Isa;

use crate::contexts::{START, SXCONTEXT, config, csr};
use crate::description;

const MRET: u32 = 0x3020_0073;
const ECALL: u32 = 0x73;
/// `xcmd0 a0, a1, a2` and `xext a0, a1, a2`, with the profile `custom0`.
const XCMD: u32 = 0x00c5_850b;
const XEXT: u32 = 0x02c5_850b;
/// `hlv.w a0, (a1)`, `hlvx.wu a0, (a1)`.
const HLV: u32 = 0x6805_c573;
const HLVX: u32 = 0x6835_c573;
/// Handlers of the machine level, the host's supervisor, the guest's.
const HANDLERS: [(u16, u64); 3] = [(0x305, 0x100), (0x105, 0x200), (0x205, 0x300)];

/// Where a program can be: the level, and whether it is a guest's.
const PLACES: [(Level, bool); 5] =
    [(Level::User, false), (Level::User, true), (Level::Super, true), (Level::Hyper, false), (Level::Mach, false)];

fn with_guests(mut config: Config) -> Config {
    let names = ["m", "a", "zaamo", "zalrsc", "zicsr", "zifencei", "priv", "h"];
    config.extensions = Some(names.map(str::to_owned).to_vec());
    config.ebreak_stops = false;
    config
}

/// A machine that is about to run a word in a place.
fn hart<'a>(isa: &'a Isa, config: Config, (level, guest): (Level, bool), word: u32) -> Hart<'a> {
    let xlen = config.xlen;
    let mut hart = Hart::new(isa, with_guests(config)).expect("a sound machine");
    let bytes: Vec<u8> = [MRET, word, ECALL].iter().flat_map(|w| w.to_le_bytes()).collect();
    hart.memory().write(START, &bytes).expect("it fits");
    let bits = if level == Level::Hyper { 1 } else { level as u64 };
    let guest = u64::from(guest);
    let upper = if xlen == 32 { 0 } else { guest << 39 };
    for (number, value) in [(0x341, START + 4), (0x300, bits << 11 | upper)] {
        hart.set_csr(number, value).expect("it can be written");
    }
    if xlen == 32 {
        hart.set_csr(0x310, guest << 7).expect("it can be written");
    }
    hart.set_pc(START);
    assert_eq!(hart.step(), None);
    assert_eq!((hart.level(), hart.is_guest()), (level, guest == 1));
    hart
}

fn reason(stop: Option<Stop>) -> Option<Cause> {
    match stop {
        Some(Stop::Trap(trap)) => Some(trap.reason),
        None => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn machines_have_guests_only_if_they_are_asked_to() {
    let isa = description::isa();
    for xlen in [32, 64] {
        let plain = Hart::new(&isa, Config::new(xlen)).expect("a machine");
        assert_eq!((plain.csr(0x600), plain.csr(0x301).map(|misa| misa >> 7 & 1)), (None, Some(0)));
        let asked = Hart::new(&isa, with_guests(Config::new(xlen))).expect("a machine");
        assert_eq!(asked.csr(0x301).map(|misa| misa >> 7 & 1), Some(1));
        let mut config = with_guests(Config::new(xlen));
        config.levels = 0b1001;
        assert!(Hart::new(&isa, config).is_err_and(|e| e.contains("`super`")));
    }
}

#[test]
fn commands_trap_one_level_higher() {
    let isa = description::isa();
    for xlen in [32, 64] {
        for place in PLACES {
            let mut config = Config::new(xlen);
            config.trap_model = TrapModel::Deliver;
            let mut hart = hart(&isa, config, place, XCMD);
            for (number, offset) in HANDLERS {
                hart.set_csr(number, START + offset).expect("it can be written");
            }
            // Delegation does not apply.
            hart.set_csr(0x302, u64::MAX).expect("it can be written");
            hart.set_csr(0x602, u64::MAX).expect("it can be written");
            hart.set_register(11, 77);
            hart.step();
            let (level, guest, handler, cause) = match place {
                (Level::User, true) => (Level::Super, true, 2, 0x242),
                (Level::User | Level::Super, _) => (Level::Hyper, false, 1, 0x142),
                _ => (Level::Mach, false, 0, 0x342),
            };
            if place.0 == Level::Mach {
                assert_eq!(hart.csr(0x342), Some(24), "taken by itself");
            }
            assert_eq!((hart.level(), hart.is_guest()), (level, guest), "RV{xlen} {place:?}");
            assert_eq!((hart.pc(), hart.csr(cause)), (START + HANDLERS[handler].1, Some(24)), "RV{xlen} {place:?}");
        }
    }
}

#[test]
fn the_host_has_not_what_a_map_gives_to_super() {
    let isa = description::isa();
    for xlen in [32, 64] {
        for place in PLACES {
            for (uuid, everywhere) in [(0x100, false), (1, true)] {
                let mut hart = hart(&isa, config(xlen), place, XEXT);
                hart.set_register(11, uuid << 12);
                assert_eq!(hart.step(), None);
                let expected = match (everywhere, place.0) {
                    (true, _) => 1,
                    (false, Level::Hyper) => 0,
                    _ => 40,
                };
                assert_eq!(hart.register(10), expected, "RV{xlen} {place:?} {uuid:#x}");
            }
        }
    }
}

#[test]
fn contexts_are_the_hosts() {
    let isa = description::isa();
    for xlen in [32, 64] {
        for place in PLACES {
            for word in [csr(2, SXCONTEXT, 10, 0), csr(5, SXCONTEXT, 0, 9)] {
                let mut hart = hart(&isa, config(xlen), place, word);
                let expected = match place {
                    (_, true) => Some(Cause::VirtualInstruction),
                    (Level::User, _) => Some(Cause::Illegal),
                    _ => None,
                };
                assert_eq!(reason(hart.step()), expected, "RV{xlen} {place:?} {word:#x}");
                let is_write = word >> 12 & 7 == 5;
                let now = if expected.is_none() && is_write { 9 } else { 0 };
                assert_eq!(hart.context(), Some(now));
            }
        }
    }
}

/// Tables at a megabyte: three levels of the guest's, then of the second stage, each leading to one page of memory with these flags.
fn tables(hart: &mut Hart<'_>, own: u64, second: u64) {
    let at = |page: u64| START + 0x10_0000 + page * 0x1000;
    let entry = |address: u64, flags: u64| address >> 2 | flags;
    // The second stage has all of memory where it is, and the page at 0x3000_0000.
    let mut put = |address: u64, value: u64| hart.memory().write(address, &value.to_le_bytes()).expect("it fits");
    put(at(0) + 2 * 8, entry(0x8000_0000, 0xdf));
    put(at(0), entry(at(4), 1));
    put(at(4) + 0x180 * 8, entry(at(5), 1));
    put(at(5), entry(at(9), second));
    put(at(6), entry(at(7), 1));
    put(at(7) + 0x80 * 8, entry(at(8), 1));
    put(at(8), entry(0x3000_0000, own));
    put(at(9), 0x1234);
    for (number, page) in [(0x680, at(0)), (0x280, at(6))] {
        hart.set_csr(number, 8 << 60 | page >> 12).expect("it can be written");
    }
    hart.set_register(11, 0x1000_0000);
}

#[test]
fn what_a_guest_could_execute_can_be_loaded() {
    let isa = description::isa();
    // R, X, or both, at both stages; the guest's user.
    for own in [0xd3, 0xd9, 0xdb] {
        for second in [0xd3, 0xd9, 0xdb] {
            for (word, right) in [(HLV, 2), (HLVX, 8)] {
                let mut hart = hart(&isa, Config::new(64), (Level::Hyper, false), word);
                tables(&mut hart, own, second);
                let expected = match (own & right, second & right) {
                    (0, _) => Some(Cause::LoadPage),
                    (_, 0) => Some(Cause::LoadGuestPage),
                    _ => None,
                };
                assert_eq!(reason(hart.step()), expected, "{own:#x} {second:#x} {word:#x}");
                assert!(expected.is_some() || hart.register(10) == 0x1234);
            }
        }
    }
}

/// Who sees a page: the user's pages for the supervisor, and reading what can be executed, by the host's status and the guest's.
#[test]
fn the_hosts_status_is_above_the_guests() {
    let isa = description::isa();
    const SUM: u64 = 1 << 18;
    const MXR: u64 = 1 << 19;
    for (own, second, outer, inner, as_super, expected) in [
        (0xd3, 0xdf, 0, 0, true, Some(Cause::LoadPage)),
        (0xd3, 0xdf, SUM, 0, true, Some(Cause::LoadPage)),
        (0xd3, 0xdf, 0, SUM, true, None),
        (0xd9, 0xdf, 0, 0, false, Some(Cause::LoadPage)),
        (0xd9, 0xdf, 0, MXR, false, None),
        (0xd9, 0xdf, MXR, 0, false, None),
        (0xdf, 0xd9, 0, 0, false, Some(Cause::LoadGuestPage)),
        (0xdf, 0xd9, 0, MXR, false, Some(Cause::LoadGuestPage)),
        (0xdf, 0xd9, MXR, 0, false, None),
    ] {
        let mut hart = hart(&isa, Config::new(64), (Level::Hyper, false), HLV);
        tables(&mut hart, own, second);
        let status = hart.csr(0x300).expect("it is there");
        hart.set_csr(0x300, status | outer).expect("it can be written");
        hart.set_csr(0x200, inner).expect("it can be written");
        hart.set_csr(0x600, if as_super { 1 << 8 } else { 0 }).expect("it can be written");
        assert_eq!(reason(hart.step()), expected, "{own:#x} {second:#x} {outer:#x} {inner:#x}");
    }
}

/// A mark in the guest's own table is a store in the second stage; without marks there is a fault in their place.
#[test]
fn marks_are_stores_of_the_second_stage() {
    let isa = description::isa();
    for (marks, writable, expected) in
        [(true, true, None), (true, false, Some(Cause::LoadGuestPage)), (false, true, Some(Cause::LoadPage))]
    {
        let mut hart = hart(&isa, Config::new(64), (Level::Hyper, false), HLV);
        tables(&mut hart, 0x13, 0xdf);
        // The guest's tables are reached through a page of 1 GiB.
        let flags: u64 = if writable { 0xdf } else { 0xdb };
        hart.memory().write(START + 0x10_0010, &(0x8000_0000_u64 >> 2 | flags).to_le_bytes()).expect("it fits");
        hart.set_csr(0x60a, u64::from(marks) << 61).expect("it can be written");
        hart.set_csr(0x105, START + 0x200).expect("it can be written");
        assert_eq!(reason(hart.step()), expected, "{marks} {writable}");
        let entry = hart.memory().read(START + 0x10_8000, 1).expect("it is there");
        assert_eq!(entry[0], if expected.is_none() { 0x53 } else { 0x13 });
    }
}

#[test]
fn guests_have_a_time_of_their_own() {
    let isa = description::isa();
    for xlen in [32, 64] {
        for place in PLACES {
            let mut hart = hart(&isa, Config::new(xlen), place, csr(2, 0xc01, 10, 0));
            for number in [0x306, 0x106, 0x606] {
                hart.set_csr(number, 7).expect("it can be written");
            }
            hart.set_csr(0x605, 1 << 20).expect("it can be written");
            assert_eq!(hart.step(), None);
            assert_eq!(hart.register(10) >> 20 == 1, place.1, "RV{xlen} {place:?}");
        }
    }
}

/// What is dirty in a guest is dirty for both, and off for one is off.
#[test]
fn floating_point_is_on_if_both_say_so() {
    let isa = description::isa();
    for (outer, inner) in [(0, 1), (1, 0), (1, 1), (3, 2), (2, 3)] {
        let mut config = Config::new(64);
        config.start = Level::Mach;
        let mut config = with_guests(config);
        config.extensions.as_mut().expect("named").extend(["f", "d"].map(str::to_owned));
        let mut hart = Hart::new(&isa, config).expect("a machine");
        // fmv.w.x f1, x1
        let bytes: Vec<u8> = [MRET, 0xf000_80d3].iter().flat_map(|w| w.to_le_bytes()).collect();
        hart.memory().write(START, &bytes).expect("it fits");
        for (number, value) in [(0x341, START + 4), (0x300, 1 << 39 | 1 << 11 | outer << 13), (0x200, inner << 13)] {
            hart.set_csr(number, value).expect("it can be written");
        }
        hart.set_pc(START);
        assert_eq!(hart.step(), None);
        let states = |hart: &Hart<'_>| [0x300, 0x200].map(|n| hart.csr(n).map(|v| v >> 13 & 3));
        assert_eq!(states(&hart), [Some(outer), Some(inner)]);
        let is_on = outer != 0 && inner != 0;
        assert_eq!(reason(hart.step()), (!is_on).then_some(Cause::Illegal), "{outer} {inner}");
        assert_eq!(states(&hart), if is_on { [Some(3), Some(3)] } else { [Some(outer), Some(inner)] });
    }
}
