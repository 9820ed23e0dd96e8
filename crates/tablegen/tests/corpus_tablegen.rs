//! LLVM's TableGen corpus, by its documented layout: every language test in every output, random programs, the files of
//! all targets. (LLVM's own checks need FileCheck and the program: they are in the tests of the crate `cli`.)

use std::path::{Path, PathBuf};
use std::sync::Arc;

use isaglot_tablegen::tool::{self, Action};
use isaglot_testing::{Failed, Tally, Trial, corpus, ledger, suite};
use serde_json::Value;

/// What one run gave.
struct Run {
    code: i64,
    out: Vec<u8>,
    err: Vec<u8>,
}

/// Runs the tool in this process. `root` is the folder that relative paths start from.
fn run(root: &Path, args: &[String], source: Option<&[u8]>, program: &str) -> Run {
    let mut invocation = tool::arguments(args).expect("the corpus has good options");
    invocation.plain = true;
    let load = |path: &str| std::fs::read(root.join(path)).ok().map(Arc::<[u8]>::from);
    let bytes = match source {
        Some(bytes) => Arc::from(bytes),
        None => load(&invocation.input).unwrap_or_else(|| panic!("{}: no such file", invocation.input)),
    };
    let mut records = tool::read(&invocation, bytes, &mut { load });
    let mut err = tool::messages(&invocation, &records, 0);
    let said = records.messages().list.len();
    let mut out = Vec::new();
    if records.parsed() {
        tool::print(&invocation, &mut records, &mut out).expect("a vector takes everything");
        err.extend(tool::messages(&invocation, &records, said));
        err.extend(tool::summary(&invocation, &records, program).as_bytes());
    }
    Run { code: i64::from(!records.ok()), out, err }
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| c as u32 as u8).collect()
}

fn rows(path: &Path) -> Result<Vec<Value>, Failed> {
    let parse = |line: &str| serde_json::from_str(line).map_err(|e| format!("{}: {e}", path.display()).into());
    corpus::text(path)?.lines().map(parse).collect()
}

fn words(row: &Value, key: &str) -> Vec<String> {
    let list = row[key].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn bytes(row: &Value, key: &str) -> Vec<u8> {
    latin1(row[key].as_str().unwrap_or_default())
}

/// Status, output and messages of a run are those of llvm-tblgen. Its output counts only where it succeeds.
fn same(got: &Run, code: i64, out: &[u8], err: &[u8]) -> Result<(), String> {
    if code < 0 {
        return Err("llvm-tblgen crashes: there is nothing to compare with".to_owned());
    }
    if got.code != code {
        return Err(format!("status {}, llvm-tblgen has {code}", got.code));
    }
    if code == 0 && got.out != out {
        return Err(format!("output of {} bytes differs from llvm-tblgen's {}", got.out.len(), out.len()));
    }
    if got.err == err { Ok(()) } else { Err("messages differ from llvm-tblgen's".to_owned()) }
}

fn language(folder: &Path) -> Result<(), Failed> {
    const FILE: &str = "lang_golden.jsonl.gz";
    let root = corpus::unpacked(&folder.join("td.tar.xz"))?;
    let mut tally = Tally::default();
    for (number, row) in (1..).zip(rows(&folder.join(FILE))?) {
        let mut args = words(&row, "args");
        args.push(row["mode"].as_str().unwrap_or_default().to_owned());
        let got = run(&root, &args, None, "llvm-tblgen");
        let code = row["rc"].as_i64().unwrap_or_default();
        tally.row(FILE, number, same(&got, code, &bytes(&row, "out"), &bytes(&row, "err")));
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "language", &tally)?)
}

fn random_programs(folder: &Path) -> Result<(), Failed> {
    const FILE: &str = "tdfuzz.jsonl.gz";
    let mut tally = Tally::default();
    for (number, row) in (1..).zip(rows(&folder.join(FILE))?) {
        let source = bytes(&row, "src");
        let code = row["rc"].as_i64().unwrap_or_default();
        for (mode, key) in [("--print-records", "out"), ("--dump-json", "json")] {
            let args = ["in.td", "--no-warn-on-unused-template-args", mode].map(str::to_owned);
            let got = run(Path::new("."), &args, Some(&source), "llvm-tblgen");
            tally.row(FILE, format!("{number} {mode}"), same(&got, code, &bytes(&row, key), &bytes(&row, "err")));
        }
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "random_programs", &tally)?)
}

