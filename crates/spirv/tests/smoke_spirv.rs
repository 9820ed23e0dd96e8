//! The functions of the fuzz targets on seeded pseudo-random and mutated inputs: no panic, and exact text comes back.

use isaglot_spirv::{asm, oracle};
use isaglot_testing::{Random, rounds};

const SEEDS: &[&str] =
    &[include_str!("data/shader.spvasm"), include_str!("data/kernel.spvasm"), include_str!("data/odd.spvasm")];

/// Pieces that matter to the lexer and to the grammar.
const PIECES: &[&str] = &[
    "OpUnknown(21, 4)",
    "!",
    "!0x00020013",
    "%",
    "=",
    "\"",
    "\\",
    ";",
    "|",
    "None",
    "(",
    ",",
    ")",
    "0x1.8p+1",
    "-1",
    "99999999999999999999",
    "%1 = ",
    "OpSwitch",
    "OpPhi",
    "OpLabel",
    "\0",
    "\n",
    "é",
    "OpTypeFloat 8",
    "OpTypeInt 128 0",
];

#[test]
fn text() {
    let mut random = Random::new(0x5eed_0001);
    oracle::text(b"");
    for seed in SEEDS {
        oracle::text(seed.as_bytes());
        for _ in 0..rounds(150) {
            oracle::text(&random.mutated(seed.as_bytes(), PIECES));
        }
    }
}

#[test]
fn binary() {
    let mut random = Random::new(0x5eed_0002);
    for seed in SEEDS {
        let words = asm::assemble(seed.as_bytes(), &asm::Options::default()).words;
        oracle::binary(&asm::to_bytes(&words));
        for _ in 0..rounds(200) {
            let mut words = words.clone();
            for _ in 0..=random.index(3) {
                let at = random.index(words.len());
                let value = match random.index(5) {
                    0 => random.u32(),
                    1 => random.index(80) as u32,
                    2 => words[random.index(words.len())],
                    3 => words[at] ^ 1 << random.index(32),
                    _ => words[at].wrapping_add(1 << 16),
                };
                match random.index(4) {
                    0 => words.insert(at, value),
                    1 if words.len() > 6 => drop(words.remove(at)),
                    _ => words[at] = value,
                }
            }
            oracle::binary(&asm::to_bytes(&words));
        }
    }
    for _ in 0..300 {
        let len = random.index(40);
        let mut words = vec![asm::MAGIC, 0x0001_0600, 0, 20, 0];
        words.extend((0..len).map(|_| match random.index(3) {
            0 => (1 + random.index(6) as u32) << 16 | random.index(400) as u32,
            1 => random.index(20) as u32,
            _ => random.u32(),
        }));
        oracle::binary(&asm::to_bytes(&words));
    }
}
