//! The listings of Intel Xe kernels, SPIR-V modules, RISC-V programs and LLVM's targets.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use isaglot_codec::Plan;
use isaglot_listing::write::{Style, to_json};
use isaglot_listing_build::{Options, build};
use isaglot_llvm as llvm;
use isaglot_model::{Feature, FeatureId, Isa};
use isaglot_source::{Diagnostics, FileId, SourceMap};
use isaglot_spirv::{dis, list as spirv};
use isaglot_testing::corpus::{name as file_name, unhex};
use isaglot_testing::{Failed, Trial, corpus, suite};
use isaglot_xe::{Description, ListOptions, Platform, Xe};

use crate::check::{Schema, Score};
use crate::files::{bytes, records, those};
use crate::links;

const ALL: Options = Options { defs: true, pc: true, bits: true };

pub(crate) fn trials() -> Vec<Trial> {
    let all: [(&str, &str, suite::Case); 5] = [
        ("xe", "xe_listings", xe),
        ("spirv", "spirv_listings", spirv_modules),
        ("xext", "xext_listings", riscv),
        ("tablegen", "tablegen_listings", llvm_targets),
        ("xe", "xe_stored_listings", xe_stored),
    ];
    all.into_iter().flat_map(|(system, name, case)| suite::corpus_cases(system, &[(name, case)])).collect()
}

/// The machine in a kernel's name: what stands before `.krn`.
fn platform(path: &Path, before: &str) -> Option<Platform> {
    let name = file_name(path);
    match name.strip_suffix(before)?.rsplit('.').next()? {
        "12p71" => Platform::parse("xehpg"),
        "12p72" => Platform::parse("xehpc"),
        "2" => Platform::parse("xe2"),
        "3" => Platform::parse("xe3"),
        _ => None,
    }
}

/// Every kernel: plain, with dataflow, and with everything.
fn xe(corpus: &Path) -> Result<(), Failed> {
    let schema = Schema::published()?;
    let description = Description::embedded().ok_or("the description loads")?;
    let mut machines: Vec<(Platform, Xe<'_>)> = Vec::new();
    let mut score = Score::default();
    let everything =
        ListOptions { defs: true, pc: true, bits: true, ldst: true, hex_floats: true, compat: false, text: false };
    let ways = [ListOptions::default(), ListOptions { defs: true, ..ListOptions::default() }, everything];
    for path in those(&corpus.join("kernels"), |n| n.ends_with(".krn.gz")) {
        let platform = platform(&path, ".krn.gz").ok_or("a platform in the name")?;
        if !machines.iter().any(|(known, _)| *known == platform) {
            machines.push((platform, Xe::new(&description, platform).ok_or("the description loads")?));
        }
        let Some((_, xe)) = machines.iter_mut().find(|(known, _)| *known == platform) else { continue };
        let program = xe.program(&bytes(&path));
        for options in &ways {
            let mut json = Vec::new();
            let outcome = match xe.write_json(&program, options, &mut json) {
                Ok(()) => schema.check(&json, Style::default()),
                Err(_) => Err("too large".to_owned()),
            };
            score.count(file_name(&path), outcome);
        }
    }
    score.finish("kernels/*.krn.gz")
}

/// The peer's own listings are of the same schema, where they are JSON at all.
fn xe_stored(corpus: &Path) -> Result<(), Failed> {
    let schema = Schema::published()?;
    let mut score = Score::default();
    let stored = |n: &str| n.ends_with(".json.gz") && !n.ends_with(".v1.json.gz") && !n.starts_with("neg");
    for path in those(&corpus.join("kernels"), stored) {
        let json = bytes(&path);
        // The peer prints one option without quotes.
        if serde_json::from_slice::<serde_json::Value>(&json).is_err() {
            continue;
        }
        score.count(file_name(&path), schema.check(&json, Style { wide_store_indent: true }));
    }
    score.finish("kernels/*.json.gz")
}

/// Every module of the corpus that has a header, damaged ones included.
fn spirv_modules(corpus: &Path) -> Result<(), Failed> {
    let schema = Schema::published()?;
    let show = spirv::Show { defs: true, pc: true, bits: true };
    for path in those(corpus, |n| n.ends_with(".jsonl.gz")) {
        let mut score = Score::default();
        let mut with_modules = false;
        for row in records(&path) {
            let Some(bin) = row["bin"].as_str().filter(|b| b.starts_with("03022307")) else { continue };
            with_modules = true;
            let Ok(words) = dis::read(&unhex(bin)) else { continue };
            let outcome = match spirv::list(&words, &dis::Options::default(), show) {
                Ok((listing, _)) => schema.check(&to_json(&listing, Style::default()), Style::default()),
                Err(spirv::NoListing::Header(_)) => continue,
                Err(spirv::NoListing::TooLarge) => Err("too large".to_owned()),
            };
            score.count(&row["id"], outcome);
        }
        if with_modules {
            score.finish(file_name(&path))?;
        }
    }
    Ok(())
}

fn shipped_riscv() -> Result<Isa, Failed> {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/riscv/riscv.xml");
    let mut read = |path: &str| std::fs::read(path).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut files, &top.to_string_lossy(), &mut read, &mut problems);
    Ok(isa.ok_or("specs/riscv loads")?)
}

