//! The RUN lines of LLVM's language tests, with this program as `llvm-tblgen`: a small part of lit, over FileCheck.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

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

fn trial(corpus: PathBuf) -> Trial {
    let name = "tablegen: suite, language part";
    let Some(filecheck) = FILECHECKS.iter().find_map(|n| found(n)) else {
        if std::env::var_os("ISAGLOT_REQUIRE_PEERS").is_some_and(|v| v == "1") {
            return Trial::test(name, || Err("FileCheck (llvm-19-tools) is not installed".into()));
        }
        println!("{name}: ignored, FileCheck (llvm-19-tools) is not installed");
        return Trial::test(name, || Ok(())).with_ignored_flag(true);
    };
    Trial::test(name, move || suite(&corpus, &filecheck))
}

fn script(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a script");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
}

fn suite(corpus: &Path, filecheck: &Path) -> Result<(), Failed> {
    let unpacked = unpack(corpus);
    let root = unpacked.path();
    let bin = tempfile::tempdir().expect("a temporary folder");
    let tmp = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_isaglot"), bin.path().join("llvm-tblgen")).expect("a link");
    std::os::unix::fs::symlink(filecheck, bin.path().join("FileCheck")).expect("a link");
    script(&bin.path().join("not"), NOT);
    let check = std::fs::canonicalize(corpus).expect("the corpus").join("tools/json_check.py");
    let text = std::fs::read_to_string(corpus.join("suite.tsv")).expect("suite.tsv");
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
    let language = |kind: &str| kind.trim_start_matches("aux-of:").starts_with("language");
    files.retain(|(_, runs)| runs.iter().all(|(kind, _)| language(kind)));
    let path = std::env::join_paths(
        std::iter::once(bin.path().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .expect("a search path");
    let (mut wrong, mut total) = (Vec::new(), 0);
    for (file, runs) in &files {
        let source = root.join(file);
        let here = source.parent().expect("a folder").to_string_lossy().into_owned();
        let source = source.to_string_lossy().into_owned();
        let temporary = tmp.path().join(file.replace('/', "_")).to_string_lossy().into_owned();
        std::fs::create_dir_all(format!("{temporary}.d")).expect("a folder");
        for (_, command) in runs {
            let line = command
                .replace("%S/JSON-check.py", &check.to_string_lossy())
                .replace("%python", "python3")
                .replace("%s", &source)
                .replace("%S", &here)
                .replace("%p", &here)
                .replace("%T", &format!("{temporary}.d"))
                .replace("%t", &temporary);
            total += 1;
            let done = Command::new("bash")
                .args(["-o", "pipefail", "-c", &line])
                .current_dir(format!("{temporary}.d"))
                .env("PATH", &path)
                .output()
                .expect("bash");
            if !done.status.success() {
                wrong.push(format!("{file}: {line}"));
            }
        }
    }
    println!("suite, language part: {}/{total} runs of {} files", total - wrong.len(), files.len());
    if total == 0 || !wrong.is_empty() { Err(format!("failed:\n{}", wrong.join("\n")).into()) } else { Ok(()) }
}

fn unpack(corpus: &Path) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let packed = std::fs::read(corpus.join("td.tar.xz")).expect("td.tar.xz");
    let mut tar = Vec::new();
    lzma_rs::xz_decompress(&mut &packed[..], &mut tar).expect("xz");
    tar::Archive::new(&tar[..]).unpack(dir.path()).expect("tar");
    dir
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
    let trial = match corpus() {
        Err(why) => Trial::test("tablegen: corpus", move || Err(why.into())),
        Ok(None) => {
            println!("tablegen: ignored, there is no corpus (ISAGLOT_CORPUS)");
            Trial::test("tablegen: suite", || Ok(())).with_ignored_flag(true)
        }
        Ok(Some(dir)) => trial(dir),
    };
    libtest_mimic::run(&args, vec![trial]).exit();
}
