//! Adapters of machines from LLVM's records beside their tools: every few of the chosen words, and nothing may differ that the ledger does not have.
//! Needs the targets of the corpus. All words are a matter of minutes; docs/findings.md has what they came to.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use isaglot_codec::Plan;
use isaglot_conform::choose::{Wanted, choose};
use isaglot_conform::{Foreign, Job, Known, Ours, Output, Runner, run, shipped, tool};
use isaglot_llvm as llvm;
use isaglot_source::{Diagnostic, Diagnostics, FileId};
use isaglot_tablegen::{Options, parse};
use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, corpus, suite};

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

    let mut choice = choose(&plan, Wanted::default());
    let step = choice.words.len().div_ceil(WORDS);
    choice.words = choice.words.into_iter().step_by(step).collect();
    let mut processes = Processes;
    let mut theirs = Foreign::new(&tool, &plan, &mut processes).map_err(told)?;
    let mut report = run(&mut Ours::new(&plan), &choice, &mut theirs, &tool.rules, &mut |_| {}).map_err(told)?;
    known.mark(&mut report.findings);
    let new: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| finding.known.is_none())
        .map(|f| {
            format!("{} {}: 0x{}: {:?}, not {:?}", f.class.kind.name(), f.class.name, f.witness.hex(), f.theirs, f.ours)
        })
        .collect();
    println!("{} beside {}: {} words asked, {} findings", case.folder, case.tool, report.asked, report.findings.len());
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    report.findings.iter().for_each(|finding| *kinds.entry(finding.class.kind.name()).or_default() += 1);
    println!("{kinds:?}");
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
        let fill = |word: &String| {
            let word = word.replace("{input}", &input.display().to_string());
            word.replace("{work}", &folder.path().display().to_string())
        };
        let words: Vec<String> = words.iter().map(fill).collect();
        let Some((program, arguments)) = words.split_first() else { continue };
        let output = Command::new(program)
            .args(arguments)
            .envs(job.environment.iter().map(|(name, text)| (name, text)))
            .stdin(Stdio::from(File::open(&input)?))
            .output()?;
        all.signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
        if all.signal.is_some() {
            break;
        }
        if !output.status.success() && !job.any_status {
            return Err(std::io::Error::other(format!("{program} failed with {}", output.status)));
        }
        all.out = String::from_utf8_lossy(&output.stdout).into_owned();
        all.err.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    Ok(all)
}
