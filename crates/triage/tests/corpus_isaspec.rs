//! Triage of the corpus: words of the pools with patterns planted among them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_codec::tree::Match;
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
        &[
            ("planted patterns are found", found),
            ("nothing is remembered wrongly", remembered),
            ("instructions that are lost are found", lost),
        ],
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

/// Instructions of ir3 that the description loses; the pool has words of each.
const LOST: [&str; 20] = [
    "and.b",
    "or.b",
    "add.s",
    "sub.u",
    "min.f",
    "max.f",
    "mul.f",
    "cmps.f",
    "cmps.u",
    "cmps.s",
    "mad.u16",
    "madsh.m16",
    "mad.u24",
    "mad.f32",
    "sel.b32",
    "sel.f16",
    "shlg",
    "shrg",
    "dp4acc",
    "wmm",
];

/// A description without twenty of its instructions: their words are unknown, and no pattern has words of two of them.
fn lost(dir: &Path) -> Result<(), Failed> {
    let top = dir.join("xml/ir3/ir3.xml");
    let whole = isaglot_isaspec::oracle::load(&top, &mut corpus::load)?;
    let mut read =
        |path: &str| corpus::load(path).map(|bytes| without(String::from_utf8_lossy(&bytes).into_owned()).into_bytes());
    let less = isaglot_isaspec::oracle::load(&top, &mut read)?;
    let known = corpus::bytes(&dir.join("corpus/ir3.gen600.pool.bin.gz"))?;
    let (whole, less) = (Plan::new(&whole, 600), Plan::new(&less, 600));
    let (_, clusters) = isaglot_triage::oracle::triage(&less, std::slice::from_ref(&known));
    let mut found: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for bytes in known.chunks(8) {
        let word = Word::from_le_bytes(bytes, 64);
        if less.decode(&word) != Match::None {
            continue;
        }
        let Match::One(id) = whole.decode(&word) else { return Err(format!("{} is unknown", word.hex()).into()) };
        let name = whole.isa().text(whole.isa()[id].name);
        let clusters = clusters.all().iter().filter(|c| c.space == less.isa().root());
        let most = clusters.filter(|c| c.pattern.matches(&word)).max_by_key(|c| c.pattern.care().count_ones());
        let pattern = most.map_or_else(|| "none".to_owned(), |c| c.pattern.to_string());
        found.entry(pattern).or_default().insert(name);
    }
    let names: BTreeSet<&str> = found.values().flatten().copied().collect();
    println!("{} instructions in {} patterns", names.len(), found.len());
    if names != BTreeSet::from(LOST) || found.contains_key("none") {
        return Err(format!("{} of {} found", names.len(), LOST.len()).into());
    }
    let mixed: Vec<_> = found.iter().filter(|(_, names)| names.len() > 1).collect();
    if mixed.is_empty() { Ok(()) } else { Err(format!("patterns of several instructions: {mixed:?}").into()) }
}

/// A file of the description without the lost instructions.
fn without(mut text: String) -> String {
    for name in LOST {
        let Some(start) = text.find(&format!("<bitset name=\"{name}\"")) else { continue };
        let Some(end) = text[start..].find("</bitset>") else { continue };
        text.replace_range(start..start + end + "</bitset>".len(), "");
    }
    text
}
