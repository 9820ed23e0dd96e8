//! The programs under `tests/data`, with what each format prints of them beside them. `BLESS=1` writes the files anew.

use std::path::Path;
use std::sync::Arc;

use isaglot_tablegen::tool;

fn output(name: &str, args: &[&str]) -> String {
    let args: Vec<String> = args.iter().copied().chain([name]).map(str::to_owned).collect();
    let run = tool::arguments(&args).expect("good options");
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let load = |path: &str| std::fs::read(dir.join(path)).ok().map(Arc::<[u8]>::from);
    let mut records = tool::read(&run, load(name).expect("the program"), &mut { load });
    let mut out = tool::messages(&run, &records, 0);
    if records.parsed() {
        tool::print(&run, &mut records, &mut out).expect("a vector takes everything");
    }
    out.extend(tool::summary(&run, &records, "tblgen").as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

fn check(name: &str, args: &[&str], golden: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(golden);
    isaglot_testing::bless::golden(&path, &output(name, args)).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn records() {
    for name in ["enc", "language", "multi"] {
        check(&format!("{name}.td"), &["--print-records"], &format!("{name}.records"));
    }
}

#[test]
fn json() {
    check("enc.td", &["--dump-json"], "enc.json");
}

#[test]
fn detailed() {
    check("multi.td", &["--print-detailed-records"], "multi.detailed");
}

#[test]
fn history() {
    check("enc.td", &["--why", "InstB.Encoding"], "enc.why");
    check("multi.td", &["--why", "ADD_x_wide.Cost"], "multi.why");
}

#[test]
fn queries() {
    check("language.td", &["--query", "Base where N >= 3 and not Small show N, S"], "language.query");
    check("language.td", &["--json", "--query", "Base where S ~ none and Small show Down"], "language.query.json");
}

#[test]
fn wide_numbers() {
    check("wide.td", &[], "wide.records");
    check("wide.td", &["--dump-json"], "wide.json");
}

#[test]
fn errors_say_where_it_began() {
    for name in ["brace", "dag", "string", "operator", "too_wide"] {
        check(&format!("errors/{name}.td"), &[], &format!("errors/{name}.text"));
    }
}

#[test]
fn errors_say_more() {
    check("errors.td", &["--all-errors"], "errors.text");
    check("errors.td", &["--all-errors", "--json"], "errors.json");
}

#[test]
fn newer_operators() {
    check("newer.td", &["--dialect", "newest"], "newer.records");
    // The sources need it: it is chosen by itself.
    check("newer.td", &[], "newer.records");
    check("newer.td", &["--dialect", "llvm19"], "newer.text");
    check("versions.td", &["--dialect", "llvm19"], "versions.llvm19");
    check("versions.td", &["--dialect", "newest"], "versions.newest");
    check("gone.td", &["--dialect", "newest"], "gone.text");
    check("newer_errors.td", &["--dialect", "newest", "--all-errors"], "newer_errors.text");
}

#[test]
fn tables() {
    check("tables.td", &["--gen-searchable-tables"], "tables.cpp");
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tables");
    for path in isaglot_testing::bless::cases(&dir, ".td") {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let args = ["--gen-searchable-tables", "-I", "tables"];
        check(&format!("tables/{stem}.td"), &args, &format!("tables/{stem}.text"));
    }
}
