//! The corpus of the SPIR-V assembler and disassembler: every record of every file, compared exactly.
//!
//! `ISAGLOT_CORPUS` names the folder (default `../shared/corpus` beside the workspace); without it the cases are
//! reported as ignored. Each case prints how many of how many passed and fails below its bar.

#[path = "corpus/assemble.rs"]
mod assemble;
#[path = "corpus/disassemble.rs"]
mod disassemble;
#[path = "corpus/files.rs"]
mod files;
#[path = "corpus/laws.rs"]
mod laws;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let args = Arguments::from_args();
    let corpus = files::folder();
    if corpus.is_none() {
        eprintln!("spirv: no corpus folder, corpus cases are ignored");
    }
    let mut trials = Vec::new();
    for (name, case) in assemble::CASES.iter().chain(disassemble::CASES).chain(laws::CASES) {
        let corpus = corpus.clone();
        let ignored = corpus.is_none();
        let run = move || match corpus {
            Some(folder) => case(&folder),
            None => Ok(()),
        };
        trials.push(Trial::test(format!("spirv::{name}"), run).with_ignored_flag(ignored));
    }
    libtest_mimic::run(&args, trials).exit();
}
