//! Texts of descriptions that are made of published formats: words to LLVM's texts, with aliases and without, and back.

mod formats;

use std::collections::BTreeMap;
use std::path::Path;

use formats::{rows, tree};
use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_isaspec::{Sources, load_sources};
use isaglot_model::{FeatureId, Isa};
use isaglot_riscv::formats::lower::{lower, operands, tree as tree_of, with_base, xml};
use isaglot_riscv::formats::udb::{self, Folder};
use isaglot_riscv::formats::{Table, opcodes};
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_testing::{Failed, Tally, corpus, ledger, suite, workspace};
use serde_json::Value;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// What LLVM has in every base.
const ALWAYS: &[&str] = &["i", "zicsr", "zifencei", "s", "sm", "sdext", "system"];

/// What else an option of LLVM is, where formats divide the instruction set otherwise: the beginning of the option, and extensions.
const MEANS: &[(&str, &[&str])] = &[
    ("zve", &["v"]),
    ("zvkb", &["zvbb"]),
    ("svinval", &["h"]),
    ("zcb", &["zbb"]),
    ("zicbo", &["zicbo"]),
    ("zfa", &["f", "d", "zfh", "q"]),
    ("zfh", &["zfhmin"]),
    ("zmmul", &["m"]),
];

fn main() {
    suite::run_corpus_cases(
        "riscv",
        &[("texts::udb", of_udb), ("texts::opcodes", of_opcodes), ("texts::xml", written)],
    );
}

/// The base description and the table of operands.
fn base(style: &str, files: &mut SourceMap, out: &mut Diagnostics) -> Option<(Sources, operands::Operands)> {
    let specs = workspace().join("specs/riscv");
    let top = specs.join("formats.xml").display().to_string();
    let base = load_sources(files, &top, &mut corpus::load, out)?;
    let text = std::fs::read_to_string(specs.join("formats.operands")).ok()?;
    let id = files.add("formats.operands".to_owned(), text.as_bytes());
    Some((base, operands::read(id, &text, style, out)))
}

/// The model of a table, as the program makes it.
fn model(table: &Table, files: &mut SourceMap, out: &mut Diagnostics) -> Option<Isa> {
    let (base, operands) = base("llvm", files, out)?;
    lower(table, &operands, base, &|_| None, out)
}

/// The tree of a table is written as XML that reads as the same tree, in both styles of texts.
fn written(corpus: &Path) -> Result<(), Failed> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let table = udb_table(corpus, &mut files)?;
    for style in ["llvm", "gnu"] {
        let (base, operands) = base(style, &mut files, &mut out).ok_or_else(|| shown(&files, &out))?;
        let tree = tree_of(&table, &operands, &|_| None, &mut out);
        let text = xml::write(&tree, "");
        let id = files.add(format!("{style}.xml"), text.as_bytes());
        let again = isaglot_isaspec::read(text.as_bytes(), id, &mut out).ok_or_else(|| shown(&files, &out))?;
        isaglot_testing::bless::difference(style, text.as_bytes(), xml::write(&again, "").as_bytes())?;
        let one = lower(&table, &operands, base.clone(), &|_| None, &mut out).ok_or_else(|| shown(&files, &out))?;
        let two = with_base("udb", again, base, &mut out).ok_or_else(|| shown(&files, &out))?;
        let facts = |isa: &Isa| -> Vec<String> {
            let all = isa.encodings().iter();
            all.map(|e| format!("{} {} {:?} {:?}", isa.text(e.name), e.pattern, e.gens, e.condition)).collect()
        };
        let (one, two) = (facts(&one), facts(&two));
        let differ = one.iter().zip(&two).find(|(a, b)| a != b);
        if let Some((a, b)) = differ {
            return Err(format!("{style}: {a} became {b}").into());
        }
        println!("texts-xml, {style}: {} encodings are the same", one.len());
    }
    Ok(())
}

fn shown(files: &SourceMap, out: &Diagnostics) -> String {
    out.iter().take(20).map(|d| render::text(files, d, false)).collect()
}

fn of_udb(corpus: &Path) -> Result<(), Failed> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let table = udb_table(corpus, &mut files)?;
    let isa = model(&table, &mut files, &mut out).ok_or_else(|| shown(&files, &out))?;
    texts(corpus, &isa, "texts-udb", &["udb"])
}

fn udb_table(corpus: &Path, files: &mut SourceMap) -> Result<Table, Failed> {
    let all = tree(corpus, "udb.tar.xz", "udb")?;
    let inside =
        |(path, bytes): &(String, Vec<u8>)| Some((path.strip_prefix("spec/std/isa/")?.to_owned(), bytes.clone()));
    let base = Folder { name: "spec/std/isa".to_owned(), files: all.iter().filter_map(inside).collect() };
    let sources = udb::Sources { base, ..udb::Sources::default() };
    Ok(udb::load(sources, files, &mut Diagnostics::new()).ok_or("the tree is refused")?)
}

