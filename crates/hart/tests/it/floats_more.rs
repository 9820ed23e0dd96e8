//! Zfa, which the peer does not know, beside what Rust's library says of the same numbers.

use isaglot_bits::Word;
use isaglot_hart::{Config, Hart};
use isaglot_model::Isa;
use isaglot_testing::{Random, rounds};

use crate::description;

const START: u64 = 0x8000_0000;
const FFLAGS: u16 = 1;
const FRM: u16 = 2;

/// Runs one word with `fa1` and `fa2`, and a rounding mode; gives `fa0`, `a0` and the flags.
struct Runner<'a>(Hart<'a>);

impl<'a> Runner<'a> {
    fn new(isa: &'a Isa, xlen: u32) -> Runner<'a> {
        Runner(Hart::new(isa, Config::new(xlen)).expect("a sound machine"))
    }

    fn run(&mut self, word: u32, a: u64, b: u64, mode: u64) -> (u64, u64, u64) {
        let hart = &mut self.0;
        let bytes: Vec<u8> = Word::from_u64(word.into(), 32).le_bytes().collect();
        if hart.memory().read(START, 4) != Ok(bytes.clone()) {
            hart.memory().write(START, &bytes).expect("there is memory");
            hart.code_changed();
        }
        hart.set_pc(START);
        hart.set_float_register(11, a);
        hart.set_float_register(12, b);
        assert_eq!(hart.set_csr(FFLAGS, 0).and_then(|()| hart.set_csr(FRM, mode)), Some(()));
        assert_eq!(hart.step(), None, "{word:#x} is an instruction");
        (hart.float_register(10), hart.register(10), hart.csr(FFLAGS).unwrap_or(99))
    }
}

/// `OP fa0, fa1, …` of a format: the upper seven bits, the second operand, the mode or function.
fn word(top: u32, second: u32, function: u32) -> u32 {
    top << 25 | second << 20 | 11 << 15 | function << 12 | 10 << 7 | 0x53
}

fn number(random: &mut Random) -> f64 {
    const SPECIAL: [f64; 12] =
        [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -3.5, 4.9e-324, 1e308, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    match random.index(4) {
        0 => *random.pick(&SPECIAL),
        1 => f64::from_bits(random.u64()),
        2 => (random.u64() as i64 >> random.index(64)) as f64 / 4.0,
        _ => f64::from_bits(random.u64() >> 12 | (1023 - 4 + random.below(70)) << 52),
    }
}

fn rounded(x: f64, mode: u64) -> f64 {
    match mode {
        0 => x.round_ties_even(),
        1 => x.trunc(),
        2 => x.floor(),
        3 => x.ceil(),
        _ => x.round(),
    }
}

const NAN: u64 = 0x7ff8_0000_0000_0000;

fn is_signaling(x: f64) -> bool {
    x.is_nan() && x.to_bits() >> 51 & 1 == 0
}

#[test]
fn rounding_to_whole_numbers() {
    let isa = description::isa();
    let mut runner = Runner::new(&isa, 64);
    let mut random = Random::new(3);
    for _ in 0..rounds(20_000) {
        let x = number(&mut random);
        let mode = random.below(5);
        let whole = rounded(x, mode);
        let want = if x.is_nan() { NAN } else { whole.to_bits() };
        let invalid = u64::from(is_signaling(x)) << 4;
        let inexact = u64::from(!x.is_nan() && whole != x);
        let got = runner.run(word(0x21, 4, 7), x.to_bits(), 0, mode);
        assert_eq!((got.0, got.2), (want, invalid), "fround.d of {x:e} in mode {mode}");
        let got = runner.run(word(0x21, 5, 7), x.to_bits(), 0, mode);
        assert_eq!((got.0, got.2), (want, invalid | inexact), "froundnx.d of {x:e} in mode {mode}");
        let short = x as f32;
        let boxed = |bits: u32| u64::from(bits) | u64::MAX << 32;
        let want = if x.is_nan() { 0x7fc0_0000 } else { (rounded(f64::from(short), mode) as f32).to_bits() };
        let got = runner.run(word(0x20, 4, 7), boxed(short.to_bits()), 0, mode);
        assert_eq!(got.0, boxed(want), "fround.s of {short:e} in mode {mode}");
    }
}

#[test]
fn extremes_that_keep_nans_and_quiet_comparisons() {
    let isa = description::isa();
    let mut runner = Runner::new(&isa, 64);
    let mut random = Random::new(4);
    for _ in 0..rounds(20_000) {
        let (x, y) = (number(&mut random), number(&mut random));
        let y = if random.one_in(8) { -x } else { y };
        let invalid = u64::from(is_signaling(x) || is_signaling(y)) << 4;
        // With a sign for zeros, as total order has it.
        let less = x < y || x == y && x.is_sign_negative() && !y.is_sign_negative();
        for (function, larger) in [(2, false), (3, true)] {
            let want = match x.is_nan() || y.is_nan() {
                true => NAN,
                false if less != larger => x.to_bits(),
                false => y.to_bits(),
            };
            let got = runner.run(word(0x15, 12, function), x.to_bits(), y.to_bits(), 0);
            assert_eq!((got.0, got.2), (want, invalid), "{x:e} {y:e} larger: {larger}");
        }
        for (function, want) in [(4, x <= y), (5, x < y)] {
            let got = runner.run(word(0x51, 12, function), x.to_bits(), y.to_bits(), 0);
            assert_eq!((got.1, got.2), (u64::from(want), invalid), "{x:e} {y:e}");
        }
    }
}

#[test]
fn low_bits_of_whole_numbers() {
    let isa = description::isa();
    let mut random = Random::new(5);
    let mut runner = Runner::new(&isa, 64);
    for _ in 0..rounds(20_000) {
        let x = number(&mut random);
        // All bits of the integer part: of what is too large for 128 bits the low ones are 0.
        let whole = if x.is_finite() && x.abs() < 1e38 { x.trunc() as i128 as i32 } else { 0 };
        let fits = x.trunc() >= -2_147_483_648.0 && x.trunc() <= 2_147_483_647.0;
        let flags = if !fits { 16 } else { u64::from(x.trunc() != x) };
        let got = runner.run(word(0x61, 8, 1), x.to_bits(), 0, 0);
        assert_eq!((got.1, got.2), (i64::from(whole) as u64, flags), "fcvtmod.w.d of {x:e}");
    }
}

#[test]
fn constants() {
    let isa = description::isa();
    let mut runner = Runner::new(&isa, 64);
    let powers = [-16, -15, -8, -7, -4, -3].map(|p| 2_f64.powi(p));
    let quarters = [0.25, 0.3125, 0.375, 0.4375, 0.5, 0.625, 0.75, 0.875, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0];
    let large = [8.0, 16.0, 128.0, 256.0, 32768.0, 65536.0, f64::INFINITY];
    let numbers: Vec<f64> = [powers.as_slice(), &quarters, &large].concat();
    let set = |top: u32, n: u32| top << 25 | 1 << 20 | n << 15 | 10 << 7 | 0x53;
    for (n, want) in (2..).zip(&numbers) {
        assert_eq!(runner.run(set(0x79, n), 0, 0, 0).0, want.to_bits());
        let boxed = u64::from((*want as f32).to_bits()) | u64::MAX << 32;
        assert_eq!(runner.run(set(0x78, n), 0, 0, 0).0, boxed);
    }
    for (top, minus_one, least, nan) in [
        (0x79, 0xbff0_0000_0000_0000, 0x0010_0000_0000_0000, NAN),
        (0x78, 0xffff_ffff_bf80_0000, 0xffff_ffff_0080_0000, 0xffff_ffff_7fc0_0000),
        (0x7a, 0xffff_ffff_ffff_bc00, 0xffff_ffff_ffff_0400, 0xffff_ffff_ffff_7e00),
    ] {
        for (n, want) in [(0, minus_one), (1, least), (31, nan)] {
            assert_eq!(runner.run(set(top, n), 0, 0, 0).0, want, "fli {n}");
        }
    }
}

#[test]
fn halves_of_double_precision_on_rv32() {
    let isa = description::isa();
    let mut runner = Runner::new(&isa, 32);
    runner.0.set_register(11, 0x1234_5678);
    runner.0.set_register(12, 0x9abc_def0);
    // fmvp.d.x fa0, a1, a2, and fmvh.x.d a0, fa1.
    assert_eq!(runner.run(word(0x59, 12, 0), 0, 0, 0).0, 0x9abc_def0_1234_5678);
    assert_eq!(runner.run(word(0x71, 1, 0), 0x9abc_def0_1234_5678, 0, 0).1, 0x9abc_def0);
}
