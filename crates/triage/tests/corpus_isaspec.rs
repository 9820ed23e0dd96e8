//! Triage of the corpus: words of the pools with patterns planted among them.

use std::path::Path;

use isaglot_codec::Plan;
use isaglot_testing::{Failed, Random, Tally, corpus, ledger, suite};

mod planted;

/// Descriptions, gens, and pools of words that they know.
const POOLS: [(&str, u32, &str); 5] = [
    ("ir3", 600, "ir3.gen600"),
    ("ir3", 700, "ir3.gen700"),
    ("afuc", 6, "afuc.gen6"),
    ("afuc", 7, "afuc.gen7"),
    ("etnaviv", 0, "etnaviv.gen0"),
];

/// Seeds for each of them.
const SEEDS: u64 = 4;

fn main() {
    suite::run_corpus_cases(
        "isaspec",
        &[("planted patterns are found", found), ("nothing is remembered wrongly", remembered)],
    );
}

fn found(dir: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for (isa, generation, pool) in POOLS {
        let top = dir.join("xml").join(isa).join(format!("{isa}.xml"));
        let description = isaglot_isaspec::oracle::load(&top, &mut corpus::load)?;
        let known = corpus::bytes(&dir.join("corpus").join(format!("{pool}.pool.bin.gz")))?;
        let plan = Plan::new(&description, generation);
        for seed in 0..SEEDS {
            let result = planted::check(&plan, &known, seed);
            println!("{pool} {seed}: {}", result.as_ref().unwrap_or_else(|said| said));
            tally.row(pool, seed, result.map(drop));
        }
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "planted", &tally)?)
}

/// Words of the pools, some with bits turned: the report is the same as if each were taken apart.
fn remembered(dir: &Path) -> Result<(), Failed> {
    let mut random = Random::new(5);
    for (isa, generation, pool) in POOLS {
        let top = dir.join("xml").join(isa).join(format!("{isa}.xml"));
        let description = isaglot_isaspec::oracle::load(&top, &mut corpus::load)?;
        let known = corpus::bytes(&dir.join("corpus").join(format!("{pool}.pool.bin.gz")))?;
        let (mut known, part) = (known.repeat(2), known.len() / 4);
        for _ in 0..part / 16 {
            let at = random.index(known.len());
            known[at] ^= 1 << random.index(8);
        }
        let programs: Vec<Vec<u8>> = known.chunks(part.next_multiple_of(16)).map(<[u8]>::to_vec).collect();
        isaglot_triage::oracle::check(&Plan::new(&description, generation), &programs);
    }
    Ok(())
}
