//! Intel Xe beside `iga64`: every few of the chosen words, and nothing may differ that the ledger does not have. `ISAGLOT_FULL=1` takes all words.

use std::process::{Command, Stdio};

use isaglot_conform::xe::{Machine, choose};
use isaglot_conform::{Foreign, Job, Known, Output, Runner, run_within, shipped, tool};
use isaglot_source::{Diagnostic, Diagnostics, FileId};
use isaglot_testing::peer::{self, IGA64};
use isaglot_testing::{Failed, suite};
use isaglot_xe::{Description, Platform, Xe, description};

const KNOWN: &str = include_str!("../../../specs/tools/iga64.known");

/// The machines that version 1.1 of `iga64` knows.
const MACHINES: [Platform; 4] = [Platform::Xe, Platform::XeHp, Platform::XeHpg, Platform::XeHpc];

/// Of so many words one is taken.
const STEP: usize = 50;

fn main() {
    let trial = |platform: Platform| {
        peer::trial(format!("{} beside iga64", platform.name()), &[IGA64], move || check(platform))
    };
    suite::run(MACHINES.into_iter().map(trial).collect());
}

fn check(platform: Platform) -> Result<(), Failed> {
    let (isa, ..) = description();
    let isa = isa.ok_or("no description")?;
    let own = Description::embedded().ok_or("no description")?;
    let mut xe = Xe::new(&own, platform).ok_or("no machine")?;
    let mut problems = Diagnostics::new();
    let tool =
        shipped::find("iga64").and_then(|text| tool::read(FileId(0), text, &mut problems)).ok_or("no adapter")?;
    let mut known = Known::read(FileId(0), KNOWN, &mut problems);

    let mut choice = choose(&mut xe, &isa, Default::default());
    let step = if std::env::var_os("ISAGLOT_FULL").is_some() { 1 } else { STEP };
    choice.words = choice.words.into_iter().step_by(step).collect();
    let mut ours = Machine::new(&mut xe, &isa);
    let mut processes = Processes;
    let mut theirs = Foreign::set_up(&tool, &ours.setting(), &mut processes).map_err(told)?;
    // The ledger is asked about the words themselves: patterns would take minutes.
    let mut report = run_within(&mut ours, &choice, &mut theirs, &tool.rules, 0, &mut |_| {}).map_err(told)?;
    known.mark(&mut report.findings);
    println!("{}: {} words asked, {} findings", platform.name(), report.asked, report.findings.len());
    let new = report.findings.iter().filter(|finding| finding.known.is_none());
    let new: Vec<String> = new
        .map(|f| {
            format!("{} {}: 0x{}: {:?}, not {:?}", f.class.kind.name(), f.class.name, f.witness.hex(), f.theirs, f.ours)
        })
        .collect();
    if new.is_empty() { Ok(()) } else { Err(new.join("\n").into()) }
}

fn told(d: Diagnostic) -> String {
    format!("{}: {}", d.message, d.notes.join("; "))
}

/// Starts one process after the other, each with its words in a file.
struct Processes;

impl Runner for Processes {
    fn run(&mut self, jobs: &[Job]) -> Result<Vec<Output>, Diagnostic> {
        let failed = |e: std::io::Error| Diagnostic::error("conform-run", e.to_string());
        jobs.iter().map(|job| one(job).map_err(failed)).collect()
    }
}

fn one(job: &Job) -> std::io::Result<Output> {
    let folder = tempfile::tempdir()?;
    let input = folder.path().join("input");
    std::fs::write(&input, &job.input)?;
    let mut all = Output::default();
    for words in &job.commands {
        let words: Vec<String> =
            words.iter().map(|word| word.replace("{input}", &input.display().to_string())).collect();
        let Some((program, arguments)) = words.split_first() else { continue };
        let output = Command::new(program).args(arguments).stdin(Stdio::null()).output()?;
        all.out = String::from_utf8_lossy(&output.stdout).into_owned();
        all.err.push_str(&String::from_utf8_lossy(&output.stderr));
        if output.status.code().is_none() {
            return Err(std::io::Error::other(format!("{program} ended with {}", output.status)));
        }
    }
    Ok(all)
}
