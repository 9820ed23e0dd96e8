//! The opcode space of the shipped description: no word belongs to two instructions, under any of the four encoding
//! profiles, and exactly this much of it is free: `tests/golden/riscv-space.txt`.

use std::fmt::Write;
use std::path::Path;

use isaglot_bits::{Pattern, Word, cover};
use isaglot_codec::Plan;
use isaglot_model::{Encoding, Isa};
use isaglot_testing::bless;

use crate::description;

const PROFILES: [&str; 4] = ["custom0", "custom0-rocc", "op-brownfield", "reserved-6b"];

fn active<'a>(isa: &'a Isa, plan: &Plan<'_>) -> Vec<&'a Encoding> {
    isa.encodings().iter().filter(|e| e.space == isa.root() && plan.active(e)).collect()
}

#[test]
fn no_two_instructions_share_a_word() {
    let isa = description::isa();
    for xlen in [32, 64] {
        for profile in PROFILES {
            let plan = description::plan(&isa, xlen, profile, 16);
            let list = active(&isa, &plan);
            for (i, a) in list.iter().enumerate() {
                for b in list.iter().take(i).filter(|b| b.width == a.width) {
                    let both = a.pattern.intersect(&b.pattern).map(|p| p.witness().hex());
                    assert_eq!(both, None, "rv{xlen} {profile}: {} and {}", a.display_name, b.display_name);
                }
            }
        }
    }
}

#[test]
fn free_space_by_major_opcode() {
    let isa = description::isa();
    let mut text = String::new();
    for xlen in [32, 64] {
        let plan = description::plan(&isa, xlen, "", 4);
        let patterns: Vec<Pattern> =
            active(&isa, &plan).iter().filter(|e| e.width == 32).map(|e| e.pattern.clone()).collect();
        let _ = writeln!(text, "rv{xlen}: free words of 2^25 by major opcode");
        for major in 0..32u64 {
            let opcode = major << 2 | 3;
            let space = Pattern::new(&Word::from_u64(opcode, 32), Word::from_u64(0x7f, 32));
            let inside: Vec<Pattern> = patterns.iter().filter_map(|p| p.intersect(&space)).collect();
            let free = cover::uncovered_count(&space, &inside).expect("few patterns");
            let _ = writeln!(text, "{opcode:#04x} {free}");
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/riscv-space.txt");
    bless::golden(&path, &text).unwrap();
}
