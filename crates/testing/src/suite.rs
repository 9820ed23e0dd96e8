//! Test binaries with `harness = false`, whose tests are found at run time: one for each file or target.

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};

/// A test that gets the folder of its system in the corpus.
pub type Case = fn(&Path) -> Result<(), Failed>;

/// Runs the tests, with the options of the command line, and ends the process.
pub fn run(trials: Vec<Trial>) -> ! {
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

/// Runs the tests that `trials` makes from the folder of a system; where there is no corpus, one ignored test says so.
pub fn run_corpus(system: &str, trials: impl FnOnce(&Path) -> Vec<Trial>) -> ! {
    run(match crate::corpus::folder(system) {
        Some(folder) => trials(&folder),
        None => vec![no_corpus(system)],
    })
}

/// Runs named tests that get the folder of a system; where there is no corpus, each is reported as ignored.
pub fn run_corpus_cases(system: &str, cases: &[(&str, Case)]) -> ! {
    run(corpus_cases(system, cases))
}

/// The tests of [`run_corpus_cases`], for a binary that has others too.
#[must_use]
pub fn corpus_cases(system: &str, cases: &[(&str, Case)]) -> Vec<Trial> {
    let folder = crate::corpus::folder(system);
    let trial = |&(name, case): &(&str, Case)| {
        let (absent, folder) = (folder.is_none(), folder.clone().unwrap_or_default());
        Trial::test(name, move || case(&folder)).with_ignored_flag(absent)
    };
    cases.iter().map(trial).collect()
}

/// An ignored test that says that there is no corpus.
#[must_use]
pub fn no_corpus(system: &str) -> Trial {
    Trial::test(format!("{system}: no corpus (set ISAGLOT_CORPUS)"), || Ok(())).with_ignored_flag(true)
}

/// One test for each file, named after it; see [`crate::bless::cases`].
#[must_use]
pub fn file_cases(prefix: &str, files: Vec<std::path::PathBuf>, case: Case) -> Vec<Trial> {
    let name = |path: &Path| format!("{prefix}::{}", path.file_stem().unwrap_or_default().to_string_lossy());
    files.into_iter().map(|path| Trial::test(name(&path), move || case(&path))).collect()
}
