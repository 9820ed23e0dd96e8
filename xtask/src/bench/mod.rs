//! Speed, as instructions executed and as seconds, printed as a table. A figure here is never a test.
//!
//! One file per area makes its inputs under `target/bench` and lists [`Row`]s: a command of ours, how many units it
//! works through, and the peer's command for the same work where there is one. What is not such a command prints a table of
//! its own. Instructions are counted by
//! valgrind, which is repeatable; seconds are the median user time of five runs, memory that of one. With `--count`
//! nothing is timed: a row has the instructions of the command and of its peer.

mod explore;
mod gen_code;
mod hart;
mod isaspec;
mod jobs;
mod llvm;
mod page;
mod riscv;
mod riscv_formats;
mod site;
mod spirv;
mod spirv_process;
mod tablegen;
mod triage;
mod xe;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs of each command that are timed; the median counts.
const RUNS: usize = 5;

/// One measurement.
pub(crate) struct Row {
    /// What is measured.
    pub(crate) name: String,
    /// Arguments of `isaglot`; or another program, by its absolute path, and its arguments.
    pub(crate) args: Vec<String>,
    /// How many units of work it does.
    pub(crate) units: u64,
    /// Whether instructions are counted, which takes some fifty times as long as a run.
    pub(crate) count: bool,
    /// Another program that does the same, if it is installed.
    pub(crate) peer: Option<Vec<String>>,
}

/// Numbers that are the same in every run.
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    /// Less than `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % n.max(1)
    }
}

/// An area: its name, and what makes its inputs and lists its rows.
type Area = (&'static str, fn() -> Result<Vec<Row>, String>);

const AREAS: &[Area] = &[
    ("gen", gen_code::rows),
    ("hart", hart::rows),
    ("isaspec", isaspec::rows),
    ("llvm", llvm::rows),
    ("riscv", riscv::rows),
    ("riscv-formats", riscv_formats::rows),
    ("spirv", spirv::rows),
    ("tablegen", tablegen::rows),
    ("triage", triage::rows),
    ("xe", xe::rows),
];

/// What is no run of a command from start to end: its name, and what prints its own table.
type Other = (&'static str, fn() -> Result<(), String>);

const OTHERS: &[Other] = &[
    ("explore", explore::print),
    ("hart", hart::commands),
    ("jobs", jobs::print),
    ("page", page::print),
    ("site", site::print),
    (SPIRV_PROCESS, spirv_process::print),
    ("xe", xe::dataflow),
];

/// Needs no `isaglot`.
const SPIRV_PROCESS: &str = "spirv-process";

/// Counts the instructions of a row and of its peer in place of timing them: on a busy machine seconds say little.
const COUNT: &str = "--count";

/// Runs the areas of these names, or all.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let names: Vec<String> = arguments.iter().filter(|a| *a != COUNT).cloned().collect();
    let counts = names.len() < arguments.len();
    let mut known: Vec<&str> = AREAS.iter().map(|a| a.0).chain(OTHERS.iter().map(|o| o.0)).collect();
    known.sort_unstable();
    known.dedup();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    if let Some(unknown) = names.iter().find(|n| !known.contains(&n.as_str())) {
        return Err(format!("no benchmark `{unknown}`; there are: {}", known.join(", ")));
    }
    let is_built = std::env::var_os(crate::npm::PROGRAM).is_some();
    if !is_built && (names.is_empty() || names.iter().any(|name| name != SPIRV_PROCESS)) {
        let built = Command::new("cargo")
            .args(["build", "--release", "--package", "isaglot-cli"])
            .current_dir(crate::root())
            .status()
            .map_err(|e| format!("cannot run cargo: {e}"))?;
        if !built.success() {
            return Err("the release build failed".to_owned());
        }
    }
    let areas: Vec<&Area> = AREAS.iter().filter(|area| wanted(area.0)).collect();
    if counts {
        return count(&areas);
    }
    if !areas.is_empty() {
        println!("| what | user s | units/s | instructions/unit | peak MB | peer user s | ratio |");
        println!("|---|---|---|---|---|---|---|");
    }
    for (_, rows) in areas {
        for row in rows()? {
            println!("{}", measure(&row)?);
        }
    }
    OTHERS.iter().filter(|other| wanted(other.0)).try_for_each(|(_, print)| print())
}

/// The program that is measured: the release build, or what `ISAGLOT_PROGRAM` names, such as a program for another target.
pub(crate) fn program() -> PathBuf {
    let given = std::env::var_os(crate::npm::PROGRAM).map(PathBuf::from);
    given.unwrap_or_else(|| crate::root().join("target/release/isaglot"))
}

/// Where inputs are made.
pub(crate) fn folder() -> Result<PathBuf, String> {
    let dir = crate::root().join("target/bench");
    std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    Ok(dir)
}

/// The corpus of other projects' material.
pub(crate) fn corpus() -> Result<PathBuf, String> {
    let dir = std::env::var_os("ISAGLOT_CORPUS").map_or_else(|| crate::root().join("../shared/corpus"), PathBuf::from);
    if dir.is_dir() { Ok(dir) } else { Err(format!("no corpus at {}; set ISAGLOT_CORPUS", dir.display())) }
}

/// Prints how many instructions each row takes, and its peer.
fn count(areas: &[&Area]) -> Result<(), String> {
    println!("| what | million instructions | peak MB | the peer's | ratio |");
    println!("|---|---|---|---|---|");
    for (_, rows) in areas {
        for row in rows()? {
            let (command, peer) = commands(&row);
            let ours = instructions(&command)? / 1e6;
            let (theirs, ratio) = match peer {
                Some(peer) => {
                    let theirs = instructions(peer)? / 1e6;
                    (format!("{theirs:.0}"), format!("1/{:.1}", theirs / ours))
                }
                None => ("–".to_owned(), "–".to_owned()),
            };
            println!("| {} | {ours:.0} | {} | {theirs} | {ratio} |", row.name, peak(&command));
        }
    }
    Ok(())
}

/// The command of a row, and the peer's if that is installed.
fn commands(row: &Row) -> (Vec<String>, Option<&Vec<String>>) {
    let isaglot = program().display().to_string();
    let other = row.args.first().is_some_and(|first| Path::new(first).is_absolute());
    let ours = Some(isaglot).filter(|_| !other).into_iter().chain(row.args.iter().cloned()).collect();
    (ours, row.peer.as_ref().filter(|p| installed(&p[0])))
}

fn measure(row: &Row) -> Result<String, String> {
    let (ours, peer) = commands(row);
    // In turn, so that a change of the machine's speed hits both.
    let (mut times, mut peer_times) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        times.push(user_seconds(&ours)?);
        if let Some(peer) = peer {
            peer_times.push(user_seconds(peer)?);
        }
    }
    let seconds = median(&mut times);
    let per_unit = if row.count { format!("{:.0}", instructions(&ours)? / row.units as f64) } else { "–".to_owned() };
    let (peer_seconds, ratio) = match peer_times.is_empty() {
        true => ("–".to_owned(), "–".to_owned()),
        false => {
            let p = median(&mut peer_times);
            (format!("{p:.3}"), format!("1/{:.1}", p / seconds.max(0.001)))
        }
    };
    let rate = row.units as f64 / seconds.max(0.001);
    let peak = peak(&ours);
    Ok(format!("| {} | {seconds:.3} | {rate:.0} | {per_unit} | {peak} | {peer_seconds} | {ratio} |", row.name))
}

