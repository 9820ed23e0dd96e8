//! The shipped description of RISC-V beside disassemblers: every few of the chosen words, and nothing may differ that the ledger does not have.
//! `ISAGLOT_FULL=1` takes all words.

mod running;
mod seeded;

use isaglot_codec::Plan;
use isaglot_conform::choose::{Wanted, choose};
use isaglot_conform::{Foreign, Known, Ours, run_within, shipped, tool};
use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::peer::{self, LLVM_MC, LLVM_OBJDUMP, Peer, RISCV_BINUTILS};
use isaglot_testing::{Failed, suite};
use running::{Processes, none_new, told};
use seeded::description;

const LLVM: &str = include_str!("../../../specs/tools/llvm-mc-riscv.known");
const GNU: &str = include_str!("../../../specs/tools/objdump-riscv.known");

/// Adapters, with their ledgers and what they need.
const TOOLS: [(&str, &str, &[Peer]); 3] = [
    ("llvm-mc-riscv", LLVM, &[LLVM_MC]),
    ("llvm-objdump-riscv", LLVM, &[LLVM_MC, LLVM_OBJDUMP]),
    ("objdump-riscv", GNU, &[RISCV_BINUTILS]),
];

/// Extensions that all of them know.
const FEATURES: &str = "m a f d c v h priv zicsr zifencei zba zbb zbc zbs zbkb zbkc zbkx zknd zkne zknh zksed zksh zfh \
                        zicbom zicbop zicboz svinval zawrs";

/// Of so many words one is taken.
const STEP: usize = 60;

fn main() {
    let trials = TOOLS.into_iter().flat_map(|(name, known, peers)| {
        [32, 64].map(|bits| peer::trial(format!("RV{bits} beside {name}"), peers, move || check(name, known, bits)))
    });
    suite::run(trials.collect());
}

fn check(name: &str, known: &str, bits: u32) -> Result<(), Failed> {
    let (isa, generation, features) = description(&format!("riscv/riscv.xml {bits} {FEATURES}"))?;
    let mut problems = Diagnostics::new();
    let tool = shipped::find(name).and_then(|text| tool::read(FileId(0), text, &mut problems)).ok_or("no adapter")?;
    let mut known = Known::read(FileId(0), known, &mut problems);
    let plan = Plan::with_features(&isa, generation, &features).with_aliases(tool.aliases);
    let mut choice = choose(&plan, Wanted::default());
    let step = if std::env::var_os("ISAGLOT_FULL").is_some() { 1 } else { STEP };
    choice.words = choice.words.into_iter().step_by(step).collect();
    let mut processes = Processes;
    let mut theirs = Foreign::new(&tool, &plan, &mut processes).map_err(told)?;
    // The ledger is asked about the words themselves.
    let found = run_within(&mut Ours::new(&plan), &choice, &mut theirs, &tool.rules, 0, &mut |_| {});
    let mut report = found.map_err(told)?;
    known.mark(&mut report.findings);
    println!("RV{bits} beside {name}: {} words asked, {} findings", report.asked, report.findings.len());
    Ok(none_new(&report.findings)?)
}
