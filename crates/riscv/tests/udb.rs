//! The Unified Database as it is: every instruction of the standard tree and of an overlay, field by field.

mod formats;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use formats::{rows, tree};
use isaglot_riscv::Xlen;
use isaglot_riscv::formats::udb::{self, Folder, Sources};
use isaglot_riscv::formats::{Encoding, Field, Formula, Instruction, Table};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Failed, Tally, bless, ledger, suite};
use serde_json::{Map, Value, json};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn main() {
    suite::run_corpus_cases(
        "riscv",
        &[
            ("udb::instructions", instructions),
            ("udb::messages", messages),
            ("udb::configurations", configurations),
            ("udb::details", details),
        ],
    );
}

/// A folder of the archive.
fn folder(all: &[(String, Vec<u8>)], name: &str) -> Folder {
    let inside = |(path, bytes): &(String, Vec<u8>)| {
        Some((path.strip_prefix(name)?.strip_prefix('/')?.to_owned(), bytes.clone()))
    };
    Folder { name: name.to_owned(), files: all.iter().filter_map(inside).collect() }
}

fn sources(all: &[(String, Vec<u8>)], overlay: Option<&str>) -> Sources {
    let overlay = overlay.map(|name| folder(all, &format!("spec/custom/isa/{name}")));
    Sources { base: folder(all, "spec/std/isa"), overlay, ..Sources::default() }
}

struct Loaded {
    files: SourceMap,
    out: Diagnostics,
    table: Option<Table>,
}

fn load(all: &[(String, Vec<u8>)], overlay: Option<&str>) -> Loaded {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let table = udb::load_all(sources(all, overlay), &mut files, &mut out);
    Loaded { files, out, table }
}

/// All columns of every row.
fn instructions(corpus: &Path) -> Result<(), Failed> {
    let all = tree(corpus, "udb.tar.xz", "udb")?;
    let (standard, overlaid) = (load(&all, None), load(&all, Some("qc_iu")));
    let mut tally = Tally::default();
    for (number, row) in rows(corpus, "golden-udb.jsonl.gz")?.into_iter().enumerate() {
        let loaded = if row["origin"] == "std" { &standard } else { &overlaid };
        let table = loaded.table.as_ref().ok_or("the tree is refused")?;
        let named = |i: &&Instruction| row["name"] == i.name.as_str();
        let result = match table.instructions.iter().find(named) {
            None => Err("there is no such instruction".to_owned()),
            Some(instruction) => same(&row, &self::row(instruction, table, &loaded.files)),
        };
        tally.row(
            "golden-udb.jsonl.gz",
            format!("{} {}", number + 1, row["name"].as_str().unwrap_or_default()),
            result,
        );
    }
    let counts = [&standard, &overlaid].map(|l| l.table.as_ref().map_or(0, |t| t.instructions.len()));
    println!("udb: {} standard instructions, {} with the overlay", counts[0], counts[1]);
    if counts != [1286, 1286 + 164] {
        return Err(format!("expected 1286 and 1450 instructions, found {counts:?}").into());
    }
    Ok(ledger::check(HERE, "udb", &tally)?)
}

/// The columns that differ.
fn same(expected: &Value, got: &Value) -> Result<(), String> {
    let skipped = ["origin", "path"];
    let mut keys = expected.as_object().into_iter().chain(got.as_object()).flat_map(Map::keys);
    let differs = |key: &&String| !skipped.contains(&key.as_str()) && expected[key.as_str()] != got[key.as_str()];
    match keys.find(differs) {
        None => Ok(()),
        Some(key) => Err(format!("{key}: expected {}, got {}", expected[key], got[key])),
    }
}

/// A row of the golden file, made from the table.
fn row(i: &Instruction, table: &Table, files: &SourceMap) -> Value {
    let bases = [("RV32", Xlen::Rv32), ("RV64", Xlen::Rv64)];
    let of = |holds: &dyn Fn(Xlen) -> bool| -> Vec<&str> {
        bases.iter().filter(|(_, xlen)| holds(*xlen)).map(|(name, _)| *name).collect()
    };
    let free = of(&|xlen| table.can_hold_freely(&i.condition, xlen));
    let mut encodings = Map::new();
    for (name, xlen) in bases.iter().filter(|(name, _)| free.contains(name)) {
        encodings.insert((*name).to_owned(), i.encoding(*xlen).map_or(Value::Null, encoding));
    }
    let mut row = json!({
        "name": i.name,
        "definedBy": formula(&i.condition),
        "bases": free,
        "bases_required": of(&|xlen| table.can_hold(&i.condition, xlen)),
        "schema": if i.notes.typed { "format" } else { "encoding" },
        "encoding": encodings,
        "assembly": i.operands.as_ref().map(|(text, _)| text),
        "idl": i.idl.is_some(),
        "sail": i.notes.sail,
        "access": Value::Object(i.notes.access.iter().map(|(k, v)| (k.clone(), json!(v))).collect()),
    });
    if let Some((text, span)) = &i.idl {
        // The place is that of the text, whatever the indentation.
        let first = text.lines().next().unwrap_or_default();
        assert!(files.slice(*span).starts_with(first.as_bytes()), "{}: {first:?}", files.location(*span));
    }
    if let Some(timing) = i.notes.data_independent_timing {
        row["data_independent_timing"] = json!(timing);
    }
    if !i.notes.hints.is_empty() {
        row["hints"] = json!(i.notes.hints);
    }
    if !i.notes.pseudo.is_empty() {
        row["pseudo"] = i.notes.pseudo.iter().map(|(when, to)| json!({ "when": when, "to": to })).collect();
    }
    row
}