fn installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The user time of one run, by the shell's `time`.
fn user_seconds(command: &[String]) -> Result<f64, String> {
    let script = r#"TIMEFORMAT=%U; time "$@" >/dev/null"#;
    let out = Command::new("bash").args(["-c", script, "bash"]).args(command).output();
    let out = out.map_err(|e| format!("cannot run bash: {e}"))?;
    let said = String::from_utf8_lossy(&out.stderr);
    if !out.status.success() {
        return Err(format!("{}: {said}", command.join(" ")));
    }
    let last = said.lines().last().unwrap_or("");
    last.replace(',', ".").parse().map_err(|_| format!("no time in: {last}"))
}

/// The most memory that one run has at a time, in megabytes, if GNU time (package time) is there to say it.
fn peak(command: &[String]) -> String {
    let out = Command::new("/usr/bin/time").args(["-f", "%M"]).args(command).stdout(Stdio::null()).output();
    let said = out.map(|out| String::from_utf8_lossy(&out.stderr).into_owned()).unwrap_or_default();
    let kilobytes = said.lines().last().and_then(|l| l.parse::<f64>().ok());
    kilobytes.map_or("–".to_owned(), |k| format!("{:.1}", k / 1000.0))
}

/// The instructions of one whole run.
fn instructions(command: &[String]) -> Result<f64, String> {
    let out = Command::new("valgrind")
        // Without a fair turn for each, a program with threads may stand still.
        .args(["--tool=cachegrind", "--cache-sim=no", "--fair-sched=yes", "--cachegrind-out-file=/dev/null", "--"])
        .args(command)
        .stdout(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run valgrind (package valgrind): {e}"))?;
    let said = String::from_utf8_lossy(&out.stderr);
    let count = said.lines().find_map(|l| l.split("I   refs:").nth(1)).map(|n| n.trim().replace(',', ""));
    count.and_then(|n| n.parse().ok()).ok_or_else(|| format!("valgrind said nothing of instructions: {said}"))
}
