//! No wrong names: random programs are also executed, with every handle tagged by where it came from, and whatever name
//! the data flow gives must be true on every walk. And arbitrary words get no names at all.

use std::collections::BTreeSet;

use isaglot_riscv::Xlen;
use isaglot_riscv::register::CALLER_SAVED;
use isaglot_riscv::steps::{Facts, steps};
use isaglot_testing::Random;
use isaglot_xintf::profile::{self, GenericInst, Profile};
use isaglot_xintf::resolve::resolve;

use crate::description;

/// Few registers, so that they meet: t0, s0, a0.
fn register(random: &mut Random) -> u32 {
    *random.pick(&[5, 8, 10])
}

const KNOWN: [u64; 2] = [0x12345, 0xABCDE];

#[derive(Clone, Copy, Debug)]
enum Insn {
    Lui(u32, u32),
    Addi(u32, u32, i32),
    Slli(u32, u32, u32),
    Xext(u32, u32),
    Xcmd(u32, u32, u32),
    /// Offsets in instructions.
    Beq(i32),
    Jal(u32, i32),
    Jr(u32),
    Ret,
    Ecall,
}

fn generate(random: &mut Random, length: u64) -> Vec<Insn> {
    let hop = |random: &mut Random, i: u64| random.below(length) as i32 - i as i32;
    (0..length)
        .map(|i| {
            let (rd, rs) = (register(random), register(random));
            match random.below(60) {
                0..=7 => Insn::Lui(rd, *random.pick(&[0x12345, 0xABCDE, 0x77777, 0x12346])),
                8..=12 => Insn::Addi(rd, rs, *random.pick(&[0, 0, 1, -1])),
                13 => Insn::Slli(rd, rs, 12),
                14..=22 => Insn::Xext(rd, rs),
                23..=32 => Insn::Xcmd(random.below(3) as u32, rd, rs),
                33..=35 => Insn::Beq(hop(random, i)),
                36 => Insn::Jal(*random.pick(&[0, 1]), hop(random, i)),
                37 if random.below(4) == 0 => Insn::Jr(10),
                38 => Insn::Ecall,
                39 => Insn::Ret,
                // What makes a name: a known interface, its handle, a command.
                _ => Insn::Xext(rd, rd),
            }
        })
        .collect()
}

fn encode(insn: Insn, profile: &Profile) -> u32 {
    let bits = |value: i32, at: u32, width: u32, to: u32| (value as u32 >> at & ((1 << width) - 1)) << to;
    match insn {
        Insn::Lui(rd, imm) => imm << 12 | rd << 7 | 0x37,
        Insn::Addi(rd, rs, imm) => (imm as u32) << 20 | rs << 15 | rd << 7 | 0x13,
        Insn::Slli(rd, rs, by) => by << 20 | rs << 15 | 1 << 12 | rd << 7 | 0x13,
        Insn::Xext(rd, rs) => profile.encode(GenericInst::Xext(0), rd, rs, 11),
        Insn::Xcmd(k, rd, rs) => profile.encode(GenericInst::Xcmd(k), rd, rs, 11),
        Insn::Beq(to) => {
            let to = 4 * to;
            bits(to, 12, 1, 31)
                | bits(to, 5, 6, 25)
                | 11 << 20
                | 12 << 15
                | bits(to, 1, 4, 8)
                | bits(to, 11, 1, 7)
                | 0x63
        }
        Insn::Jal(rd, to) => {
            let to = 4 * to;
            bits(to, 20, 1, 31) | bits(to, 1, 10, 21) | bits(to, 11, 1, 20) | bits(to, 12, 8, 12) | rd << 7 | 0x6f
        }
        Insn::Jr(rs) => rs << 15 | 0x67,
        Insn::Ret => 0x0000_8067,
        Insn::Ecall => 0x0000_0073,
    }
}

/// A register: its value, and the interface and device if `xext` made it.
type Register = (u64, Option<(u64, u16)>);

