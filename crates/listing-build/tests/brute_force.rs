//! Definitions, uses and live registers of generated RISC-V programs, held against a computation that knows nothing of
//! blocks, bit sets or descriptions: it walks from instruction to instruction, and knows each instruction's registers
//! because it made the word.

use std::collections::BTreeSet;
use std::path::Path;

use isaglot_codec::Plan;
use isaglot_listing::read;
use isaglot_listing::tree::{Elem, Inst, ListOperand};
use isaglot_listing::write::{Style, to_json};
use isaglot_listing_build::{Options, build};
use isaglot_model::Isa;
use isaglot_source::SourceMap;
use isaglot_testing::flow::{self, Step};
use isaglot_testing::{Random, rounds};

const PROGRAMS: usize = 1000;
const LONGEST: u64 = 60;

/// A made instruction: its word, what it reads and writes (numbers of x registers, never 0), and where it goes.
struct Made {
    word: u32,
    step: Step,
}

fn riscv() -> Isa {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/riscv/riscv.xml");
    isaglot_isaspec::oracle::load(&top, &mut isaglot_testing::corpus::load).expect("specs/riscv loads")
}

/// The bits of a branch (`b`) or jump (`j`) offset in instructions, where the instruction has them.
fn b_offset(by: i64) -> u32 {
    let v = (by * 4) as u32;
    (v >> 12 & 1) << 31 | (v >> 5 & 0x3f) << 25 | (v >> 1 & 0xf) << 8 | (v >> 11 & 1) << 7
}

fn j_offset(by: i64) -> u32 {
    let v = (by * 4) as u32;
    (v >> 20 & 1) << 31 | (v >> 1 & 0x3ff) << 21 | (v >> 11 & 1) << 20 | (v >> 12 & 0xff) << 12
}

fn program(random: &mut Random) -> Vec<Made> {
    let count = 2 + random.below(LONGEST) as usize;
    // Few registers, so that definitions meet; x0 is among them.
    let files = 2 + random.below(6);
    (0..count)
        .map(|at| {
            let mut reg = || random.below(files) as u32;
            let (rd, rs1, rs2) = (reg(), reg(), reg());
            let target = random.below(count as u64) as usize;
            let by = target as i64 - at as i64;
            let through = if at + 1 < count { vec![at + 1] } else { vec![] };
            let imm = random.below(2048) as u32;
            let (word, reads, write, nexts) = match random.below(12) {
                0..=2 => (rs2 << 20 | rs1 << 15 | rd << 7 | 0x33, vec![rs1, rs2], Some(rd), through),
                3..=4 => (imm << 20 | rs1 << 15 | rd << 7 | 0x13, vec![rs1], Some(rd), through),
                5 => (imm << 12 | rd << 7 | 0x37, vec![], Some(rd), through),
                6 => (imm << 20 | rs1 << 15 | 3 << 12 | rd << 7 | 0x03, vec![rs1], Some(rd), through),
                7 => (rs2 << 20 | rs1 << 15 | 3 << 12 | 0x23, vec![rs1, rs2], None, through),
                8..=9 => {
                    let mut nexts = through;
                    nexts.push(target);
                    (b_offset(by) | rs2 << 20 | rs1 << 15 | 1 << 12 | 0x63, vec![rs1, rs2], None, nexts)
                }
                10 => (j_offset(by) | 0x6f, vec![], None, vec![target]),
                _ => (rs1 << 15 | 0x67, vec![rs1], None, vec![]),
            };
            let real = |r: &u32| *r != 0;
            let reads = reads.into_iter().filter(real).collect();
            Made { word, step: Step { reads, write: write.filter(real), nexts } }
        })
        .collect()
}

fn source_defs(inst: &Inst<'_>) -> BTreeSet<u32> {
    let lists = inst.srcs.iter().map(|s| match s {
        ListOperand::RD(o) => o.defs.clone(),
        ListOperand::AD(o) => o.adefs.clone(),
        _ => Vec::new(),
    });
    let implied = inst.implicit.iter().flat_map(|i| i.defs.clone());
    lists.flatten().chain(implied).collect()
}

fn destination_uses(inst: &Inst<'_>) -> BTreeSet<u32> {
    let explicit = inst.dst.iter().flat_map(|d| match d {
        ListOperand::RD(o) => o.uses.clone(),
        _ => Vec::new(),
    });
    explicit.chain(inst.implicit.iter().flat_map(|i| i.uses.clone())).collect()
}

#[test]
fn riscv_dataflow_equals_a_walk_over_instructions() {
    let isa = riscv();
    let plan = Plan::new(&isa, 64);
    for seed in 1..=rounds(PROGRAMS) as u64 {
        let made = program(&mut Random::new(seed));
        let bytes: Vec<u8> = made.iter().flat_map(|m| m.word.to_le_bytes()).collect();
        let options = Options { defs: true, pc: true, bits: false };
        let listing = build(&plan, &bytes, options).expect("not too large");
        let json = to_json(&listing, Style::default());
        let file = SourceMap::new().add("listing.json", json.as_slice());
        assert_eq!(read(file, &json).expect("reads back"), listing, "seed {seed}");
        let insts: Vec<&Inst<'_>> = listing
            .elems
            .iter()
            .filter_map(|e| match e {
                Elem::I(inst) => Some(inst.as_ref()),
                Elem::L(_) => None,
            })
            .collect();
        assert_eq!(insts.len(), made.len(), "seed {seed}");
        let steps: Vec<&Step> = made.iter().map(|m| &m.step).collect();
        let preds = flow::preds(&steps);
        let mut uses = vec![BTreeSet::new(); made.len()];
        for (at, inst) in insts.iter().enumerate() {
            let reads = steps[at].reads.iter();
            let wanted: BTreeSet<u32> = reads.flat_map(|&r| flow::definitions(&steps, &preds, at, r)).collect();
            assert_eq!(source_defs(inst), wanted, "seed {seed}, definitions of {at}: {:?}", inst.comment);
            for &definition in &wanted {
                uses[definition as usize].insert(at as u32);
            }
            let alive = (1..32).filter(|&r| flow::live(&steps, at, r)).count() as u32;
            let totals = inst.live_totals.as_ref().and_then(|l| l.0.iter().find(|f| f.0 == "x")).map(|f| f.1);
            assert_eq!(totals, Some(8 * alive), "seed {seed}, live before {at}: {:?}", inst.comment);
        }
        for (at, inst) in insts.iter().enumerate() {
            assert_eq!(destination_uses(inst), uses[at], "seed {seed}, uses of {at}: {:?}", inst.comment);
        }
    }
}
