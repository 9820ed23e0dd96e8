//! Adapters of machines from LLVM's records beside their tools: every few of the chosen words, and nothing may differ that the ledger does not have.
//! Needs the targets of the corpus. All words are a matter of minutes; docs/findings.md has what they came to. Of AMDGPU, whose instructions are the
//! most, a part of those that its adapter takes is asked in an ordinary run, and fewer to grow patterns: `ISAGLOT_FULL=1` asks about all.

mod running;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use isaglot_codec::Plan;
use isaglot_conform::choose::{Wanted, choose};
use isaglot_conform::{Decoder as _, Foreign, Known, Ours, limits, run_within, shipped, tool};
use isaglot_llvm as llvm;
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Options, parse};
use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, corpus, suite};
use running::{Processes, none_new, told};

/// A target, with its adapter and what to decode for.
struct Case {
    folder: &'static str,
    operands: &'static str,
    tool: &'static str,
    known: &'static str,
    triple: &'static str,
    features: &'static [&'static str],
    peer: Peer,
}

const CASES: [Case; 13] = [
    Case {
        folder: "AMDGPU",
        operands: include_str!("../../../specs/llvm/amdgpu.operands"),
        tool: "llvm-mc-amdgpu",
        known: include_str!("../../../specs/tools/llvm-mc-amdgpu.known"),
        triple: "amdgcn",
        features: &["+cpu=gfx1010"],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "AVR",
        operands: include_str!("../../../specs/llvm/avr.operands"),
        tool: "llvm-mc-avr",
        known: include_str!("../../../specs/tools/llvm-mc-avr.known"),
        triple: "avr",
        features: &["+avr6", "+special"],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "AVR",
        operands: include_str!("../../../specs/llvm/avr.operands"),
        tool: "objdump-avr",
        known: include_str!("../../../specs/tools/objdump-avr.known"),
        triple: "avr",
        features: &["+avr6", "+special"],
        peer: peer::AVR_OBJDUMP,
    },
    Case {
        folder: "BPF",
        operands: include_str!("../../../specs/llvm/bpf.operands"),
        tool: "llvm-mc-bpf",
        known: "",
        triple: "bpfel",
        features: &["+alu32"],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "Lanai",
        operands: include_str!("../../../specs/llvm/lanai.operands"),
        tool: "llvm-mc-lanai",
        known: include_str!("../../../specs/tools/llvm-mc-lanai.known"),
        triple: "lanai",
        features: &[],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "LoongArch",
        operands: include_str!("../../../specs/llvm/loongarch.operands"),
        tool: "llvm-mc-loongarch",
        known: "",
        triple: "loongarch64",
        features: &[],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "MSP430",
        operands: include_str!("../../../specs/llvm/msp430.operands"),
        tool: "llvm-mc-msp430",
        known: include_str!("../../../specs/tools/llvm-mc-msp430.known"),
        triple: "msp430",
        features: &[],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "PowerPC",
        operands: include_str!("../../../specs/llvm/ppc.operands"),
        tool: "llvm-mc-ppc",
        known: include_str!("../../../specs/tools/llvm-mc-ppc.known"),
        triple: "powerpc64",
        features: &["+prefix-instrs"],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "PowerPC",
        operands: include_str!("../../../specs/llvm/ppc.operands"),
        tool: "llvm-mc-ppcle",
        known: include_str!("../../../specs/tools/llvm-mc-ppc.known"),
        triple: "powerpc64le",
        features: &["+prefix-instrs"],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "PowerPC",
        operands: include_str!("../../../specs/llvm/ppc.operands"),
        tool: "llvm-mc-ppc32",
        known: include_str!("../../../specs/tools/llvm-mc-ppc.known"),
        triple: "powerpc",
        features: &["+spe"],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "Sparc",
        operands: include_str!("../../../specs/llvm/sparc.operands"),
        tool: "llvm-mc-sparc",
        known: include_str!("../../../specs/tools/llvm-mc-sparc.known"),
        triple: "sparc",
        features: &[],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "Sparc",
        operands: include_str!("../../../specs/llvm/sparc.operands"),
        tool: "llvm-mc-sparc",
        known: include_str!("../../../specs/tools/llvm-mc-sparc.known"),
        triple: "sparc",
        features: &["+v9", "+vis", "+vis2", "+vis3"],
        peer: peer::LLVM_MC,
    },
    Case {
        folder: "SystemZ",
        operands: include_str!("../../../specs/llvm/systemz.operands"),
        tool: "llvm-mc-systemz",
        known: "",
        triple: "s390x",
        features: &["+vector"],
        peer: peer::LLVM_MC,
    },
];