fn encoding(e: &Encoding) -> Value {
    let hex = |word: &isaglot_bits::Word| format!("{:#x}", word.low_u64());
    let fields: Vec<Value> = e.fields.iter().map(field).collect();
    json!({ "width": e.width, "match": hex(e.pattern.value()), "mask": hex(e.pattern.care()), "fields": fields })
}

fn field(f: &Field) -> Value {
    let mut row = json!({ "name": f.name, "bits": f.bits });
    if f.signed {
        row["signed"] = json!(true);
    }
    if !f.not.is_empty() {
        row["not"] = json!(f.not);
    }
    for (key, value) in [("file", &f.file), ("access", &f.access), ("alias", &f.alias)] {
        if let Some(value) = value {
            row[key] = json!(value);
        }
    }
    row
}

fn formula(f: &Formula) -> Value {
    let list = |name: &str, terms: &[Formula]| {
        Value::Array([json!(name)].into_iter().chain(terms.iter().map(formula)).collect())
    };
    match f {
        Formula::True => json!(["all"]),
        Formula::Extension(name, versions) => json!(["ext", name, versions]),
        Formula::Xlen(width) => json!(["xlen", width]),
        Formula::Parameter(test) => json!(["param", test.name]),
        Formula::Idl(text) => json!(["idl", text]),
        Formula::Not(inner) => json!(["not", formula(inner)]),
        Formula::All(terms) => list("all", terms),
        Formula::Any(terms) => list("any", terms),
        Formula::One(terms) => list("one", terms),
    }
}

/// Each message is a true fault of the data; the ledger names them all.
fn messages(corpus: &Path) -> Result<(), Failed> {
    let all = tree(corpus, "udb.tar.xz", "udb")?;
    let mut tally = Tally::default();
    for overlay in [None, Some("qc_iu"), Some("example"), Some("regress")] {
        let loaded = load(&all, overlay);
        tally.check("trees", overlay.unwrap_or("std"), loaded.table.is_some(), || "the tree is refused".to_owned());
        for d in &loaded.out {
            let place = loaded.files.location(d.span().unwrap_or_default());
            tally.row("messages", place.replace(':', " "), Err(format!("{}: {}", d.code, d.message)));
        }
    }
    Ok(ledger::check(HERE, "udb-messages", &tally)?)
}

/// How many instructions each configuration of the database leaves per base, and what its own files get wrong.
fn configurations(corpus: &Path) -> Result<(), Failed> {
    let all = tree(corpus, "udb.tar.xz", "udb")?;
    let mut text = String::new();
    let mut tables: BTreeMap<Option<String>, Option<Table>> = BTreeMap::new();
    for (path, bytes) in all.iter().filter(|(path, _)| path.starts_with("cfgs/")) {
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let configuration = udb::configuration(path, bytes.clone(), &mut files, &mut out);
        let mut counts = [0, 0];
        if let Some(configuration) = configuration {
            let overlay = configuration.overlay.clone();
            let table = tables.entry(overlay.clone()).or_insert_with(|| {
                let mut table = load(&all, overlay.as_deref()).table;
                table.iter_mut().for_each(Table::drop_impossible);
                table
            });
            let mut table = table.clone().ok_or("the tree is refused")?;
            configuration.problems(&table).into_iter().for_each(|d| out.push(d));
            configuration.restrict(&mut table);
            let count = |xlen| table.instructions.iter().filter(|i| i.encoding(xlen).is_some()).count();
            counts = [Xlen::Rv32, Xlen::Rv64].map(count);
        }
        let _ = writeln!(text, "{path}: {} on RV32, {} on RV64", counts[0], counts[1]);
        for d in &out {
            let _ = writeln!(text, "  {}: {}: {}", files.location(d.span().unwrap_or_default()), d.code, d.message);
        }
    }
    let golden = Path::new(HERE).join("tests/golden/udb-configurations.txt");
    Ok(bless::golden(&golden, &text)?)
}

/// What is told of texts where details are asked for.
fn details(corpus: &Path) -> Result<(), Failed> {
    let all = tree(corpus, "udb.tar.xz", "udb")?;
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let sources = Sources { details: true, ..sources(&all, Some("qc_iu")) };
    udb::load(sources, &mut files, &mut out).ok_or("the tree is refused")?;
    let mut text = String::new();
    for d in &out {
        let _ = writeln!(text, "{}: {}: {}", files.location(d.span().unwrap_or_default()), d.code, d.message);
    }
    Ok(bless::golden(&Path::new(HERE).join("tests/golden/udb-details.txt"), &text)?)
}
