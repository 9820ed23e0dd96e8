//! Many kernels of Intel Xe in a folder by one worker and by two (`--jobs`): seconds of the clock and of the processor.
//!
//! A clock says little on a machine that does other work. So runs take turns, the best of each counts, and the processor's seconds
//! beside it show whether two workers do more work than one. What both print must be the same.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

/// Kernels.
const KERNELS: usize = 2_000;

/// Runs of each; the best one counts.
const RUNS: usize = 7;

/// What is done with them.
const VERBS: [(&str, &[&str]); 3] = [
    ("text", &["disasm", "--isa", "xehpc"]),
    ("listing with dataflow", &["list", "--isa", "xehpc", "--defs"]),
    ("JSON with dataflow", &["list", "--isa", "xehpc", "--defs", "--ndjson"]),
];

/// What a run took.
#[derive(Clone, Copy)]
struct Took {
    wall: f64,
    processor: f64,
}

pub(crate) fn print() -> Result<(), String> {
    let folder = super::folder()?.join("jobs");
    let bytes = kernels(&super::corpus()?.join("xe/kernels"), &folder)?;
    let program = super::program().display().to_string();
    println!(
        "\n| {KERNELS} Xe kernels, {bytes} bytes | wall s, 1 job | 2 jobs | ratio | processor s, 1 job | 2 jobs | peak MB, 1 job | 2 jobs |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, verb) in VERBS {
        let command = |jobs: &str| {
            let all = [program.as_str()].into_iter().chain(verb.iter().copied()).chain(["--jobs", jobs]);
            all.map(str::to_owned).chain([folder.display().to_string()]).collect::<Vec<_>>()
        };
        let (one, two) = (command("1"), command("2"));
        if sum(&one)? != sum(&two)? {
            return Err(format!("{name}: the output of two jobs is not that of one"));
        }
        let (mut best_one, mut best_two) = (took(&one)?, took(&two)?);
        for _ in 1..RUNS {
            best_one = better(best_one, took(&one)?);
            best_two = better(best_two, took(&two)?);
        }
        println!(
            "| {name} | {:.3} | {:.3} | {:.2} | {:.3} | {:.3} | {} | {} |",
            best_one.wall,
            best_two.wall,
            best_one.wall / best_two.wall.max(0.001),
            best_one.processor,
            best_two.processor,
            super::peak(&one),
            super::peak(&two),
        );
    }
    Ok(())
}

/// The lesser of each.
fn better(a: Took, b: Took) -> Took {
    Took { wall: a.wall.min(b.wall), processor: a.processor.min(b.processor) }
}

/// The SHA-256 of what a command prints.
fn sum(command: &[String]) -> Result<Vec<u8>, String> {
    let out = Command::new(&command[0]).args(&command[1..]).output().map_err(|e| format!("{}: {e}", command[0]))?;
    if out.stdout.is_empty() {
        return Err(format!("{}: {}", command.join(" "), String::from_utf8_lossy(&out.stderr)));
    }
    Ok(Sha256::digest(&out.stdout).to_vec())
}

/// One run, by the shell's `time`.
fn took(command: &[String]) -> Result<Took, String> {
    let script = r#"TIMEFORMAT='%R %U %S'; time "$@" >/dev/null 2>/dev/null"#;
    let out = Command::new("bash").args(["-c", script, "bash"]).args(command).output();
    let said = String::from_utf8_lossy(&out.map_err(|e| format!("cannot run bash: {e}"))?.stderr).replace(',', ".");
    let numbers: Vec<f64> = said.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    match numbers[..] {
        [wall, user, system] => Ok(Took { wall, processor: user + system }),
        _ => Err(format!("no time in: {said}")),
    }
}

/// Writes the corpus's compiled kernels for Xe HPC in turn until there are enough files; gives their bytes.
fn kernels(corpus: &Path, folder: &Path) -> Result<usize, String> {
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let entries = fs::read_dir(corpus).map_err(|e| failed(corpus, e))?;
    let mut names: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    names.retain(|p| p.to_string_lossy().ends_with(".pvc.12p72.krn.gz"));
    names.sort();
    let mut all = Vec::new();
    for path in &names {
        let mut bytes = Vec::new();
        let file = fs::File::open(path).map_err(|e| failed(path, e))?;
        flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).map_err(|e| failed(path, e))?;
        all.push(bytes);
    }
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| failed(folder, e))?;
    }
    fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    let mut total = 0;
    for (n, bytes) in all.iter().cycle().take(KERNELS).enumerate() {
        let path = folder.join(format!("{n:04}.krn"));
        fs::write(&path, bytes).map_err(|e| failed(&path, e))?;
        total += bytes.len();
    }
    if total == 0 { Err(format!("{}: no kernels", corpus.display())) } else { Ok(total) }
}