/// A writer that only takes the checksum.
struct Sum(sha2::Sha256);

impl std::io::Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        sha2::Digest::update(&mut self.0, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A table of checksums: its file, the archive of its inputs, the column of the arguments. Inputs that are newer than LLVM 19 choose
/// the newest dialect by themselves.
struct Goldens {
    file: &'static str,
    archive: &'static str,
    args: usize,
    /// Cases that are tried only with `ISAGLOT_FULL=1`.
    large: &'static [&'static str],
}

const GOLDENS: [Goldens; 2] = [
    Goldens { file: "golden.tsv", archive: "td.tar.xz", args: 11, large: &[] },
    Goldens {
        file: "golden21.tsv",
        archive: "td21.tar.xz",
        args: 5,
        large: &["target/AArch64", "target/AMDGPU", "target/ARM", "target/X86"],
    },
];

/// All rows of one input file: it is read once, and printed in each mode.
fn golden(root: &Path, case: &str, rows: &[Vec<String>], column: usize) -> Result<(), Failed> {
    let mut args: Vec<String> = rows[0][column].split(' ').map(str::to_owned).collect();
    args.push("--null-backend".to_owned());
    let mut invocation = tool::arguments(&args).map_err(Failed::from)?;
    let load = |path: &str| std::fs::read(root.join(path)).ok().map(Arc::<[u8]>::from);
    let bytes = load(&invocation.input).ok_or("no input")?;
    let mut records = tool::read(&invocation, bytes, &mut { load });
    let mut tally = Tally::default();
    for row in rows {
        invocation.action = if row[1] == "--dump-json" { Action::DumpJson } else { Action::PrintRecords };
        let code = i64::from(!records.ok()).to_string();
        let result = if code != row[2] {
            Err(format!("status {code}, expected {}", row[2]))
        } else if code == "0" {
            let mut sum = Sum(sha2::Digest::new());
            tool::print(&invocation, &mut records, &mut sum)?;
            let digest = corpus::hex(&sha2::Digest::finalize(sum.0));
            if digest == row[4] { Ok(()) } else { Err(format!("checksum {digest}, expected {}", row[4])) }
        } else {
            Ok(())
        };
        tally.row(case, &row[1], result);
    }
    Ok(tally.all_pass(case)?)
}

fn golden_trials(folder: &Path, goldens: &'static Goldens) -> Result<Vec<Trial>, String> {
    let full = std::env::var_os("ISAGLOT_FULL").is_some_and(|v| !v.is_empty() && v != "0");
    let mut cases: Vec<(String, Vec<Vec<String>>)> = Vec::new();
    for line in corpus::text(&folder.join(goldens.file))?.lines().skip(1) {
        let row: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if goldens.large.contains(&row[0].as_str()) && !full {
            continue;
        }
        match cases.last_mut() {
            Some((case, rows)) if *case == row[0] => rows.push(row),
            _ => cases.push((row[0].clone(), vec![row])),
        }
    }
    if cases.is_empty() {
        return Err(format!("{} has no rows", goldens.file));
    }
    let archive: PathBuf = folder.join(goldens.archive);
    let trial = |(case, rows): (String, Vec<Vec<String>>)| {
        let archive = archive.clone();
        let set = goldens.file.trim_end_matches(".tsv");
        let name = format!("tablegen: {set} {case} ({} rows)", rows.len());
        Trial::test(name, move || golden(&corpus::unpacked(&archive)?, &case, &rows, goldens.args))
    };
    Ok(cases.into_iter().map(trial).collect())
}

fn main() {
    suite::run_corpus("tablegen", |folder| {
        let mut trials = Vec::new();
        for goldens in &GOLDENS {
            trials.extend(golden_trials(folder, goldens).unwrap_or_else(|why| {
                vec![Trial::test(format!("tablegen: {}", goldens.file), move || Err(Failed::from(why)))]
            }));
        }
        trials.extend(suite::corpus_cases(
            "tablegen",
            &[("tablegen: lang_golden", language), ("tablegen: tdfuzz", random_programs)],
        ));
        trials
    });
}