/// About so many chosen words of each target are asked about.
const WORDS: usize = 4000;

/// The same of a target with many instructions, and the most words that are asked to grow patterns of it.
const SAMPLE: (usize, usize) = (2000, 10_000);

fn main() {
    let dir = corpus::folder("tablegen");
    let is_absent = dir.is_none();
    let archive = dir.unwrap_or_default().join("td.tar.xz");
    let trial = |case: &'static Case| {
        let archive = archive.clone();
        let name = format!("tablegen: {} {} beside {}", case.folder, case.features.join(""), case.tool);
        peer::trial(name, std::slice::from_ref(&case.peer), move || check(&archive, case)).with_ignored_flag(is_absent)
    };
    suite::run(CASES.iter().map(trial).collect());
}

fn check(archive: &Path, case: &Case) -> Result<(), Failed> {
    let root = corpus::unpacked(archive)?;
    let dir = root.join("llvm/lib/Target").join(case.folder);
    let include_dirs = [root.join("llvm/include"), dir.clone()].map(|dir| dir.display().to_string());
    let options = Options { include_dirs: include_dirs.into(), no_unused_warning: true, ..Default::default() };
    let name = if case.folder == "PowerPC" { "PPC" } else { case.folder };
    let top = dir.join(format!("{name}.td"));
    let mut load = |path: &str| std::fs::read(path).ok().map(Arc::from);
    let records = parse(&top.display().to_string(), std::fs::read(&top)?.into(), &options, &mut load);
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(0), case.operands, &mut problems).for_triple(case.triple);
    let isa = llvm::lower(&records, &table, &mut problems).ok_or("the target cannot be lowered")?.isa;
    let tool =
        shipped::find(case.tool).and_then(|text| tool::read(FileId(0), text, &mut problems)).ok_or("no adapter")?;
    let mut known = Known::read(FileId(0), case.known, &mut problems);
    let on = llvm::choose(&isa, &table, case.triple, "", case.features).map_err(|no| format!("{no:?}"))?;
    let plan = Plan::with_features(&isa, 0, &on).with_aliases(tool.aliases);

    let mut processes = Processes;
    let mut theirs = Foreign::new(&tool, &plan, &mut processes).map_err(told)?;
    let mut choice = choose(&plan, Wanted::default());
    let full = std::env::var_os("ISAGLOT_FULL").is_some_and(|v| !v.is_empty() && v != "0");
    let mut most = limits::GROW_WORDS;
    let mut wanted = WORDS;
    if case.folder == "AMDGPU" {
        choice.words.retain(|word| theirs.takes(word));
        (wanted, most) = if full { (choice.words.len(), most) } else { SAMPLE };
    }
    let step = choice.words.len().div_ceil(wanted.max(1)).max(1);
    choice.words = choice.words.into_iter().step_by(step).collect();
    let mut ours = Ours::new(&plan);
    let mut report = run_within(&mut ours, &choice, &mut theirs, &tool.rules, most, &mut |_| {}).map_err(told)?;
    known.mark(&mut report.findings);
    println!("{} beside {}: {} words asked, {} findings", case.folder, case.tool, report.asked, report.findings.len());
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    report.findings.iter().for_each(|finding| *kinds.entry(finding.class.kind.name()).or_default() += 1);
    println!("{kinds:?}");
    Ok(none_new(&report.findings)?)
}