fn of_opcodes(corpus: &Path) -> Result<(), Failed> {
    let tree = tree(corpus, "opcodes.tar.xz", "opcodes")?;
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let table = opcodes::table::table(&opcodes::load(&mut files, &tree, &mut out));
    let mut out = Diagnostics::new();
    let isa = model(&table, &mut files, &mut out).ok_or_else(|| shown(&files, &out))?;
    texts(corpus, &isa, "texts-opcodes", &["opcodes", "opcodes_pseudo"])
}

/// The features that LLVM's options mean, for one base.
fn features(isa: &Isa, options: &str) -> Vec<FeatureId> {
    let options = options.split(',').map(|o| o.trim_start_matches('+').trim_start_matches("experimental-"));
    let named = |name: &str| isa.features().iter().position(|f| f.name == name).map(|i| FeatureId(i as u32));
    let more = options.clone().flat_map(|o| MEANS.iter().filter(move |(start, _)| o.starts_with(start)));
    let more: Vec<&str> = more.flat_map(|(_, names)| names.iter().copied()).collect();
    options.chain(more).chain(ALWAYS.iter().copied()).filter_map(named).collect()
}

struct Machine<'a> {
    plan: Plan<'a>,
    aliases: Plan<'a>,
}

/// Every row: both texts of the word, and the words of both texts.
fn texts(corpus: &Path, isa: &Isa, set: &str, columns: &[&str]) -> Result<(), Failed> {
    let rows = rows(corpus, "golden-text.jsonl.gz")?;
    let mut groups: BTreeMap<(u32, String), Vec<(usize, &Value)>> = BTreeMap::new();
    for (number, row) in rows.iter().enumerate() {
        if columns.iter().all(|c| row[c].as_array().is_none_or(Vec::is_empty)) {
            continue;
        }
        let xlen = if row["base"] == "RV32" { 32 } else { 64 };
        let options = row["mattr"].as_str().unwrap_or_default().to_owned();
        groups.entry((xlen, options)).or_default().push((number, row));
    }
    let mut results: Vec<(usize, Result<(), String>)> = Vec::new();
    for ((xlen, options), rows) in groups {
        let on = features(isa, &options);
        let plan = Plan::with_features(isa, xlen, &on);
        let aliases = Plan::with_features(isa, xlen, &on).with_aliases(true);
        let machine = Machine { plan, aliases };
        let names = Names::default();
        let mut plain = Assembler::new(&machine.plan, &names, Compat::default());
        let mut with = Assembler::new(&machine.aliases, &names, Compat::default());
        for (number, row) in rows {
            let result = one(&machine, &mut plain, &mut with, row);
            results.push((number, result));
        }
    }
    results.sort_by_key(|(number, _)| *number);
    let mut tally = Tally::default();
    for (number, result) in results {
        tally.row("golden-text.jsonl.gz", number + 1, result);
    }
    Ok(ledger::check(HERE, set, &tally)?)
}

fn one(
    machine: &Machine<'_>,
    plain: &mut Assembler<'_, '_>,
    with: &mut Assembler<'_, '_>,
    row: &Value,
) -> Result<(), String> {
    let text = |column: &str| row[column].as_str().unwrap_or_default().to_owned();
    let word = text("word");
    let mut bytes = corpus::unhex(&word);
    bytes.reverse();
    let (usual, exact) = (text("llvm"), text("llvm_na"));
    let got = [print(&machine.aliases, &bytes), print(&machine.plan, &bytes)];
    if got.iter().all(|text| text.starts_with("no match")) {
        return Err(format!("the format leaves the word out with these extensions: {word}, LLVM has `{exact}`"));
    }
    if got != [usual.clone(), exact.clone()] {
        return Err(format!("{word}: expected `{usual}` and `{exact}`, got `{}` and `{}`", got[0], got[1]));
    }
    let made = plain.assemble(exact.as_bytes()).map_err(|e| format!("`{exact}` is refused: {e:?}"))?;
    let hex = |made: &isaglot_bits::Word| corpus::hex(&made.le_bytes().rev().collect::<Vec<_>>());
    if hex(&made) != word {
        return Err(format!("`{exact}` is {}, expected {word}", hex(&made)));
    }
    // A text with aliases may have a shorter word; it must print as that text.
    let made = with.assemble(usual.as_bytes()).map_err(|e| format!("`{usual}` is refused: {e:?}"))?;
    let again = print(&machine.aliases, &made.le_bytes().collect::<Vec<_>>());
    if again == usual { Ok(()) } else { Err(format!("`{usual}` is {}, which is `{again}`", hex(&made))) }
}

/// The text of one instruction.
fn print(plan: &Plan<'_>, bytes: &[u8]) -> String {
    let mut stream = Stream::new(plan, Options::default(), bytes.len() as u64);
    let mut out = Vec::new();
    stream.feed(bytes, &mut Plain, &mut out);
    String::from_utf8_lossy(&out).trim().replace('\t', " ")
}
