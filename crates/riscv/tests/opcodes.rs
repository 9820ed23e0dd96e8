//! riscv-opcodes against facts about every line and every entry of its own tool.

mod formats;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use formats::{rows, tree};
use isaglot_riscv::formats::check::{OPCODES, check};
use isaglot_riscv::formats::compare::rules::Rules;
use isaglot_riscv::formats::opcodes::dict::{Choice, Entry, dict};
use isaglot_riscv::formats::opcodes::{Kind, Line, Opcodes, load, table};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap, render};
use isaglot_testing::{Failed, Tally, bless, suite};
use serde_json::{Value, json};

fn main() {
    let mut trials = suite::file_cases("faults", bless::cases(&here("tests/opcodes"), ".tree"), faults);
    trials.extend(suite::corpus_cases("riscv", &[("lines", lines), ("dict", entries), ("messages", messages)]));
    suite::run(trials);
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A small tree, with all that is said of it. A line `== PATH` begins a file.
fn faults(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let files = text.split("== ").skip(1).filter_map(|part| part.split_once('\n'));
    let tree: Vec<(String, Vec<u8>)> = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect();
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let all = load(&mut files, &tree, &mut found);
    check(&table::table(&all), OPCODES, &Rules::shipped(), &mut found);
    let said: String = found.iter().map(|d| render::text(&files, d, false)).collect();
    Ok(bless::golden(&path.with_extension("txt"), &said)?)
}

fn read(corpus: &Path) -> Result<(SourceMap, Opcodes, Diagnostics), Failed> {
    let tree = tree(corpus, "opcodes.tar.xz", "opcodes")?;
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let all = load(&mut files, &tree, &mut found);
    Ok((files, all, found))
}

/// Every line: kind, place, bits, arguments.
fn lines(corpus: &Path) -> Result<(), Failed> {
    let (files, all, _) = read(corpus)?;
    let place = |line: &Line| {
        let file = files.get(line.span.file).map_or(0, |file| file.line_of(line.span.start as usize));
        (folder_and_name(&all, line), u64::from(file))
    };
    let mut ours: BTreeMap<_, _> = all.lines.iter().map(|line| (place(line), fact(&all, line))).collect();
    let mut tally = Tally::default();
    for mut row in rows(corpus, "golden-opcodes-lines.jsonl.gz")? {
        let file = row["file"].as_str().unwrap_or_default().to_owned();
        let number = row["line"].as_u64().unwrap_or_default();
        let got = ours.remove(&(file.clone(), number)).unwrap_or_default();
        row.as_object_mut().map(|row| row.remove("line"));
        tally.check(&file, number, got == row, || format!("expected {row}, got {got}"));
    }
    for (file, number) in ours.keys() {
        tally.row(file, number, Err("there is no such line".to_owned()));
    }
    Ok(isaglot_testing::ledger::check(env!("CARGO_MANIFEST_DIR"), "opcodes-lines", &tally)?)
}

fn folder_and_name(all: &Opcodes, line: &Line) -> String {
    let file = &all.files[line.file];
    format!("{}{}", if file.ratified { "" } else { "unratified/" }, file.name)
}

fn fact(all: &Opcodes, line: &Line) -> Value {
    let file = &all.files[line.file];
    let named = [(file.bases[0], "RV32"), (file.bases[1], "RV64")];
    let bases: Vec<&str> = named.iter().filter(|(there, _)| *there).map(|(_, name)| *name).collect();
    let mut fact = json!({ "file": folder_and_name(all, line), "name": line.name, "bases": bases });
    match &line.kind {
        Kind::Import(from) => {
            fact["kind"] = json!("import");
            fact["source"] = json!(from.file);
            return fact;
        }
        Kind::Pseudo(from) => {
            fact["kind"] = json!("pseudo");
            fact["source"] = json!(from.file);
            fact["base"] = json!(from.name);
        }
        Kind::Regular => fact["kind"] = json!("regular"),
    }
    fact["width"] = json!(line.pattern.width());
    fact["match"] = json!(format!("{:#x}", line.pattern.value().low_u64()));
    fact["mask"] = json!(format!("{:#x}", line.pattern.care().low_u64()));
    let fields = line.arguments.iter().map(|a| match &a.equals {
        Some(other) => json!({ "name": format!("{}={other}", a.name), "bits": [a.high, a.low] }),
        None => json!({ "name": a.name, "bits": [a.high, a.low] }),
    });
    fact["fields"] = fields.collect();
    fact
}

/// Every entry of the project's own tool, for each set of lines that it can take.
fn entries(corpus: &Path) -> Result<(), Failed> {
    let (_, all, _) = read(corpus)?;
    let choice = |unratified, pseudo| dict(&all, Choice { unratified, pseudo });
    let sets = [("default", choice(true, false)), ("ratified", choice(false, false)), ("pseudo", choice(true, true))];
    // A row names the files of all sets; what is ratified is imported by ratified files alone.
    let of_set = |row: &Value, set: &str| {
        let mut files = row["extension"].as_array().cloned().unwrap_or_default();
        files.retain(|name| set != "ratified" || all.files.iter().any(|f| f.ratified && json!(f.name) == *name));
        files
    };
    let mut wanted: BTreeMap<&str, BTreeMap<String, Value>> = BTreeMap::new();
    for row in rows(corpus, "golden-opcodes-dict.jsonl.gz")? {
        for (set, _) in &sets {
            if row["sets"].as_array().is_some_and(|all| all.contains(&json!(set))) {
                let key = row["key"].as_str().unwrap_or_default().to_owned();
                let fact = json!({ "match": row["match"], "mask": row["mask"], "encoding": row["encoding"],
                    "args": row["args"], "extension": of_set(&row, set) });
                wanted.entry(set).or_default().insert(key, fact);
            }
        }
    }
    let mut tally = Tally::default();
    for (set, ours) in &sets {
        let rows = wanted.remove(set).unwrap_or_default();
        for name in ours.keys().filter(|name| !rows.contains_key(*name)) {
            tally.row(set, name, Err("there is no such entry".to_owned()));
        }
        for (name, row) in rows {
            let got = ours.get(&name).map_or(Value::Null, entry);
            tally.check(set, &name, got == row, || format!("expected {row}, got {got}"));
        }
    }
    Ok(isaglot_testing::ledger::check(env!("CARGO_MANIFEST_DIR"), "opcodes-dict", &tally)?)
}

fn entry(entry: &Entry) -> Value {
    let pattern = &entry.pattern;
    // Words of 16 bits are written as such of 32 whose upper half is open.
    let encoding = format!("{:#}", pattern.resized(32));
    json!({
        "match": format!("{:#x}", pattern.value().low_u64()),
        "mask": format!("{:#x}", pattern.care().low_u64()),
        "encoding": encoding, "args": entry.arguments, "extension": entry.files,
    })
}

/// The data has no error, and each warning is a fault of it that is known.
fn messages(corpus: &Path) -> Result<(), Failed> {
    let (files, _, found) = read(corpus)?;
    let line = |d: &Diagnostic| {
        let place = d.span().map_or(String::new(), |span| files.location(span));
        format!("{place}: {} [{}] {}\n", d.severity.name(), d.code, d.message)
    };
    let golden = here("tests/golden/opcodes-messages.txt");
    let text: String = found.iter().map(line).collect();
    Ok(bless::golden(&golden, &text)?)
}
