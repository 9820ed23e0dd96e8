//! Contexts: what a process reaches is what the context in force says, whatever it tries, and it cannot change which one that is.

use isaglot_hart::{Cause, Config, Context, Device, Hart, Level, Stop, TrapModel};
use isaglot_model::Isa;
use isaglot_testing::Random;

use crate::description;

pub(crate) const START: u64 = 0x8000_0000;
const EBREAK: u32 = 0x0010_0073;
pub(crate) const SXCONTEXT: u32 = 0x5c0;
pub(crate) const MXCONTEXT: u32 = 0x7c0;

/// A device that knows all commands of its subdevices and counts what it is asked.
struct Counter(u64);

impl Device for Counter {
    fn command(&mut self, _: u32, sub: u16, command: u8, _: u64, _: u64) -> Option<u64> {
        if sub == 7 && command == 3 {
            return None;
        }
        self.0 += 1;
        Some(self.0)
    }

    fn variables(&self) -> Vec<(String, u64)> {
        vec![("count".to_owned(), self.0)]
    }
}

pub(crate) const DEVICES: [&str; 5] = ["fallback", "own", "red", "blue", "common"];

/// Three contexts. The unit 40 leads elsewhere in each of them; `common` is shared; `own` is the supervisor's, too.
pub(crate) fn config(xlen: u32) -> Config {
    let mut config = Config::new(xlen);
    config.trap_model = TrapModel::Riscv;
    for name in DEVICES.into_iter().skip(1) {
        config.add_device(name, Box::new(Counter(0)));
    }
    let everywhere = 0b1011;
    config.luns.push((0x100, 0, everywhere, 40));
    config.routes.push((40, everywhere, "own".to_owned(), 0));
    for (number, name, unit) in [(1, "red", 41), (9, "blue", 4095)] {
        let fallback = |n| (n, "fallback".to_owned(), n);
        config.contexts.push(Context {
            name: name.to_owned(),
            number,
            luns: vec![(0, 0, 0), (1, 0, 1), (2, 0, 2), (0x100, 0, 40), (0x200, 1, unit)],
            routes: vec![
                fallback(1),
                fallback(2),
                (40, name.to_owned(), 0),
                (unit, name.to_owned(), 7),
                (50, "common".to_owned(), 5),
            ],
        });
    }
    config.shared = vec!["common".to_owned()];
    config
}

/// What a context may reach.
pub(crate) fn allowed(context: u16) -> &'static [&'static str] {
    match context {
        0 => &["fallback", "own"],
        1 => &["fallback", "red", "common"],
        _ => &["fallback", "blue", "common"],
    }
}

fn hart<'a>(isa: &'a Isa, mut config: Config, start: Level, words: &[u32]) -> Hart<'a> {
    config.start = start;
    let mut hart = Hart::new(isa, config).expect("a sound machine");
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    hart.memory().write(START, &bytes).expect("it fits");
    hart.set_pc(START);
    hart
}

pub(crate) fn counts(hart: &Hart<'_>) -> Vec<u64> {
    (0..DEVICES.len()).map(|at| hart.device_variables(at).first().map_or(0, |v| v.1)).collect()
}

/// `xcmdK a0, a1, a2` and `xext a0, a1, a2`, with the profile `custom0`.
fn xcmd(k: u32) -> u32 {
    0x00c5_850b | k << 12
}
const XEXT: u32 = 0x02c5_850b;

pub(crate) fn csr(function: u32, number: u32, rd: u32, rs1: u32) -> u32 {
    number << 20 | rs1 << 15 | function << 12 | rd << 7 | 0x73
}

