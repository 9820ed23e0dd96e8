//! Floating point on the generated executor and by the interpreter that defines the language: every instruction on random
//! registers, and what the manual says of the control registers. Beside qemu: `peers`.

use isaglot_bits::Word;
use isaglot_hart::{Cause, Config, FloatTrouble, Hart, Stop};
use isaglot_model::{EncodingId, Isa};
use isaglot_testing::{Random, rounds};

use crate::description;

const START: u64 = 0x8000_0000;
const FFLAGS: u16 = 1;
const FRM: u16 = 2;
const FCSR: u16 = 3;
const MSTATUS: u16 = 0x300;

/// A hart with one word at its pc.
fn hart<'a>(isa: &'a Isa, xlen: u32, word: &Word) -> Hart<'a> {
    let mut hart = Hart::new(isa, Config::new(xlen)).expect("a sound machine");
    put(&mut hart, word);
    hart
}

/// Puts a word where a hart goes on.
fn put(hart: &mut Hart<'_>, word: &Word) {
    let bytes: Vec<u8> = word.le_bytes().collect();
    hart.memory().write(START, &bytes).expect("there is memory");
    hart.code_changed();
    hart.set_pc(START);
}

/// All that an instruction can change.
fn state(hart: &mut Hart<'_>) -> (Vec<u64>, Vec<Option<u64>>, Vec<u8>) {
    let registers = (0..32).flat_map(|n| [hart.register(n), hart.float_register(n)]).collect();
    let csrs = [FCSR, FRM, FFLAGS, MSTATUS, 0x341, 0x342, 0x343].map(|n| hart.csr(n)).to_vec();
    (registers, csrs, hart.memory().read(START + 0x1000, 64).expect("there is memory"))
}

/// A register of floating point: any bits, a special number, with its box and without.
fn float(random: &mut Random) -> u64 {
    const SPECIAL: [u64; 10] =
        [0, 1, 0x3f80_0000, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001, 0x7f7f_ffff, 0x80_0000, 0x7c00, 0x3c00];
    let value = if random.one_in(2) { *random.pick(&SPECIAL) } else { random.u64() };
    match random.index(4) {
        0 => value | u64::MAX << 32,
        1 => value | 0x8000_0000 | u64::MAX << 32,
        2 => value << 32,
        _ => value,
    }
}

#[test]
fn the_interpreter_agrees() {
    let isa = description::isa();
    let mut random = Random::new(7);
    let is_float = |id: &EncodingId| {
        let features = isa[*id].condition.features();
        features.into_iter().any(|f| ["f", "d", "zfh", "zfhmin", "zfa"].contains(&isa[f].name.as_str()))
    };
    let mut tried = 0;
    for xlen in [32, 64] {
        let known: Vec<EncodingId> = isaglot_emit::executor::encodings(&isa, xlen).filter(is_float).collect();
        assert!(known.len() > 50, "floating point has semantics");
        let [mut one, mut other] = [0; 2].map(|_| Hart::new(&isa, Config::new(xlen)).expect("a sound machine"));
        for id in known {
            for _ in 0..rounds(100) {
                let pattern = &isa[id].pattern;
                let word =
                    pattern.value().or(&Word::from_u64(random.u64(), pattern.width()).and(&pattern.care().not()));
                put(&mut one, &word);
                for n in 0..32 {
                    one.set_float_register(n, float(&mut random));
                    // Addresses near memory, so that loads and stores do something.
                    one.set_register(n, if n % 2 == 0 { START + 0x1000 } else { random.u64() });
                }
                let control = random.u64() & if random.one_in(4) { 0xff } else { 0x1f };
                let status = if random.one_in(8) { 0 } else { 1 << 13 };
                put(&mut other, &word);
                for n in 0..32 {
                    other.set_float_register(n, one.float_register(n));
                    other.set_register(n, one.register(n));
                }
                for hart in [&mut one, &mut other] {
                    // On, so that there is a control register.
                    for (number, value) in [(MSTATUS, 1 << 13), (FCSR, control), (MSTATUS, status)] {
                        set(hart, number, value);
                    }
                }
                let Some(id) = one.instruction(&word) else { continue };
                let body = isa.body(id, xlen).expect("a text");
                let stops = (one.step(), other.interpret(&word, &body));
                assert_eq!(stops.0, stops.1, "RV{xlen} {}", word.hex());
                assert_eq!(state(&mut one), state(&mut other), "RV{xlen} {}", word.hex());
                tried += 1;
            }
        }
    }
    println!("floating point: {tried} steps alike");
}

/// Writes a control register; where it is off it stays as it is.
fn set(hart: &mut Hart<'_>, number: u16, value: u64) {
    let _ = hart.set_csr(number, value);
}

