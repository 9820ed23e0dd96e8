//! `--gen-searchable-tables` beside `llvm-tblgen-19`: our own programs, right and wrong, and every target of the corpus
//! that has such tables. Output and exit status must be equal, and the first line of what is said.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use isaglot_tablegen::tool;
use libtest_mimic::{Arguments, Failed, Trial};

const PEER: &str = "llvm-tblgen-19";

/// Words that only targets with tables contain.
const MARKS: [&str; 2] = ["GenericTable", ": SearchableTable"];

fn compare(dir: &Path, args: &[&str]) -> Result<(), Failed> {
    let args: Vec<String> = args.iter().copied().chain(["--gen-searchable-tables"]).map(str::to_owned).collect();
    let mut run = tool::arguments(&args)?;
    run.plain = true;
    let load = |path: &str| std::fs::read(dir.join(path)).ok().map(Arc::<[u8]>::from);
    let mut records = tool::read(&run, load(&run.input).ok_or("no input")?, &mut { load });
    let mut out = Vec::new();
    if records.parsed() {
        tool::print(&run, &mut records, &mut out)?;
    }
    let err = tool::messages(&run, &records, 0);
    let peer = Command::new(PEER).args(&args).current_dir(dir).output()?;
    let Some(code) = peer.status.code().filter(|&c| c < 2) else {
        // It crashed; what counts is that we said what is wrong.
        return if records.ok() { Err("no error where the peer crashes".into()) } else { Ok(()) };
    };
    if i32::from(!records.ok()) != code {
        return Err(format!("status {code}, ours says {}", String::from_utf8_lossy(&err)).into());
    }
    let first = |text: &[u8]| text.split(|&b| b == b'\n').next().map(<[u8]>::to_vec);
    let said: Vec<u8> = peer.stderr;
    if code != 0 && first(&said) != first(&err) {
        let (ours, theirs) = (String::from_utf8_lossy(&err), String::from_utf8_lossy(&said));
        return Err(format!("said\n{ours}\ninstead of\n{theirs}").into());
    }
    if out != peer.stdout {
        let line =
            out.split(|&b| b == b'\n').zip(peer.stdout.split(|&b| b == b'\n')).enumerate().find(|(_, (a, b))| a != b);
        let at = line.map_or(0, |l| l.0 + 1);
        return Err(format!("{} bytes, expected {}; line {at} differs: {line:?}", out.len(), peer.stdout.len()).into());
    }
    println!("{}: {} bytes", run.input, out.len());
    Ok(())
}

fn own() -> Result<(), Failed> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    compare(&data, &["tables.td"])?;
    let mut count = 0;
    for entry in std::fs::read_dir(data.join("tables"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".td") {
            compare(&data.join("tables"), &[&name]).map_err(|e| format!("{name}: {}", e.message().unwrap_or("")))?;
            count += 1;
        }
    }
    if count == 0 { Err("no programs".into()) } else { Ok(()) }
}

/// Whether a file of that folder mentions tables.
fn has_tables(dir: &Path) -> bool {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files.filter_map(|f| std::fs::read_to_string(f.path()).ok()).any(|text| MARKS.iter().any(|m| text.contains(m)))
}

fn targets(corpus: &Path) -> Result<(), Failed> {
    let unpacked = tempfile::tempdir()?;
    let root = unpacked.path();
    let packed = std::fs::read(corpus.join("td.tar.xz"))?;
    let mut tar = Vec::new();
    lzma_rs::xz_decompress(&mut &packed[..], &mut tar).map_err(|e| format!("td.tar.xz: {e:?}"))?;
    tar::Archive::new(&tar[..]).unpack(root)?;
    let (mut passed, mut wrong) = (0, Vec::new());
    let text = std::fs::read_to_string(corpus.join("golden.tsv"))?;
    for line in text.lines().filter(|l| l.starts_with("target/")) {
        let row: Vec<&str> = line.split('\t').collect();
        let args: Vec<&str> = row.get(11).copied().unwrap_or_default().split(' ').collect();
        let input = args.iter().find(|a| a.ends_with(".td")).copied().unwrap_or_default();
        if row.get(1) != Some(&"--print-records") || !has_tables(root.join(input).parent().unwrap_or(root)) {
            continue;
        }
        match compare(root, &args) {
            Ok(()) => passed += 1,
            Err(e) => wrong.push(format!("{}: {}", row[0], e.message().unwrap_or(""))),
        }
    }
    println!("searchable tables: {passed}/{} inputs", passed + wrong.len());
    if passed == 0 || !wrong.is_empty() { Err(wrong.join("\n").into()) } else { Ok(()) }
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
    let names = ["tablegen: tables beside llvm-tblgen-19", "tablegen: tables of the corpus beside llvm-tblgen-19"];
    let ignored = |name: &str| Trial::test(name, || Ok(())).with_ignored_flag(true);
    let mut trials = Vec::new();
    if Command::new(PEER).arg("--version").output().is_err() {
        if std::env::var_os("ISAGLOT_REQUIRE_PEERS").is_some_and(|v| v == "1") {
            trials.push(Trial::test(names[0], || Err(format!("{PEER} (package llvm-19) is not installed").into())));
        } else {
            println!("ignored: {PEER} (package llvm-19) is not installed");
            trials.extend(names.map(ignored));
        }
        libtest_mimic::run(&args, trials).exit();
    }
    trials.push(Trial::test(names[0], own));
    match corpus() {
        Err(why) => trials.push(Trial::test(names[1], move || Err(why.into()))),
        Ok(None) => {
            println!("ignored: there is no corpus (ISAGLOT_CORPUS)");
            trials.push(ignored(names[1]));
        }
        Ok(Some(dir)) => trials.push(Trial::test(names[1], move || targets(&dir))),
    }
    libtest_mimic::run(&args, trials).exit();
}
