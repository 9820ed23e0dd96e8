//! The functions of the fuzz targets on seeded pseudo-random and mutated inputs: no panic, and exact text comes back.

use isaglot_spirv::{asm, smoke};

/// A small generator, the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }
}

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

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            1 if !bytes.is_empty() => drop(bytes.remove(at)),
            2 => bytes.insert(at, random.next() as u8),
            3 => bytes.truncate(at),
            4 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
            _ => {
                let to = (at + random.below(40)).min(bytes.len());
                let cut: Vec<u8> = bytes.drain(at..to).collect();
                let at = random.below(bytes.len() + 1);
                bytes.splice(at..at, cut);
            }
        }
    }
}

#[test]
fn text() {
    let mut random = Random(0x5eed_0001);
    smoke::text(b"");
    for seed in SEEDS {
        smoke::text(seed.as_bytes());
        for _ in 0..150 {
            let mut bytes = seed.as_bytes().to_vec();
            mutate(&mut random, &mut bytes);
            smoke::text(&bytes);
        }
    }
}

#[test]
fn binary() {
    let mut random = Random(0x5eed_0002);
    for seed in SEEDS {
        let words = asm::assemble(seed.as_bytes(), &asm::Options::default()).words;
        smoke::binary(&asm::to_bytes(&words));
        for _ in 0..200 {
            let mut words = words.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(words.len());
                let value = match random.below(5) {
                    0 => random.next() as u32,
                    1 => random.below(80) as u32,
                    2 => words[random.below(words.len())],
                    3 => words[at] ^ 1 << random.below(32),
                    _ => words[at].wrapping_add(1 << 16),
                };
                match random.below(4) {
                    0 => words.insert(at, value),
                    1 if words.len() > 6 => drop(words.remove(at)),
                    _ => words[at] = value,
                }
            }
            smoke::binary(&asm::to_bytes(&words));
        }
    }
    for _ in 0..300 {
        let len = random.below(40);
        let mut words = vec![asm::MAGIC, 0x0001_0600, 0, 20, 0];
        words.extend((0..len).map(|_| match random.below(3) {
            0 => (1 + random.below(6) as u32) << 16 | random.below(400) as u32,
            1 => random.below(20) as u32,
            _ => random.next() as u32,
        }));
        smoke::binary(&asm::to_bytes(&words));
    }
}
