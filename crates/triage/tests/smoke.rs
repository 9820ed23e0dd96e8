//! Any bytes by the descriptions that ship with the project: no word is lost, whatever they are.

use isaglot_codec::Plan;
use isaglot_testing::{Random, corpus, rounds, workspace};

/// Descriptions and gens.
const DESCRIPTIONS: [(&str, u32); 5] = [
    ("minnow/minnow.xml", 0),
    ("minnow/minnow.xml", 2),
    ("trio/trio.xml", 0),
    ("riscv/riscv.xml", 64),
    ("xe/xe.xml", 12),
];

#[test]
fn no_word_is_lost() {
    let mut random = Random::new(11);
    for (path, generation) in DESCRIPTIONS {
        let top = workspace().join("specs").join(path);
        let isa = isaglot_isaspec::oracle::load(&top, &mut corpus::load).expect("a description that ships");
        let plan = Plan::new(&isa, generation);
        for _ in 0..rounds(20) {
            let programs: Vec<Vec<u8>> = (0..3).map(|_| bytes(&mut random)).collect();
            isaglot_triage::oracle::check(&plan, &programs);
        }
    }
}

/// Random bytes, or a few words again and again.
fn bytes(random: &mut Random) -> Vec<u8> {
    let count = random.index(600);
    if random.bool() {
        return random.bytes(count);
    }
    let few = random.bytes(16);
    few.iter().copied().cycle().take(count).collect()
}

#[test]
fn nothing_is_a_report_too() {
    let top = workspace().join("specs/minnow/minnow.xml");
    let isa = isaglot_isaspec::oracle::load(&top, &mut corpus::load).expect("a description that ships");
    isaglot_triage::oracle::check(&Plan::new(&isa, 0), &[]);
    isaglot_triage::oracle::check(&Plan::new(&isa, 0), &[vec![], vec![0]]);
}