#[test]
fn every_command_stays_in_its_context() {
    let isa = description::isa();
    for xlen in [32, 64] {
        for context in [0, 1, 9] {
            let words: Vec<u32> = (0..8).map(xcmd).collect();
            let mut config = config(xlen);
            config.start_context = context;
            let mut hart = hart(&isa, config, Level::User, &words);
            let mut routed = 0;
            // Every logical unit with every command. Data must not matter.
            for unit in 0..4096_u64 {
                for k in 0..8_u64 {
                    let before = counts(&hart);
                    let calls = hart.call_count();
                    hart.set_register(11, (unit * 8 + k) << 12 | unit);
                    hart.set_register(10, 77);
                    hart.set_pc(START + 4 * k);
                    let stop = hart.step();
                    assert_eq!(hart.context(), Some(context));
                    let reached = hart.calls().last().filter(|_| hart.call_count() > calls);
                    let after = counts(&hart);
                    match (stop, reached) {
                        (None, Some(call)) => {
                            routed += 1;
                            let device = DEVICES[call.device];
                            assert!(allowed(context).contains(&device), "context {context} reached {device}");
                            assert_eq!((call.context, call.level), (context, Level::User));
                            for (at, name) in DEVICES.into_iter().enumerate().filter(|&(at, _)| at != call.device) {
                                assert_eq!(before[at], after[at], "{name} changed in context {context}");
                            }
                        }
                        (Some(Stop::Trap(trap)), None) => {
                            let is_command = matches!(trap.reason, Cause::UnroutedLun | Cause::UndefinedCommand);
                            assert!(is_command && trap.from == Level::User, "{trap:?}");
                            assert_eq!((before, hart.register(10)), (after, 77), "a trap changes nothing");
                        }
                        other => panic!("unit {unit}, command {k}: {other:?}"),
                    }
                }
            }
            // Fallback 1 and 2; unit 40; in the other two their own unit, of which one command is undefined, and the shared one.
            assert_eq!(routed, if context == 0 { 24 } else { 24 + 7 + 8 });
        }
    }
}

#[test]
fn handles_are_those_of_the_context() {
    let isa = description::isa();
    for xlen in [32, 64] {
        for context in [0, 1, 9] {
            let mut config = config(xlen);
            config.start_context = context;
            let mut hart = hart(&isa, config, Level::User, &[XEXT]);
            for (uuid, dev, units) in [
                (0x100, 0, [40, 40, 40]),
                (0x200, 1, [0, 41, 4095]),
                (0x200, 0, [0; 3]),
                (1, 0, [1; 3]),
                (0x300, 0, [0; 3]),
            ] {
                hart.set_register(11, uuid << 12 | dev);
                hart.set_register(12, 0);
                hart.set_pc(START);
                assert_eq!(hart.step(), None);
                let place = [0, 1, 9].iter().position(|&c| c == context).expect("it is one of these");
                assert_eq!(hart.register(10), units[place], "interface {uuid:#x}, device {dev}, context {context}");
            }
        }
    }
}

/// Every instruction on the registers, at every level.
#[test]
fn only_supervisors_choose() {
    let isa = description::isa();
    for xlen in [32, 64] {
        for (level, number) in [Level::User, Level::Super, Level::Mach]
            .into_iter()
            .flat_map(|level| [SXCONTEXT, MXCONTEXT].map(|number| (level, number)))
        {
            let may = match number {
                SXCONTEXT => level >= Level::Super,
                _ => level == Level::Mach,
            };
            let each = |at: u32| ([1, 2, 3, 5, 6, 7][at as usize >> 10], at >> 5 & 31, at & 31);
            let words: Vec<u32> = (0..6 << 10)
                .map(|at| {
                    let (function, rd, rs1) = each(at);
                    csr(function, number, rd, rs1)
                })
                .collect();
            let mut hart = hart(&isa, config(xlen), level, &words);
            for at in 0..6 << 10 {
                let (function, rd, rs1) = each(at);
                hart.set_csr(MXCONTEXT as u16, 1).expect("there is this context");
                (1..32).for_each(|n| hart.set_register(n, 9));
                hart.set_pc(START + 4 * u64::from(at));
                let stop = hart.step();
                let source = if function < 4 && rs1 != 0 { 9 } else { u64::from(rs1) };
                let is_write = function & 3 == 1 || rs1 != 0;
                let new = match function & 3 {
                    1 => source,
                    2 => 1 | source,
                    _ => 1 & !source,
                };
                let is_defined = matches!(new, 0 | 1 | 9);
                let told = if rd == 0 { 0 } else { hart.register(rd as u8) };
                if may && (!is_write || is_defined) {
                    assert_eq!(stop, None, "{function} {number:#x} {rd} {rs1}");
                    let now = if is_write { new } else { 1 };
                    assert_eq!(hart.context().map(u64::from), Some(now), "{function} {number:#x} {rd} {rs1}");
                    assert!(rd == 0 || told == 1, "the old number");
                } else {
                    let Some(Stop::Trap(trap)) = stop else { panic!("{stop:?}: {function} {number:#x} {rd} {rs1}") };
                    assert_eq!((trap.reason, trap.from), (Cause::Illegal, level));
                    assert_eq!(hart.context(), Some(1), "nothing has changed");
                    assert!(rd == 0 || told == 9, "nothing is told");
                }
            }
        }
    }
}

