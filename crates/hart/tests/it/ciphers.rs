//! Cryptography with vectors, against the examples that its standards publish: programs in `ciphers`, on both widths of registers and three
//! lengths of vectors, by the executor and by the interpreter that defines the language. Instructions on single elements are held to
//! sums over bits written here.

use isaglot_hart::{Hart, Stop};
use isaglot_model::Isa;
use isaglot_testing::Random;

use crate::assembled::{LENGTHS, build, hart, said};
use crate::description;

const STEPS: u64 = 10_000;

/// Runs by the definition of each instruction.
fn interpret(isa: &Isa, hart: &mut Hart<'_>) -> Stop {
    for _ in 0..STEPS {
        let body = hart.fetch(hart.pc()).and_then(|(word, _)| {
            let body = hart.instruction(&word).and_then(|id| isa.body(id, hart.xlen()))?;
            Some((word, body))
        });
        let stop = match body {
            Some((word, body)) => hart.interpret(&word, &body),
            None => hart.step(),
        };
        if let Some(stop) = stop {
            return stop;
        }
    }
    Stop::Limit
}

#[test]
fn published_examples() {
    let isa = description::isa();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/ciphers");
    let mut wrong = Vec::new();
    for path in isaglot_testing::bless::cases(&folder, ".s") {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let features: Vec<&str> =
            said(&text, "features").into_iter().flat_map(str::split_whitespace).chain(["m", "zicsr"]).collect();
        for (xlen, vlen) in [32, 64].into_iter().flat_map(|x| LENGTHS.map(|v| (x, v))) {
            let built = build(&isa, xlen, &features, &text);
            for interpreted in [false, true] {
                let mut hart = hart(&isa, xlen, &features, vlen, &built);
                let stop = if interpreted { interpret(&isa, &mut hart) } else { hart.run(STEPS) };
                let at = format!("{} RV{xlen} VLEN {vlen} interpreted {interpreted}", path.display());
                if stop != Stop::Ebreak {
                    wrong.push(format!("{at}: {stop:x?} at {:#x}", hart.pc()));
                }
                wrong.extend(built.wrong(&text, &mut hart).map(|why| format!("{at}: {why}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tables of substitution, which vectors compute, against those that the description has for the scalar instructions: every byte.
#[test]
fn substitutions() {
    let isa = description::isa();
    let features = ["zve64x", "zvl128b", "zvkned", "zvksed", "zknd", "zkne", "zksed", "m", "zicsr"];
    for (xlen, forwards, back) in
        [(32, "aes32esi t3, zero, t1, 0", "aes32dsi t3, zero, t1, 0"), (64, "aes64es t3, t1, t1", "aes64ds t3, t1, t1")]
    {
        // All bytes of a block are alike, so that rows which are shifted stay as they are. A key of 0 changes nothing.
        let text = format!(
            "	vsetivli zero, 4, e32, m1, ta, ma
	li s0, 0x01010101
	li s1, 256
	li t0, 0
	vmv.v.i v3, 0
next:
	mul t1, t0, s0
	vmv.v.x v2, t1
	vaesef.vv v2, v3
	vmv.x.s t2, v2
	{forwards}
	xor t2, t2, t3
	andi t2, t2, 255
	bnez t2, wrong
	vmv.v.x v2, t1
	vaesdf.vv v2, v3
	vmv.x.s t2, v2
	{back}
	xor t2, t2, t3
	andi t2, t2, 255
	bnez t2, wrong
	vmv.v.x v4, t1
	vmv.v.i v2, 0
	vsm4r.vv v2, v4
	vmv.x.s t2, v2
	sm4ed t3, zero, t1, 0
	sm4ed t3, t3, t1, 1
	sm4ed t3, t3, t1, 2
	sm4ed t3, t3, t1, 3
	bne t2, t3, wrong
	addi t0, t0, 1
	bne t0, s1, next
	ebreak
wrong:
	j wrong
"
        );
        let built = build(&isa, xlen, &features, &text);
        let mut hart = hart(&isa, xlen, &features, 128, &built);
        assert_eq!(hart.run(STEPS), Stop::Ebreak, "RV{xlen}: the tables differ at {:#x}", hart.register(5));
    }
}

/// The bits of an element, the lowest first.
fn bits(value: u64, width: usize) -> Vec<bool> {
    (0..width).map(|at| value >> at & 1 == 1).collect()
}

fn number(bits: &[bool]) -> u64 {
    bits.iter().enumerate().fold(0, |sum, (at, &bit)| sum | u64::from(bit) << at)
}

/// What an element becomes: from `vs2`, from the second operand, bits of an element.
type Element = fn(u64, u64, usize) -> u64;

/// Those with one operand.
const ONE: [(&str, Element); 6] = [
    ("vbrev.v", |a, _, n| number(&bits(a, n).into_iter().rev().collect::<Vec<_>>())),
    ("vbrev8.v", |a, _, n| {
        number(&bits(a, n).chunks(8).flat_map(|byte| byte.iter().rev().copied()).collect::<Vec<_>>())
    }),
    ("vrev8.v", |a, _, n| number(&bits(a, n).chunks(8).rev().flat_map(<[bool]>::to_vec).collect::<Vec<_>>())),
    ("vclz.v", |a, _, n| bits(a, n).iter().rev().take_while(|bit| !**bit).count() as u64),
    ("vctz.v", |a, _, n| bits(a, n).iter().take_while(|bit| !**bit).count() as u64),
    ("vcpop.v", |a, _, n| bits(a, n).iter().filter(|bit| **bit).count() as u64),
];

/// Those with two.
const TWO: [(&str, Element); 3] = [
    ("vandn", |a, b, n| number(&bits(a & !b, n))),
    ("vrol", |a, b, n| {
        let mut bits = bits(a, n);
        bits.rotate_right(b as usize % n);
        number(&bits)
    }),
    ("vror", |a, b, n| {
        let mut bits = bits(a, n);
        bits.rotate_left(b as usize % n);
        number(&bits)
    }),
];

/// The product without carries of 64 bits: from this bit on.
fn product(a: u64, b: u64, from: usize) -> u64 {
    let mut sum = [false; 128];
    for (at, _) in bits(b, 64).iter().enumerate().filter(|(_, bit)| **bit) {
        bits(a, 64).iter().enumerate().for_each(|(n, &bit)| sum[at + n] ^= bit);
    }
    number(&sum[from..from + 64])
}

const PRODUCTS: [(&str, Element); 2] =
    [("vclmul", |a, b, _| product(a, b, 0)), ("vclmulh", |a, b, _| product(a, b, 64))];

/// One instruction on registers full of random elements; `a5` is the register of `.vx`, v0 the mask.
fn element(isa: &Isa, random: &mut Random, text: &str, (size, wide): (usize, usize), second: char, compute: Element) {
    const FEATURES: [&str; 6] = ["zve64x", "zvl128b", "zvbb", "zvbc", "m", "zicsr"];
    let masked = text.ends_with("v0.t");
    let program = format!("vsetvli t0, a4, e{}, m1, ta, ma\n{text}\nebreak\n", size);
    let built = build(isa, 64, &FEATURES, &program);
    let mut hart = hart(isa, 64, &FEATURES, 128, &built);
    let mut registers: Vec<[u8; 16]> = (0..32).map(|_| std::array::from_fn(|_| random.u64() as u8)).collect();
    if random.one_in(4) {
        registers[2] = [0; 16];
    }
    for (n, bytes) in registers.iter().enumerate() {
        hart.set_vector_register(n as u8, bytes);
    }
    let (x, count) = (random.u64(), 128 / size);
    hart.set_register(15, x);
    hart.set_register(14, count as u64);
    assert_eq!(hart.run(10), Stop::Ebreak, "{text}");
    let get = |all: &[u8], first: usize, n: usize, size: usize| {
        let bytes = &all[first * 16 + n * size / 8..][..size / 8];
        bytes.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte))
    };
    let before = registers.concat();
    let after = hart.vector_registers().to_vec();
    for n in 0..count {
        let b = match second {
            'v' => get(&before, 4, n, size),
            'x' if size == 64 => x,
            'x' => x & ((1 << size) - 1),
            _ => 21,
        };
        let skipped = masked && before[n / 8] >> (n % 8) & 1 == 0;
        let want = if skipped { get(&before, 6, n, wide) } else { compute(get(&before, 2, n, size), b, size) };
        assert_eq!(get(&after, 6, n, wide), want, "{text}: e{size}, element {n}");
    }
}

#[test]
fn single_elements() {
    let isa = description::isa();
    let mut random = Random::new(5);
    for size in [8, 16, 32, 64] {
        for mask in ["", ", v0.t"] {
            for (name, compute) in ONE {
                element(&isa, &mut random, &format!("{name} v6, v2{mask}"), (size, size), ' ', compute);
            }
            let products = PRODUCTS.iter().filter(|_| size == 64);
            for &(name, compute) in TWO.iter().chain(products) {
                for (form, operand) in [("vv", "v4"), ("vx", "a5")] {
                    let text = format!("{name}.{form} v6, v2, {operand}{mask}");
                    element(&isa, &mut random, &text, (size, size), form.chars().nth(1).unwrap_or_default(), compute);
                }
            }
            let turned: Element = |a, b, n| (TWO[2].1)(a, b, n);
            element(&isa, &mut random, &format!("vror.vi v6, v2, 21{mask}"), (size, size), 'i', turned);
            if size < 64 {
                let shifted: Element = |a, b, n| number(&bits(a << (b as usize % (2 * n)), 2 * n));
                for (form, operand) in [("vv", "v4"), ("vx", "a5"), ("vi", "21")] {
                    let text = format!("vwsll.{form} v6, v2, {operand}{mask}");
                    element(
                        &isa,
                        &mut random,
                        &text,
                        (size, 2 * size),
                        form.chars().nth(1).unwrap_or_default(),
                        shifted,
                    );
                }
            }
        }
    }
}

/// What the specification reserves: each line is a setting of `vtype`, a length, and an instruction.
const RESERVED: &str = "
e64 m1 4 vaesem.vv v2, v4
e32 m1 3 vaesem.vv v2, v4
e32 mf2 2 vaesem.vv v2, v4
e32 m2 4 vaesem.vs v2, v3
e32 m2 4 vaesem.vv v3, v4
e32 m1 4 vsha2ms.vv v2, v2, v4
e32 m1 4 vsha2ch.vv v2, v4, v2
e64 m1 2 vsha2cl.vv v2, v4, v6
e16 m1 4 vsha2cl.vv v2, v4, v6
e32 m1 4 vsm3me.vv v2, v4, v6
e32 m2 8 vsm3me.vv v2, v2, v6
e32 m2 8 vsm3c.vi v2, v2, 1
e32 m2 4 vsm3c.vi v2, v4, 1
e64 m1 2 vsm4k.vi v2, v4, 1
e8 m1 4 vgmul.vv v2, v4
e32 m1 2 vclmul.vv v2, v4, v6
";

/// The same that are not.
const ALLOWED: &str = "
e32 m1 4 vaesem.vv v2, v2
e32 m2 8 vaesem.vs v2, v5
e32 m1 0 vaesem.vs v2, v5
e32 m1 4 vghsh.vv v2, v2, v2
e32 m2 8 vsm3me.vv v2, v4, v2
e64 m2 4 vsha2cl.vv v2, v4, v6
e64 m1 2 vclmul.vv v2, v4, v6
";

#[test]
fn what_is_reserved_is_illegal() {
    let isa = description::isa();
    const FEATURES: [&str; 10] =
        ["zve64x", "zvl128b", "zvbb", "zvbc", "zvkned", "zvknhb", "zvksed", "zvksh", "zvkg", "zicsr"];
    for (lines, allowed) in [(RESERVED, false), (ALLOWED, true)] {
        for line in lines.trim().lines() {
            let mut words = line.splitn(4, ' ');
            let mut next = || words.next().unwrap_or_default();
            let (size, group, count, text) = (next(), next(), next(), next());
            let program = format!("vsetivli zero, {count}, {size}, {group}, ta, ma\n{text}\nebreak\n");
            let built = build(&isa, 64, &FEATURES, &program);
            let mut hart = hart(&isa, 64, &FEATURES, 128, &built);
            let is_fine = hart.run(3) == Stop::Ebreak;
            assert_eq!(is_fine, allowed, "{line}");
        }
    }
    // SHA-512 without its extension.
    const LESS: [&str; 4] = ["zve64x", "zvl128b", "zvknha", "zicsr"];
    let built = build(&isa, 64, &LESS, "vsetivli zero, 4, e64, m2, ta, ma\nvsha2cl.vv v2, v4, v6\nebreak\n");
    assert_ne!(hart(&isa, 64, &LESS, 128, &built).run(3), Stop::Ebreak);
}
