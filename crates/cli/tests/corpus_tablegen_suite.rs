//! The RUN lines of LLVM's language tests, with this program as `llvm-tblgen`: a small part of lit, over FileCheck.

use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, Tally, corpus, ledger, suite};

const FILECHECKS: [&str; 3] = ["FileCheck-19", "FileCheck", "FileCheck-14"];

/// Like LLVM's `not`, but death by a signal or a panic is no expected failure.
const NOT: &str = "#!/bin/sh
if [ \"$1\" = --crash ]; then shift; \"$@\"; [ $? -ne 0 ]; exit; fi
\"$@\"
rc=$?
[ $rc -ne 0 ] && [ $rc -ne 101 ] && [ $rc -lt 126 ]
";

fn found(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|p| p.is_file())
}

/// LLVM's FileCheck: finds a line, and notices where it is missing.
const FILECHECK: Peer = Peer { name: "FileCheck (llvm-19-tools)", probe: || works().map(drop) };

/// The FileCheck that is there.
fn works() -> Result<PathBuf, String> {
    let filecheck = FILECHECKS.iter().find_map(|name| found(name)).ok_or("it is not installed")?;
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let wanted = dir.path().join("wanted");
    std::fs::write(&wanted, "CHECK: here\n").map_err(|e| e.to_string())?;
    peer::output(Command::new(&filecheck).arg(&wanted), "it is here\n")?;
    match peer::output(Command::new(&filecheck).arg(&wanted), "nothing\n") {
        Ok(_) => Err("it does not notice a missing line".to_owned()),
        Err(_) => Ok(filecheck),
    }
}

fn script(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a script");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
}

fn language(folder: &Path) -> Result<(), Failed> {
    let filecheck = works()?;
    let root = corpus::unpacked(&folder.join("td.tar.xz"))?;
    let bin = tempfile::tempdir().expect("a temporary folder");
    let tmp = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_isaglot"), bin.path().join("llvm-tblgen")).expect("a link");
    std::os::unix::fs::symlink(&filecheck, bin.path().join("FileCheck")).expect("a link");
    script(&bin.path().join("not"), NOT);
    let check = std::fs::canonicalize(folder).expect("the corpus").join("tools/json_check.py");
    let text = std::fs::read_to_string(folder.join("suite.tsv")).expect("suite.tsv");
    let mut files: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    for line in text.lines().skip(1) {
        let row: Vec<&str> = line.split('\t').collect();
        if row[2] == "no-run" {
            continue;
        }
        match files.last_mut() {
            Some((file, runs)) if *file == row[0] => runs.push((row[2], row[4])),
            _ => files.push((row[0], vec![(row[2], row[4])])),
        }
    }
    let of_language = |kind: &str| kind.trim_start_matches("aux-of:").starts_with("language");
    files.retain(|(_, runs)| runs.iter().all(|(kind, _)| of_language(kind)));
    let path = std::env::join_paths(
        std::iter::once(bin.path().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .expect("a search path");
    let mut tally = Tally::default();
    for (file, runs) in &files {
        let source = root.join(file);
        let here = source.parent().expect("a folder").to_string_lossy().into_owned();
        let source = source.to_string_lossy().into_owned();
        let temporary = tmp.path().join(file.replace('/', "_")).to_string_lossy().into_owned();
        std::fs::create_dir_all(format!("{temporary}.d")).expect("a folder");
        for (run, (_, command)) in runs.iter().enumerate() {
            let line = command
                .replace("%S/JSON-check.py", &check.to_string_lossy())
                .replace("%python", "python3")
                .replace("%s", &source)
                .replace("%S", &here)
                .replace("%p", &here)
                .replace("%T", &format!("{temporary}.d"))
                .replace("%t", &temporary);
            let done = Command::new("bash")
                .args(["-o", "pipefail", "-c", &line])
                .current_dir(format!("{temporary}.d"))
                .env("PATH", &path)
                .output()
                .expect("bash");
            tally.check(&file.replace(':', "_"), run + 1, done.status.success(), || line.clone());
        }
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "tablegen_suite", &tally)?)
}

fn main() {
    suite::run_corpus("tablegen", |folder| {
        let folder = folder.to_owned();
        vec![peer::trial("tablegen: suite, language part", &[FILECHECK], move || language(&folder))]
    });
}
