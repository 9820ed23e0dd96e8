//! Intel Xe beside `iga64`: every few of the chosen words, and nothing may differ that the ledger does not have. `ISAGLOT_FULL=1` takes all words.

mod running;

use isaglot_conform::xe::{Machine, choose};
use isaglot_conform::{Foreign, Known, run_within, shipped, tool};
use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::peer::{self, IGA64};
use isaglot_testing::{Failed, suite};
use isaglot_xe::{Description, Platform, Xe, description};
use running::{Processes, none_new, told};

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
    Ok(none_new(&report.findings)?)
}