/// The vectors of each width as one program, and every program of the cases.
fn riscv(corpus: &Path) -> Result<(), Failed> {
    let schema = Schema::published()?;
    let isa = shipped_riscv()?;
    let all: Vec<FeatureId> = (0..isa.features().len() as u32).map(FeatureId).collect();
    let plans = [32, 64].map(|xlen| (xlen, Plan::with_features(&isa, xlen, &all)));
    let plan = |xlen: u64| plans.iter().find(|(x, _)| u64::from(*x) == xlen).map(|(_, plan)| plan).ok_or("a width");
    let list = |xlen: u64, program: &[u8]| {
        let listing = build(plan(xlen)?, program, ALL).map_err(|_| "too large".to_owned())?;
        schema.check(&to_json(&listing, Style::default()), Style::default())
    };
    let mut programs: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for row in records(&corpus.join("rv-vectors.jsonl.gz")) {
        let mut word = unhex(row["hex"].as_str().unwrap_or_default());
        word.reverse();
        programs.entry(row["xlen"].as_u64().unwrap_or(0)).or_default().extend(word);
    }
    let mut score = Score::default();
    for (xlen, program) in &programs {
        score.count(xlen, list(*xlen, program));
    }
    score.finish("rv-vectors.jsonl.gz")?;
    let mut score = Score::default();
    for path in those(&corpus.join("cases"), |n| n.ends_with(".json")) {
        let case: serde_json::Value = serde_json::from_slice(&bytes(&path))?;
        let words = case["words"].as_array().into_iter().flatten().filter_map(|w| w.as_str());
        let words = words.filter_map(|w| u32::from_str_radix(w.trim_start_matches("0x"), 16).ok());
        let program: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        score.count(file_name(&path), list(case["xlen"].as_u64().unwrap_or(0), &program));
    }
    score.finish("cases/*.json")
}

/// Targets with an operand table: the file of rows, the folder in LLVM's tree, the table.
const TARGETS: [(&str, &str, &str); 7] = [
    ("riscv.jsonl.gz", "RISCV", "riscv"),
    ("loongarch.jsonl", "LoongArch", "loongarch"),
    ("bpf.jsonl", "BPF", "bpf"),
    ("lanai.jsonl", "Lanai", "lanai"),
    ("sparc.jsonl", "Sparc", "sparc"),
    ("amdgpu-gfx9-gfx10-sop.jsonl.gz", "AMDGPU", "amdgpu"),
    ("msp430.jsonl", "MSP430", "msp430"),
];

/// The rows of each choice of features as one program.
fn llvm_targets(corpus: &Path) -> Result<(), Failed> {
    let schema = Schema::published()?;
    let root = corpus::unpacked(&corpus.join("td.tar.xz"))?;
    for (rows, folder, table) in TARGETS {
        let (isa, table) = lowered(&root, folder, table)?;
        if folder == "RISCV" {
            let ours = shipped_riscv()?;
            let usual =
                |(id, f): (u32, &Feature)| ["m", "a", "f", "d"].contains(&f.name.as_str()).then_some(FeatureId(id));
            let usual: Vec<FeatureId> = (0..).zip(ours.features()).filter_map(usual).collect();
            let is_on = ours.implied(&usual);
            let features: Vec<FeatureId> =
                (0..).zip(&is_on).filter(|(_, on)| **on).map(|(id, _)| FeatureId(id)).collect();
            let on =
                llvm::choose(&isa, &table, "riscv64", "", &["+m", "+a", "+f", "+d"]).map_err(|no| format!("{no:?}"))?;
            let llvm = Plan::with_features(&isa, 0, &on);
            links::compare(&Plan::with_features(&ours, 64, &features), &llvm)?;
        }
        let mut programs: BTreeMap<[String; 3], Vec<u8>> = BTreeMap::new();
        for row in records(&corpus.join("mc").join(rows)) {
            let key = ["triple", "cpu", "mattr"].map(|k| row[k].as_str().unwrap_or_default().to_owned());
            let out = row["out"].as_array().into_iter().flatten().filter_map(|o| o["bytes"].as_str());
            programs.entry(key).or_default().extend(out.flat_map(unhex));
        }
        let mut score = Score::default();
        for ([triple, cpu, features], program) in &programs {
            let features: Vec<&str> = features.split(',').collect();
            let on = llvm::choose(&isa, &table, triple, cpu, &features).unwrap_or_default();
            let plan = Plan::with_features(&isa, 0, &on).with_aliases(true);
            let listing = build(&plan, program, ALL);
            let outcome = match &listing {
                Ok(listing) => schema.check(&to_json(listing, Style::default()), Style::default()),
                Err(_) => Err("too large".to_owned()),
            };
            score.count(format!("{triple} {cpu} {features:?}"), outcome);
        }
        score.finish(rows)?;
    }
    Ok(())
}

fn lowered(root: &Path, folder: &str, table: &str) -> Result<(Isa, llvm::OperandTable), Failed> {
    let dir = root.join("llvm/lib/Target").join(folder);
    let include_dirs = [root.join("llvm/include"), dir.clone()].map(|d| d.display().to_string()).into();
    let options = isaglot_tablegen::Options { include_dirs, no_unused_warning: true, ..Default::default() };
    let top = dir.join(format!("{folder}.td"));
    let mut load = |path: &str| std::fs::read(path).ok().map(Arc::from);
    let records = isaglot_tablegen::parse(&top.display().to_string(), bytes(&top).into(), &options, &mut load);
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../specs/llvm/{table}.operands"));
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(u32::MAX), &std::fs::read_to_string(shipped)?, &mut problems);
    let lowered = llvm::lower(&records, &table, &mut problems);
    // Freeing millions of values takes longer than the test.
    std::mem::forget(records);
    Ok((lowered.ok_or_else(|| format!("{folder} is not lowered"))?.isa, table))
}
