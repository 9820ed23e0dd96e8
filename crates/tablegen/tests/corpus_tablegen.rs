//! LLVM's TableGen corpus, by its documented layout: every language test in every output, random programs, the files of
//! all targets. (LLVM's own checks need FileCheck and the program: they are in the tests of the crate `isaglot`.)

mod unpacked;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isaglot_tablegen::tool::{self, Action};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use unpacked::unpacked;

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

fn first_error(text: &[u8]) -> &[u8] {
    let is_error = |line: &&[u8]| line.windows(6).any(|w| w == b"error:");
    text.split(|&b| b == b'\n').find(is_error).unwrap_or(&[])
}

fn rows(path: &Path) -> Vec<Value> {
    let packed = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("UTF-8 in gzip");
    text.lines().map(|l| serde_json::from_str(l).expect("a JSON object a line")).collect()
}

fn words(row: &Value, key: &str) -> Vec<String> {
    let list = row[key].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn report(name: &str, passed: usize, total: usize, wrong: &[String]) -> Result<(), Failed> {
    println!("{name}: {passed}/{total}");
    if total == 0 {
        return Err(format!("{name}: no rows").into());
    }
    let shown: Vec<&str> = wrong.iter().take(10).map(String::as_str).collect();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{} of {total} differ:\n{}", wrong.len(), shown.join("\n")).into())
    }
}

fn language(corpus: &Path) -> Result<(), Failed> {
    let root = unpacked(corpus);
    let rows = rows(&corpus.join("lang_golden.jsonl.gz"));
    let mut wrong = Vec::new();
    for row in &rows {
        let mut args = words(row, "args");
        args.push(row["mode"].as_str().unwrap_or_default().to_owned());
        let got = run(root, &args, None, "llvm-tblgen");
        let code = row["rc"].as_i64().unwrap_or_default();
        if code < 0 {
            continue; // llvm-tblgen crashed: that this line is reached is all that is asked.
        }
        let (out, err) = (latin1(row["out"].as_str().unwrap_or_default()), row["err"].as_str().unwrap_or_default());
        let err = latin1(err);
        let same_out = code != 0 || got.out == out;
        if got.code != code || !same_out || first_error(&got.err) != first_error(&err) || got.err != err {
            wrong.push(format!("{args:?}: status {} of {code}, output equal: {same_out}", got.code));
        }
    }
    report("lang_golden", rows.len() - wrong.len(), rows.len(), &wrong)
}

fn random_programs(corpus: &Path) -> Result<(), Failed> {
    let rows = rows(&corpus.join("tdfuzz.jsonl.gz"));
    let mut wrong = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let source = latin1(row["src"].as_str().unwrap_or_default());
        let code = row["rc"].as_i64().unwrap_or_default();
        for (mode, key) in [("--print-records", "out"), ("--dump-json", "json")] {
            let args = ["in.td", "--no-warn-on-unused-template-args", mode].map(str::to_owned);
            let got = run(Path::new("."), &args, Some(&source), "llvm-tblgen");
            let err = latin1(row["err"].as_str().unwrap_or_default());
            let out = latin1(row[key].as_str().unwrap_or_default());
            if got.code != code || (code == 0 && got.out != out) || got.err != err {
                wrong.push(format!("row {} {mode}: status {} of {code}", i + 1, got.code));
            }
        }
    }
    report("tdfuzz", 2 * rows.len() - wrong.len(), 2 * rows.len(), &wrong)
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

/// All rows of one input file: it is read once, and printed in each mode.
fn golden(root: &Path, case: &str, rows: &[Vec<String>]) -> Result<(), Failed> {
    let mut args: Vec<String> = rows[0][11].split(' ').map(str::to_owned).collect();
    args.push("--null-backend".to_owned());
    let mut invocation = tool::arguments(&args).map_err(Failed::from)?;
    let load = |path: &str| std::fs::read(root.join(path)).ok().map(Arc::<[u8]>::from);
    let bytes = load(&invocation.input).ok_or("no input")?;
    let mut records = tool::read(&invocation, bytes, &mut { load });
    for row in rows {
        invocation.action = if row[1] == "--dump-json" { Action::DumpJson } else { Action::PrintRecords };
        let code = i64::from(!records.ok()).to_string();
        if code != row[2] {
            return Err(format!("{case} {}: status {code}, expected {}", row[1], row[2]).into());
        }
        if code != "0" {
            continue;
        }
        let mut sum = Sum(sha2::Digest::new());
        tool::print(&invocation, &mut records, &mut sum).map_err(|e| e.to_string())?;
        let digest: String = sha2::Digest::finalize(sum.0).iter().map(|b| format!("{b:02x}")).collect();
        if digest != row[4] {
            return Err(format!("{case} {}: {digest}, expected {}", row[1], row[4]).into());
        }
    }
    Ok(())
}

fn corpus() -> Result<Option<PathBuf>, String> {
    match std::env::var_os("ISAGLOT_CORPUS") {
        Some(dir) => {
            let dir = PathBuf::from(dir).join("tablegen");
            if dir.is_dir() { Ok(Some(dir)) } else { Err(format!("ISAGLOT_CORPUS: no {}", dir.display())) }
        }
        None => {
            let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/tablegen");
            Ok(dir.is_dir().then_some(dir))
        }
    }
}

fn main() {
    let args = Arguments::from_args();
    let mut trials = Vec::new();
    match corpus() {
        Err(why) => trials.push(Trial::test("tablegen: corpus", move || Err(why.into()))),
        Ok(None) => {
            println!("tablegen: ignored, there is no corpus (ISAGLOT_CORPUS)");
            trials.push(Trial::test("tablegen: corpus", || Ok(())).with_ignored_flag(true));
        }
        Ok(Some(dir)) => {
            let text = std::fs::read_to_string(dir.join("golden.tsv")).expect("golden.tsv");
            let mut cases: Vec<(String, Vec<Vec<String>>)> = Vec::new();
            for line in text.lines().skip(1) {
                let row: Vec<String> = line.split('\t').map(str::to_owned).collect();
                match cases.last_mut() {
                    Some((case, rows)) if *case == row[0] => rows.push(row),
                    _ => cases.push((row[0].clone(), vec![row])),
                }
            }
            for (case, rows) in cases {
                let dir = dir.clone();
                let name = format!("tablegen: golden {case} ({} rows)", rows.len());
                trials.push(Trial::test(name, move || golden(unpacked(&dir), &case, &rows)));
            }
            let (a, b) = (dir.clone(), dir);
            trials.push(Trial::test("tablegen: lang_golden", move || language(&a)));
            trials.push(Trial::test("tablegen: tdfuzz", move || random_programs(&b)));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}
