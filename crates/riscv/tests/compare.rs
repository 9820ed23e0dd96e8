//! The published formats, the shipped description and LLVM's records, compared with each other: words, and under which conditions.

#[path = "it/description.rs"]
mod description;
mod formats;

use std::path::Path;
use std::sync::Arc;

use formats::{rows, tree};
use isaglot_model::FeatureId;
use isaglot_riscv::formats::check::gaps::{Implementation, gaps};
use isaglot_riscv::formats::check::{OPCODES, UDB, check};
use isaglot_riscv::formats::compare::fields::{Place, places};
use isaglot_riscv::formats::compare::rules::Rules;
use isaglot_riscv::formats::compare::{Class, compare};
use isaglot_riscv::formats::udb::{self, Folder, Sources};
use isaglot_riscv::formats::{Table, of_isa, opcodes};
use isaglot_riscv::isa_name;
use isaglot_source::{Diagnostics, FileId, SourceMap, render};
use isaglot_testing::{Failed, Tally, bless, ledger, suite};

fn main() {
    suite::run_corpus_cases(
        "riscv",
        &[
            ("two", two),
            ("three", three),
            ("shipped", shipped),
            ("arguments", arguments),
            ("overlaps", overlaps),
            ("free", free),
        ],
    );
}

fn opcodes_table(corpus: &Path) -> Result<Table, Failed> {
    let tree = tree(corpus, "opcodes.tar.xz", "opcodes")?;
    Ok(opcodes::table::table(&opcodes::load(&mut SourceMap::new(), &tree, &mut Diagnostics::new())))
}

/// LLVM's records, in the archive of the corpus for TableGen.
fn llvm_table(corpus: &Path) -> Result<Table, Failed> {
    let root = isaglot_testing::corpus::unpacked(&corpus.join("../tablegen/td.tar.xz"))?;
    let dir = root.join("llvm/lib/Target/RISCV");
    let include_dirs = [root.join("llvm/include"), dir.clone()].map(|d| d.display().to_string());
    let options =
        isaglot_tablegen::Options { include_dirs: include_dirs.into(), no_unused_warning: true, ..Default::default() };
    let top = dir.join("RISCV.td");
    let bytes: Arc<[u8]> = std::fs::read(&top)?.into();
    let mut load = |path: &str| std::fs::read(path).ok().map(Arc::from);
    let records = isaglot_tablegen::parse(&top.display().to_string(), bytes, &options, &mut load);
    let mut problems = Diagnostics::new();
    let operands = std::fs::read_to_string(isaglot_testing::workspace().join("specs/llvm/riscv.operands"))?;
    let table = isaglot_llvm::read(FileId(u32::MAX), &operands, &mut problems);
    let lowered = isaglot_llvm::lower(&records, &table, &mut problems).ok_or("RISCV.td cannot be lowered")?;
    // Freeing millions of values takes longer than the test.
    std::mem::forget(records);
    Ok(of_isa::table(&lowered.isa, "llvm"))
}

/// The standard tree of the Unified Database.
fn udb_table(corpus: &Path, map: &mut SourceMap) -> Result<Table, Failed> {
    let inside = |(path, bytes): (String, Vec<u8>)| Some((path.strip_prefix("spec/std/isa/")?.to_owned(), bytes));
    let files = tree(corpus, "udb.tar.xz", "udb")?.into_iter().filter_map(inside).collect();
    let base = Folder { name: String::new(), files };
    let table = udb::load(Sources { base, ..Sources::default() }, map, &mut Diagnostics::new());
    Ok(table.ok_or("the tree is refused")?)
}

fn two(corpus: &Path) -> Result<(), Failed> {
    classes(&[&udb_table(corpus, &mut SourceMap::new())?, &opcodes_table(corpus)?], "compare-udb-opcodes.txt")
}

fn three(corpus: &Path) -> Result<(), Failed> {
    classes(
        &[&udb_table(corpus, &mut SourceMap::new())?, &opcodes_table(corpus)?, &llvm_table(corpus)?],
        "compare-udb-opcodes-llvm.txt",
    )
}