/// Walks through a program; gives the calls that were met: (index, tag).
fn walk(
    program: &[Insn],
    starts: &BTreeSet<usize>,
    mask: u64,
    random: &mut Random,
) -> Vec<(usize, Option<(u64, u16)>)> {
    let mut registers: [Register; 32] = [(0, None); 32];
    for r in &mut registers {
        r.0 = random.u64() & mask;
    }
    let start: Vec<usize> = starts.iter().copied().collect();
    let mut pc = start[random.below(start.len() as u64) as usize] as i32;
    let mut met = Vec::new();
    for _ in 0..100 {
        registers[0] = (0, None);
        let Some(&insn) = usize::try_from(pc).ok().and_then(|i| program.get(i)) else { break };
        let at = pc as usize;
        pc += 1;
        let clobber = |registers: &mut [Register; 32], random: &mut Random| {
            for (n, r) in registers.iter_mut().enumerate() {
                if CALLER_SAVED >> n & 1 == 1 {
                    *r = (random.u64() & mask, None);
                }
            }
        };
        match insn {
            Insn::Lui(rd, imm) => registers[rd as usize] = ((imm << 12) as i32 as u64 & mask, None),
            Insn::Addi(rd, rs, 0) => registers[rd as usize] = registers[rs as usize],
            Insn::Addi(rd, rs, imm) => {
                registers[rd as usize] = (registers[rs as usize].0.wrapping_add(imm as u64) & mask, None);
            }
            Insn::Slli(rd, rs, by) => registers[rd as usize] = (registers[rs as usize].0 << by & mask, None),
            Insn::Xext(rd, rs) => {
                let id = registers[rs as usize].0;
                registers[rd as usize] = (random.u64() & mask, Some((id >> 12, (id & 0xfff) as u16)));
            }
            Insn::Xcmd(_, rd, rs) => {
                met.push((at, registers[rs as usize].1));
                registers[rd as usize] = (random.u64() & mask, None);
            }
            Insn::Beq(to) => {
                if random.bool() {
                    pc = at as i32 + to;
                }
            }
            Insn::Jal(0, to) => pc = at as i32 + to,
            Insn::Jal(_, to) => {
                // Into the function, or over it as if it had come back.
                if random.bool() {
                    registers[1] = (random.u64() & mask, None);
                    pc = at as i32 + to;
                } else {
                    clobber(&mut registers, random);
                }
            }
            Insn::Jr(_) => {
                // Anywhere in the function.
                let low = starts.range(..=at).next_back().copied().unwrap_or(0);
                let high = starts.range(at + 1..).next().copied().unwrap_or(program.len());
                pc = low as i32 + random.below((high - low) as u64) as i32;
            }
            Insn::Ecall => clobber(&mut registers, random),
            Insn::Ret => break,
        }
    }
    met
}

#[test]
fn names_are_true_on_every_walk() {
    let isa = description::isa();
    let profile = profile::by_name("custom0").expect("a profile");
    let mut random = Random::new(1);
    let (mut named, mut checked) = (0, 0);
    let plans = [32, 64].map(|bits| description::plan(&isa, bits, "custom0", 8));
    let facts = plans.each_ref().map(Facts::new);
    for round in 0..10_000 {
        let (bits, xlen) = if round % 2 == 0 { (32, Xlen::Rv32) } else { (64, Xlen::Rv64) };
        let mask = if bits == 32 { 0xffff_ffff } else { u64::MAX };
        let known: Vec<u64> = KNOWN.iter().map(|&u| isaglot_xintf::uuid::embed(u, xlen)).collect();
        let program = generate(&mut random, 30);
        let bytes: Vec<u8> = program.iter().flat_map(|&i| encode(i, &profile).to_le_bytes()).collect();
        let steps = steps(&plans[round % 2], &facts[round % 2], xlen, &bytes);
        assert_eq!(steps.len(), program.len());
        let resolved = resolve(&steps, &[0], xlen.bits(), &|uuid| known.contains(&uuid));
        named += resolved.calls.len();
        let mut starts = BTreeSet::from([0]);
        for (i, insn) in program.iter().enumerate() {
            if let Insn::Jal(1, to) = insn {
                starts.extend(usize::try_from(i as i32 + to));
            }
        }
        for _ in 0..10 {
            for (at, tag) in walk(&program, &starts, mask, &mut random) {
                let Some(call) = resolved.calls.get(&(4 * at as u64)) else { continue };
                checked += 1;
                assert_eq!(tag, Some((call.uuid, call.dev)), "round {round}, instruction {at} of {program:?}");
            }
        }
    }
    // Something was looked at.
    assert!(named > 500 && checked > 5_000, "{named} names, {checked} checks");
}

#[test]
fn arbitrary_words_get_no_names() {
    let isa = description::isa();
    let mut random = Random::new(7);
    let plan = |bits: u64, profile: &str| description::plan(&isa, bits, profile, 8);
    let plans = [plan(32, "custom0"), plan(64, "custom0"), plan(32, "reserved-6b"), plan(64, "reserved-6b")];
    let facts = plans.each_ref().map(Facts::new);
    for round in 0..10_000u64 {
        let xlen = if round % 2 == 0 { Xlen::Rv32 } else { Xlen::Rv64 };
        let mut bytes: Vec<u8> = (0..32).flat_map(|_| random.u32().to_le_bytes()).collect();
        // Every other word is a command, with some handle.
        for word in bytes.chunks_exact_mut(8) {
            word[0] = if round / 2 % 2 == 0 { 0x0b } else { 0x6b };
            word[3] &= 1;
        }
        let which = round as usize % 4;
        let steps = steps(&plans[which], &facts[which], xlen, &bytes);
        let known: Vec<u64> = KNOWN.iter().map(|&u| isaglot_xintf::uuid::embed(u, xlen)).collect();
        let resolved = resolve(&steps, &[0], xlen.bits(), &|uuid| known.contains(&uuid));
        assert!(resolved.calls.is_empty(), "round {round}: {resolved:?}");
    }
}