/// Steps over one word; gives the hart and why it stopped.
fn step(word: u32, prepare: impl FnOnce(&mut Hart<'_>), check: impl FnOnce(&Hart<'_>, Option<Stop>)) {
    let isa = description::isa();
    let mut hart = hart(&isa, 64, &Word::from_u64(word.into(), 32));
    prepare(&mut hart);
    let stop = hart.step();
    check(&hart, stop);
}

fn is_illegal(stop: Option<Stop>) -> bool {
    matches!(stop, Some(Stop::Trap(t)) if t.reason == Cause::Illegal)
}

/// `fadd.s fa0, fa1, fa2` with a rounding mode.
fn fadd(mode: u32) -> u32 {
    0x00c5_8553 | mode << 12
}

const ONE: u64 = 0xffff_ffff_3f80_0000;
/// 2^-24: half of the last place of 1.
const HALF: u64 = 0xffff_ffff_3380_0000;

#[test]
fn modes_are_static_or_dynamic() {
    for (mode, dynamic, want) in
        [(0, 3, 0x3f80_0000), (3, 0, 0x3f80_0001), (7, 3, 0x3f80_0001), (4, 0, 0x3f80_0001), (7, 2, 0x3f80_0000)]
    {
        let prepare = |hart: &mut Hart<'_>| {
            hart.set_float_register(11, ONE);
            hart.set_float_register(12, HALF);
            set(hart, FRM, dynamic);
        };
        step(fadd(mode), prepare, |hart, stop| {
            assert_eq!((stop, hart.float_register(10)), (None, 0xffff_ffff_0000_0000 | want));
            assert_eq!((hart.csr(FFLAGS), hart.csr(FCSR)), (Some(1), Some(dynamic << 5 | 1)), "it is inexact");
        });
    }
}

#[test]
fn reserved_modes_are_illegal() {
    // In the word there is no such instruction; in the register it is found when the instruction runs.
    for mode in [5, 6] {
        step(fadd(mode), |_| {}, |_, stop| assert!(is_illegal(stop)));
    }
    for dynamic in [5, 6, 7] {
        let prepare = |hart: &mut Hart<'_>| set(hart, FRM, dynamic);
        step(fadd(7), prepare, |hart, stop| {
            assert!(is_illegal(stop));
            assert_eq!(hart.float_trouble(), Some(FloatTrouble::Mode(dynamic as u8)));
        });
        // One that says its mode does not look there.
        step(fadd(0), |hart| set(hart, FRM, dynamic), |_, stop| assert_eq!(stop, None));
    }
}

#[test]
fn it_can_be_off() {
    // fadd.s, flw fa0, 0(x0), csrr a0, fcsr, fmv.x.w a0, fa0
    for word in [fadd(0), 0x0000_2507, 0x0030_2573, 0xe005_0553] {
        step(
            word,
            |hart| set(hart, MSTATUS, 0),
            |hart, stop| {
                assert!(is_illegal(stop), "{word:#x}");
                assert_eq!(hart.float_trouble(), Some(FloatTrouble::Off));
            },
        );
    }
}

#[test]
fn what_changes_is_dirty() {
    let status = |hart: &Hart<'_>| (hart.csr(MSTATUS).unwrap_or(0) >> 13 & 3, hart.csr(MSTATUS).unwrap_or(0) >> 63);
    // Initial after a reset; a write of a register or of a flag makes it dirty, and reading does not.
    step(0xe005_0553, |hart| assert_eq!(status(hart), (1, 0)), |hart, _| assert_eq!(status(hart), (1, 0)));
    step(fadd(0), |hart| set(hart, MSTATUS, 2 << 13), |hart, _| assert_eq!(status(hart), (3, 1)));
    // feq.s a0, fa1, fa2 of numbers, and of a signaling NaN.
    let prepare = |value: u64| {
        move |hart: &mut Hart<'_>| {
            hart.set_float_register(11, value);
            hart.set_float_register(12, ONE);
        }
    };
    step(0xa0c5_a553, prepare(ONE), |hart, _| assert_eq!((hart.register(10), status(hart)), (1, (1, 0))));
    step(0xa0c5_a553, prepare(0xffff_ffff_7f80_0001), |hart, _| {
        assert_eq!((hart.register(10), hart.csr(FFLAGS), status(hart)), (0, Some(16), (3, 1)));
    });
}

#[test]
fn misa_has_what_is_there() {
    let isa = description::isa();
    let letters = |extensions: Option<&[&str]>| {
        let mut config = Config::new(64);
        config.extensions = extensions.map(|list| list.iter().map(|e| (*e).to_owned()).collect());
        let hart = Hart::new(&isa, config).expect("a sound machine");
        (hart.csr(0x301).unwrap_or(0) >> 3 & 5, hart.csr(FCSR).is_some())
    };
    assert_eq!(letters(None), (5, true));
    assert_eq!(letters(Some(&["zicsr", "f"])), (4, true));
    assert_eq!(letters(Some(&["zicsr", "m"])), (0, false));
}