/// The shipped description, most of all its files written by hand, beside both formats.
fn shipped(corpus: &Path) -> Result<(), Failed> {
    let ours = of_isa::table(&description::isa(), "shipped");
    classes(
        &[&udb_table(corpus, &mut SourceMap::new())?, &opcodes_table(corpus)?, &ours],
        "compare-udb-opcodes-shipped.txt",
    )
}

/// The classes with their counts and witnesses are those of the golden; each that is told by values has its reason among the rules.
fn classes(tables: &[&Table], golden: &str) -> Result<(), Failed> {
    let found = compare(tables, &Rules::shipped());
    if std::env::var_os("ISAGLOT_SHOW").is_some() {
        println!("{}", found.text(true));
    }
    let is_open = |class: &&Class| class.text.contains("words with ") || class.text.contains("no simple form");
    let open: Vec<&str> = found.classes.iter().filter(is_open).map(|class| class.text.as_str()).collect();
    println!("{golden}: {}/{} classes explained", found.classes.len() - open.len(), found.classes.len());
    bless::golden(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(golden), &found.text(false))?;
    if open.is_empty() { Ok(()) } else { Err(format!("no reason: {open:#?}").into()) }
}

/// Which bits of a field of UDB each argument of riscv-opcodes is.
fn arguments(corpus: &Path) -> Result<(), Failed> {
    let found = places(&opcodes_table(corpus)?, &udb_table(corpus, &mut SourceMap::new())?, &Rules::shipped());
    let mut tally = Tally::default();
    let mut rows = rows(corpus, "golden-argmap.jsonl.gz")?;
    for row in &rows {
        let (argument, field) = (row["arg"].as_str().unwrap_or_default(), row["udb"].as_str().unwrap_or_default());
        let bits = row["bits"].as_array().into_iter().flatten().filter_map(|bit| bit.as_u64()).map(|bit| bit as u32);
        let place = Place { argument: argument.to_owned(), field: field.to_owned(), bits: bits.collect() };
        let got = || found.keys().filter(|p| p.argument == argument).collect::<Vec<_>>();
        tally.check("golden-argmap.jsonl.gz", argument, found.contains_key(&place), || format!("{row}: {:?}", got()));
    }
    rows.retain(|row| row["arg"].is_string());
    for (place, names) in &found {
        let known = rows.iter().any(|row| row["arg"] == place.argument.as_str());
        if !known {
            println!("no row for {place:?}: {names:?}");
        }
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "argmap", &tally)?)
}

/// No two instructions of one implementation share words, but for those that are meant.
fn overlaps(corpus: &Path) -> Result<(), Failed> {
    let mut files = SourceMap::new();
    let tree = tree(corpus, "opcodes.tar.xz", "opcodes")?;
    let opcodes = opcodes::table::table(&opcodes::load(&mut files, &tree, &mut Diagnostics::new()));
    let udb = udb_table(corpus, &mut files)?;
    let mut faults = Vec::new();
    for (table, kind) in [(&opcodes, OPCODES), (&udb, UDB)] {
        let mut found = Diagnostics::new();
        check(table, kind, &Rules::shipped(), &mut found);
        println!("{}: {} instructions, {} faults", table.name, table.instructions.len(), found.len());
        faults.extend(found.iter().map(|d| render::text(&files, d, false)));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.concat().into()) }
}

/// The words that the formats leave free in well-known machines, by major opcode.
fn free(corpus: &Path) -> Result<(), Failed> {
    let (isa, rules) = (description::isa(), Rules::shipped());
    let mut text = String::new();
    for table in [udb_table(corpus, &mut SourceMap::new())?, opcodes_table(corpus)?] {
        for name in ["rv32gc", "rv64gc", "rva23u64"] {
            let parsed = isa_name::parse(name).ok_or("not a name")?;
            let id = |name: &String| isa.features().iter().position(|f| f.name == *name).map(|id| FeatureId(id as u32));
            let on: Vec<FeatureId> = parsed.features.iter().filter_map(id).collect();
            assert_eq!(on.len(), parsed.features.len(), "{name}");
            let machine = Implementation::new(&format!("{} {name}", table.name), parsed.xlen, &isa, &on, &rules);
            gaps(&table, Some(&machine), &rules).iter().for_each(|space| space.text(true, &mut text));
        }
    }
    Ok(bless::golden(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/free.txt"), &text)?)
}
