//! IDL against the corpus: every text of the Unified Database is parsed, checked, lowered and run on vectors.

mod bodies;
mod machine;
mod vectors;

use std::collections::BTreeMap;
use std::path::Path;

use isaglot_riscv::Xlen;
use isaglot_riscv::formats::idl::{DecodeField, Lowered, Program, Refusal, Target, environment, lower};
use isaglot_semantics::Body;
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_testing::{Failed, Tally, ledger, suite};

fn main() {
    suite::run_corpus_cases("riscv", &[("idl::parses", parses), ("idl::vectors", exec), ("idl::findings", findings)])
}

fn said(files: &SourceMap, found: &Diagnostics) -> String {
    found.iter().map(|d| render::text(files, d, false)).collect()
}

/// All texts of instructions and all files of declarations parse.
fn parses(folder: &Path) -> Result<(), Failed> {
    let isa = bodies::standard(folder)?;
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let declarations = bodies::declarations(&isa, &mut files, &mut found)?;
    let mut tally = Tally::default();
    tally.check("udb.tar.xz", "declarations", found.is_empty() && declarations.len() > 200, || {
        format!("{} declarations {}", declarations.len(), said(&files, &found))
    });
    let operations = bodies::operations(&isa, &mut files)?;
    for operation in &operations {
        let mut found = Diagnostics::new();
        bodies::statements(operation, &mut found);
        tally.check("udb.tar.xz", &operation.name, found.is_empty(), || said(&files, &found));
    }
    if operations.len() != 398 {
        return Err(format!("{} instructions have a text, not 398", operations.len()).into());
    }
    Ok(tally.all_pass("idl texts that parse")?)
}

type Fields = BTreeMap<(String, u32), Vec<vectors::Field>>;

fn decode_fields(fields: &[vectors::Field]) -> Vec<DecodeField> {
    let field = |f: &vectors::Field| DecodeField {
        name: f.name.clone(),
        width: f.bits.len() as u32,
        signed: f.signed,
        number: f.name.clone(),
    };
    fields.iter().map(field).collect()
}

/// Every text lowered for every register width that the instruction has.
struct All {
    fields: Fields,
    lowered: BTreeMap<(String, u32), Result<Lowered, Refusal>>,
    files: SourceMap,
}

fn lowered(folder: &Path) -> Result<All, Failed> {
    let isa = bodies::standard(folder)?;
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let program = Program::new(&bodies::declarations(&isa, &mut files, &mut found)?);
    let fields = vectors::fields(folder)?;
    let mut lowered = BTreeMap::new();
    for operation in bodies::operations(&isa, &mut files)? {
        let body = bodies::statements(&operation, &mut found);
        for xlen in [Xlen::Rv32, Xlen::Rv64] {
            let key = (operation.name.clone(), xlen.bits());
            let Some(list) = fields.get(&key) else { continue };
            let list = decode_fields(list);
            lowered.insert(key, lower(&program, &Target::user(xlen), &list, &body));
        }
    }
    Ok(All { fields, lowered, files })
}

/// A lowered text, checked.
fn compiled(lowered: &Lowered, fields: &[vectors::Field], xlen: u32) -> Result<Body, String> {
    let env = environment(xlen, &decode_fields(fields), &lowered.traps);
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("lowered", lowered.text.as_bytes());
    let tree = isaglot_semantics::parse(file, 0, &lowered.text, &mut found);
    let body = tree.and_then(|tree| isaglot_semantics::check(&tree, &env, &mut found));
    body.ok_or_else(|| format!("{}\n{}", said(&files, &found), lowered.text))
}

/// Every vector of an instruction with a text, through the text. The ledger has the instructions whose text is wrong.
fn exec(folder: &Path) -> Result<(), Failed> {
    let all = lowered(folder)?;
    let mut bodies = BTreeMap::new();
    for (key, lowered) in &all.lowered {
        if let Ok(lowered) = lowered {
            bodies.insert(key, compiled(lowered, &all.fields[key], key.1).map_err(|e| format!("{key:?}: {e}"))?);
        }
    }
    let mut wrong: BTreeMap<String, Result<(), String>> = BTreeMap::new();
    let mut count = [0, 0];
    for row in vectors::rows(folder, "golden-exec.jsonl.gz")?.iter().filter(|row| row["idl"] == true) {
        let key = (row["name"].as_str().unwrap_or("").to_owned(), row["xlen"].as_u64().unwrap_or(0) as u32);
        let vector = vectors::vector(row, all.fields.get(&key).ok_or("an instruction without fields")?);
        let Some(body) = bodies.get(&key) else {
            let why = match &all.lowered[&key] {
                Err(why) => format!("{}: {}", all.files.location(why.span), why.message),
                Ok(_) => String::new(),
            };
            return Err(format!("{key:?} is not lowered: {why}").into());
        };
        let mut hart = vector.before.clone();
        let result = match isaglot_semantics::run(body, &mut hart) {
            Ok(()) if hart == vector.after => Ok(()),
            Ok(()) => Err(vectors::difference(&hart, &vector.after)),
            Err(trap) => Err(format!("trap: {trap}")),
        };
        count[0] += usize::from(result.is_ok());
        count[1] += 1;
        let slot = wrong.entry(format!("{} RV{}", vector.name, key.1)).or_insert(Ok(()));
        if slot.is_ok() {
            *slot = result.map_err(|why| format!("{:#010x}: {why}", vector.word));
        }
    }
    println!("idl vectors: {} of {} as the architecture", count[0], count[1]);
    let mut tally = Tally::default();
    for (name, result) in wrong {
        tally.row("golden-exec.jsonl.gz", name, result);
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "idl-exec", &tally)?)
}

/// What texts do that can hardly be meant: the ledger has it all.
fn findings(folder: &Path) -> Result<(), Failed> {
    let all = lowered(folder)?;
    let mut tally = Tally::default();
    for ((name, xlen), lowered) in &all.lowered {
        let Ok(lowered) = lowered else { continue };
        tally.row("udb.tar.xz", format!("{name} RV{xlen}"), Ok(()));
        for d in &lowered.findings {
            let place = all.files.location(d.span().unwrap_or_default());
            let why = format!("{} ({place})", d.message);
            tally.row("udb.tar.xz", format!("{name} RV{xlen} {}", d.code), Err(why));
        }
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "idl-findings", &tally)?)
}
