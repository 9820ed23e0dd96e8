//! `--gen-searchable-tables` beside `llvm-tblgen-19`: our own programs, right and wrong, and every target of the corpus
//! that has such tables. Output and exit status must be equal, and the first line of what is said.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use isaglot_tablegen::tool;
use isaglot_testing::{Failed, Tally, bless, corpus, ledger, peer, suite};

const PEER: &str = "llvm-tblgen-19";

/// Words that only targets with tables contain.
const MARKS: [&str; 2] = ["GenericTable", ": SearchableTable"];

fn compare(dir: &Path, args: &[&str]) -> Result<(), String> {
    let args: Vec<String> = args.iter().copied().chain(["--gen-searchable-tables"]).map(str::to_owned).collect();
    let mut run = tool::arguments(&args)?;
    run.plain = true;
    let load = |path: &str| std::fs::read(dir.join(path)).ok().map(Arc::<[u8]>::from);
    let mut records = tool::read(&run, load(&run.input).ok_or("no input")?, &mut { load });
    let mut out = Vec::new();
    if records.parsed() {
        tool::print(&run, &mut records, &mut out).map_err(|e| e.to_string())?;
    }
    let err = tool::messages(&run, &records, 0);
    let peer = Command::new(PEER).args(&args).current_dir(dir).output().map_err(|e| e.to_string())?;
    let Some(code) = peer.status.code().filter(|&c| c < 2) else {
        // Of a crash there is no output to compare.
        return Err(if records.ok() { "no error where llvm-tblgen crashes" } else { "llvm-tblgen crashes" }.to_owned());
    };
    if i32::from(!records.ok()) != code {
        return Err(format!("status {code}, ours says {}", String::from_utf8_lossy(&err)));
    }
    let first = |text: &[u8]| text.split(|&b| b == b'\n').next().map(<[u8]>::to_vec);
    if code != 0 && first(&peer.stderr) != first(&err) {
        let (ours, theirs) = (String::from_utf8_lossy(&err), String::from_utf8_lossy(&peer.stderr));
        return Err(format!("the first line of stderr is\n{ours}\ninstead of\n{theirs}"));
    }
    bless::difference(PEER, &peer.stdout, &out)
}

fn own() -> Result<(), Failed> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut tally = Tally::default();
    tally.row("tables.td", 0, compare(&data, &["tables.td"]));
    let folder = data.join("tables");
    for path in bless::cases(&folder, ".td") {
        let name = corpus::name(&path);
        tally.row(&name, 0, compare(&folder, &[&name]));
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "peer_tables", &tally)?)
}

/// Whether a file of that folder mentions tables.
fn has_tables(dir: &Path) -> bool {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files.filter_map(|f| std::fs::read_to_string(f.path()).ok()).any(|text| MARKS.iter().any(|m| text.contains(m)))
}

fn targets(folder: &Path) -> Result<(), Failed> {
    let root = corpus::unpacked(&folder.join("td.tar.xz"))?;
    let mut tally = Tally::default();
    for line in corpus::text(&folder.join("golden.tsv"))?.lines().filter(|l| l.starts_with("target/")) {
        let row: Vec<&str> = line.split('\t').collect();
        let args: Vec<&str> = row.get(11).copied().unwrap_or_default().split(' ').collect();
        let input = args.iter().find(|a| a.ends_with(".td")).copied().unwrap_or_default();
        if row.get(1) == Some(&"--print-records") && has_tables(root.join(input).parent().unwrap_or(&root)) {
            tally.row(row[0], 0, compare(&root, &args));
        }
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "peer_tables", &tally)?)
}

fn main() {
    let peers = [peer::LLVM_TBLGEN];
    let folder = corpus::folder("tablegen");
    let absent = folder.is_none();
    let folder = folder.unwrap_or_default();
    suite::run(vec![
        peer::trial("tablegen: tables beside llvm-tblgen-19", &peers, own),
        peer::trial("tablegen: tables of the corpus beside llvm-tblgen-19", &peers, move || targets(&folder))
            .with_ignored_flag(absent || (peer::probe(&peers).is_err() && !peer::required())),
    ]);
}