/// Random instructions at the level user, with handles that are good somewhere.
#[test]
fn random_programs_stay_in_their_context() {
    let isa = description::isa();
    let mut random = Random::new(1);
    let mut reached = 0;
    for round in 0..400 {
        let xlen = if round % 2 == 0 { 32 } else { 64 };
        let context = [0, 1, 9][round % 3];
        let words: Vec<u32> = (0..200)
            .map(|_| match random.below(4) {
                0 => random.u32(),
                1 => csr(
                    random.below(8) as u32,
                    *random.pick(&[SXCONTEXT, MXCONTEXT]),
                    random.u32() & 31,
                    random.u32() & 31,
                ),
                _ => random.u32() & 0x01ff_ff80 | 0x0b | (random.u32() & 1) << 25,
            })
            .collect();
        let mut config = config(xlen);
        config.start_context = context;
        let mut hart = hart(&isa, config, Level::User, &words);
        for at in 0..200 {
            for n in 1..32 {
                let unit = *random.pick(&[40_u64, 41, 50, 4095, 1, 2, 0]);
                hart.set_register(n, random.u64() << 12 | unit);
            }
            hart.set_pc(START + 4 * at);
            hart.step();
            assert_eq!((hart.context(), hart.level()), (Some(context), Level::User));
        }
        reached += hart.calls().len();
        for call in hart.calls() {
            let device = DEVICES[call.device];
            assert!(allowed(context).contains(&device), "context {context} reached {device}");
        }
    }
    assert!(reached > 1000, "{reached} calls are too few to say anything");
}

#[test]
fn a_switch_counts_at_once_and_keeps_devices() {
    let isa = description::isa();
    for xlen in [32, 64] {
        // Each turn the machine level chooses a context and goes to the user, who calls a device and then the machine level.
        let csrw = |number, rs1| csr(1, number, 0, rs1);
        let boot = [csrw(0x305, 5), csrw(MXCONTEXT, 6), csrw(0x341, 7), csrw(0x300, 0), 0x3020_0073];
        let user = [xcmd(0), 0x0000_0073];
        let mut hart = hart(&isa, config(xlen), Level::Mach, &boot);
        for (offset, words) in [(0x100, &user[..]), (0x200, &[EBREAK][..])] {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            hart.memory().write(START + offset, &bytes).expect("it fits");
        }
        hart.set_register(5, START + 0x200);
        hart.set_register(7, START + 0x100);
        hart.set_register(11, 40);
        // Each context counts for itself, and goes on where it was.
        let mut expected = [0; 10];
        for context in [1, 9, 1, 0, 9, 9, 1] {
            hart.set_register(6, context);
            hart.set_pc(START);
            assert_eq!(hart.run(100), Stop::Ebreak);
            expected[context as usize] += 1;
            assert_eq!(hart.register(10), expected[context as usize], "context {context}");
            assert_eq!((hart.level(), hart.context()), (Level::Mach, Some(context as u16)));
            let names: Vec<&str> = hart.calls().iter().map(|c| DEVICES[c.device]).collect();
            assert_eq!(
                names.last(),
                Some(&["own", "red", "blue"][[0, 1, 9].iter().position(|&c| c == context).expect("one")])
            );
        }
    }
}

#[test]
fn a_machine_without_contexts_has_no_register() {
    let isa = description::isa();
    for number in [SXCONTEXT, MXCONTEXT] {
        let mut config = config(64);
        config.contexts.clear();
        let mut hart = hart(&isa, config, Level::Mach, &[csr(2, number, 10, 0), EBREAK]);
        assert!(matches!(hart.run(2), Stop::Trap(t) if t.reason == Cause::Illegal));
        assert_eq!(hart.context(), None);
    }
    // Without a supervisor the machine level has its own register alone.
    let mut config = config(64);
    config.levels = 0b1001;
    let mut hart = hart(&isa, config, Level::Mach, &[csr(5, MXCONTEXT, 0, 9), csr(2, SXCONTEXT, 10, 0)]);
    assert!(matches!(hart.run(2), Stop::Trap(t) if t.reason == Cause::Illegal));
    assert_eq!(hart.context(), Some(9));
}

#[test]
fn numbers_are_checked() {
    let isa = description::isa();
    for number in [0, 1, 4096] {
        let mut config = config(64);
        config.contexts[1].number = number;
        assert!(Hart::new(&isa, config).is_err_and(|e| e.contains("cannot have")), "{number}");
    }
    let mut config = config(64);
    config.start_context = 2;
    assert!(Hart::new(&isa, config).is_err_and(|e| e.contains("context 2")));
}
