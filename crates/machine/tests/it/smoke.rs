//! Any bytes as programs, and every encoding with random operands: no panic, an end, and both ways to run a text agree.

use isaglot_bits::Word;
use isaglot_machine::oracle::exercise;
use isaglot_model::Isa;
use isaglot_testing::{Random, rounds};

/// Programs of random instructions: words that match an encoding, so that most are valid.
fn program(isa: &Isa, random: &mut Random) -> Vec<u8> {
    let encodings: Vec<_> = isa[isa.root()].encodings.iter().map(|&id| &isa[id]).collect();
    let mut bytes = Vec::new();
    for _ in 0..64 {
        let pattern = &random.pick(&encodings).pattern;
        let limbs: Vec<u64> = (0..pattern.width().div_ceil(64)).map(|_| random.u64()).collect();
        let word = Word::from_limbs(&limbs, pattern.width());
        let word = pattern.value().or(&word.and_not(pattern.care()));
        bytes.extend(word.le_bytes());
    }
    if random.one_in(8) {
        bytes.iter_mut().for_each(|byte| *byte ^= random.u64() as u8);
    }
    bytes
}

#[test]
fn both_ways_agree_on_random_programs() {
    for (files, gens) in
        [(isaglot_specs::MINNOW, [0, 1]), (isaglot_specs::TRIO, [0, 0]), (isaglot_specs::RISCV, [32, 64])]
    {
        let isa = super::isa(files);
        let mut random = Random::new(11);
        for generation in gens {
            for _ in 0..rounds(60) {
                exercise(&isa, generation, &program(&isa, &mut random));
            }
        }
    }
}
