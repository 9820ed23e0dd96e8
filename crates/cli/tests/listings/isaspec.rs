//! Mesa's descriptions with the roles that ship: every name of the roles is in the description, every pool, vector, small
//! description and firmware is listed, and an own program for each is listed as the golden says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_codec::Plan;
use isaglot_isaspec::Overlay;
use isaglot_listing::text;
use isaglot_listing::write::{Style, to_json};
use isaglot_listing_build::{Options, build};
use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_testing::corpus::{name as file_name, unhex};
use isaglot_testing::{Failed, Trial, bless};

use crate::check::{Schema, Score};
use crate::files::{bytes, records, those};

const ALL: Options = Options { defs: true, pc: true, bits: true };

/// Descriptions, the gens that pools and vectors are for, and the gen of the own program.
const ISAS: [(&str, u32); 3] = [("ir3", 600), ("afuc", 6), ("etnaviv", 0)];

pub(crate) fn trials(corpus: Option<PathBuf>) -> Vec<Trial> {
    let absent = corpus.is_none();
    let corpus = corpus.unwrap_or_default();
    let mut all = Vec::new();
    let mut add = |name: String, run: Box<dyn FnOnce() -> Result<(), Failed> + Send>| {
        all.push(Trial::test(format!("isaspec_{name}"), run).with_ignored_flag(absent));
    };
    for (isa, generation) in ISAS {
        let at = corpus.clone();
        add(format!("listings_{isa}"), Box::new(move || pools_and_vectors(&at, isa)));
        let at = corpus.clone();
        if shipped(isa).is_some() {
            add(format!("own_program_{isa}"), Box::new(move || own_program(&at, isa, generation)));
        }
    }
    add("listings_micro".to_owned(), Box::new(move || micro(&corpus)));
    all
}

/// The roles that ship for a description.
fn shipped(isa: &str) -> Option<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../specs/roles/{isa}.roles.xml"));
    std::fs::read(path).ok()
}

/// A description with its roles, which fit in all: a name that it does not have is an error.
fn load(top: &Path, roles: Option<&[u8]>) -> Result<Isa, Failed> {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |path: &str| std::fs::read(path).map_err(|e| e.to_string());
    let overlay = roles.map(|bytes| Overlay { name: "roles.xml", bytes, partial: false });
    let top = top.to_string_lossy();
    let isa = isaglot_isaspec::load_with_roles(&mut files, &top, overlay, &mut read, &mut problems);
    let shown = || problems.iter().map(|d| render::text(&files, d, false)).collect::<String>();
    isa.ok_or_else(|| shown().into())
}

fn list(schema: &Schema, plan: &Plan<'_>, program: &[u8]) -> Result<usize, String> {
    let listing = build(plan, program, ALL).map_err(|_| "too large".to_owned())?;
    schema.check(&to_json(&listing, Style::default()), Style::default())
}

fn pools_and_vectors(corpus: &Path, name: &str) -> Result<(), Failed> {
    let roles = shipped(name);
    let isa = load(&corpus.join("xml").join(name).join(format!("{name}.xml")), roles.as_deref())?;
    let schema = Schema::published()?;
    // The words of each gen: the vectors as one program, and each by itself.
    let mut by_gen: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
    for row in records(&corpus.join(format!("{name}.jsonl"))) {
        // Digits stand most significant first, bytes the other way round.
        let mut word = unhex(row["hex"].as_str().unwrap_or_default());
        word.reverse();
        by_gen.entry(row["gen"].as_u64().unwrap_or(0) as u32).or_default().push(word);
    }
    let mut score = Score::default();
    for (generation, words) in &by_gen {
        let plan = Plan::new(&isa, *generation);
        score.count(format!("gen {generation}"), list(&schema, &plan, &words.concat()));
        for word in words {
            score.count(format!("gen {generation} {word:02x?}"), list(&schema, &plan, word));
        }
    }
    score.finish(format!("{name}.jsonl"))?;
    for path in those(&corpus.join("corpus"), |n| n.starts_with(&format!("{name}.gen")) && n.ends_with(".pool.bin.gz"))
    {
        let file = file_name(&path);
        let generation = file.split(".gen").nth(1).and_then(|g| g.split('.').next()).and_then(|g| g.parse().ok());
        let plan = Plan::new(&isa, generation.ok_or("a gen in the name")?);
        let mut score = Score::default();
        score.count(&file, list(&schema, &plan, &bytes(&path)));
        score.finish(&file)?;
    }
    if name == "afuc" {
        for path in those(&corpus.join("reference"), |n| n.ends_with(".fw")) {
            let mut score = Score::default();
            for generation in [6, 7] {
                score.count(format!("gen {generation}"), list(&schema, &Plan::new(&isa, generation), &bytes(&path)));
            }
            score.finish(file_name(&path))?;
        }
    }
    Ok(())
}

fn micro(corpus: &Path) -> Result<(), Failed> {
    let schema = Schema::published()?;
    let mut score = Score::default();
    for dir in those(&corpus.join("micro"), |_| true) {
        let meta: serde_json::Value = serde_json::from_slice(&bytes(&dir.join("meta.json")))?;
        let generation = meta["gen"].as_u64().unwrap_or(0) as u32;
        let isa = load(&dir.join("spec.xml"), None)?;
        score.count(dir.display(), list(&schema, &Plan::new(&isa, generation), &bytes(&dir.join("in.bin"))));
    }
    score.finish("micro")
}

/// Lists `tests/listings/NAME.asm`, one instruction a line, and compares with `NAME.txt`; `BLESS=1` writes it.
fn own_program(corpus: &Path, name: &str, generation: u32) -> Result<(), Failed> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/listings");
    let roles = shipped(name);
    let isa = load(&corpus.join("xml").join(name).join(format!("{name}.xml")), roles.as_deref())?;
    let plan = Plan::new(&isa, generation);
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let mut program = Vec::new();
    for line in std::fs::read_to_string(here.join(format!("{name}.asm")))?.lines().filter(|l| !l.is_empty()) {
        let word = assembler.assemble(line.as_bytes()).map_err(|e| format!("{line}: {e:?}"))?;
        program.extend(word.le_bytes());
    }
    let listing = build(&plan, &program, Options { pc: false, bits: false, ..ALL }).map_err(|_| "too large")?;
    let shown = text::text(&listing, text::Colours::default());
    Ok(bless::golden(&here.join(format!("{name}.txt")), &shown)?)
}
