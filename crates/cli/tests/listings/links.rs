//! Two descriptions of one instruction set that nobody derived from each other: RISC-V by the project's own description and
//! by LLVM's records. The same program must have the same definitions, uses and live registers by both.

use std::collections::BTreeSet;

use isaglot_codec::Plan;
use isaglot_listing::tree::{Elem, Inst, ListOperand};
use isaglot_listing_build::{Options, build};
use isaglot_testing::{Failed, Random};

/// Programs that are compared, and their longest.
const PROGRAMS: u64 = 200;
const LONGEST: u64 = 80;

/// Words without operands of which few registers are then filled in: arithmetic of both kinds, loads, stores, atomics.
const FORMS: &[(u32, &[u32])] = &[
    (0x0000_0033, &[7, 15, 20]),
    (0x4000_0033, &[7, 15, 20]),
    (0x0200_0033, &[7, 15, 20]),
    (0x0000_003b, &[7, 15, 20]),
    (0x0051_0013 & !0x000f_8f80, &[7, 15]),
    (0x0000_0037, &[7]),
    (0x0000_0017, &[7]),
    (0x0000_3003, &[7, 15]),
    (0x0000_3023, &[15, 20]),
    (0x0200_0053, &[7, 15, 20]),
    (0x0200_0043, &[7, 15, 20, 27]),
    (0x0000_3007, &[7, 15]),
    (0x0000_3027, &[15, 20]),
    (0xa200_2053, &[7, 15, 20]),
    (0xd220_0053, &[7, 15]),
    (0x0000_302f, &[7, 15, 20]),
    (0x1000_302f, &[7, 15]),
];

fn program(random: &mut Random) -> Vec<u8> {
    let count = 2 + random.below(LONGEST);
    let registers = 3 + random.below(6);
    (0..count)
        .flat_map(|_| {
            let (word, fields) = *random.pick(FORMS);
            fields.iter().fold(word, |word, at| word | (random.below(registers) as u32) << at).to_le_bytes()
        })
        .collect()
}

/// A register and the instructions that it is linked to.
type Links = BTreeSet<(String, Vec<u32>)>;

/// What an instruction reads, by register, and what it writes; only what is linked to anything.
fn links(inst: &Inst<'_>) -> (Links, Links) {
    let read = inst.srcs.iter().filter_map(|s| match s {
        ListOperand::RD(o) => Some((o.reg.rn.to_string(), o.defs.clone())),
        ListOperand::AD(o) => Some((o.areg.rn.to_string(), o.adefs.clone())),
        _ => None,
    });
    let written = inst.dst.iter().filter_map(|d| match d {
        ListOperand::RD(o) => Some((o.reg.rn.to_string(), o.uses.clone())),
        _ => None,
    });
    let linked = |l: &(String, Vec<u32>)| !l.1.is_empty();
    (read.filter(linked).collect(), written.filter(linked).collect())
}

/// Compares the listings of generated programs by two plans.
pub(crate) fn compare(ours: &Plan<'_>, llvm: &Plan<'_>) -> Result<(), Failed> {
    let options = Options { defs: true, ..Options::default() };
    let mut linked = 0;
    for seed in 1..=PROGRAMS {
        let program = program(&mut Random::new(seed));
        let list = |plan| build(plan, &program, options).map_err(|_| "too large");
        let (first, second) = (list(ours)?, list(llvm)?);
        if first.elems.len() != second.elems.len() {
            return Err(format!("seed {seed}: {} and {} elements", first.elems.len(), second.elems.len()).into());
        }
        for (a, b) in first.elems.iter().zip(&second.elems) {
            match (a, b) {
                (Elem::I(a), Elem::I(b)) => {
                    let (ours, theirs) = (links(a), links(b));
                    if ours != theirs {
                        return Err(format!("seed {seed}: {a:?}\n{ours:?}\n{b:?}\n{theirs:?}").into());
                    }
                    let live = |inst: &Inst<'_>| -> u32 {
                        inst.live_totals.iter().flat_map(|l| &l.0).map(|(_, bytes)| *bytes).sum()
                    };
                    if live(a) != live(b) {
                        return Err(format!("seed {seed}: {:?} and {:?}", a.live_totals, b.live_totals).into());
                    }
                    linked += ours.0.len();
                }
                (Elem::L(a), Elem::L(b)) if a == b => {}
                _ => return Err(format!("seed {seed}: {a:?} is not {b:?}").into()),
            }
        }
    }
    println!("RISC-V by both descriptions: {PROGRAMS} programs, {linked} linked operands");
    if linked > 1000 { Ok(()) } else { Err("hardly anything was linked".into()) }
}
