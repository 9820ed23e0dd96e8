//! What the tests of all crates share.
#![doc = include_str!("../README.md")]

pub mod bless;
pub mod corpus;
pub mod edits;
pub mod flow;
pub mod ledger;
pub mod peer;
pub mod programs;
pub mod random;
pub mod suite;
pub mod tally;

pub use libtest_mimic::{Failed, Trial};
pub use random::Random;
pub use tally::Tally;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The root folder of the workspace.
#[must_use]
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// How many differences a failing test shows: `ISAGLOT_SHOW`, or 20.
#[must_use]
pub fn shown() -> usize {
    std::env::var("ISAGLOT_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(20)
}

/// How many random cases a test tries: `all` of them where every peer is required, as in `.ci/run`, and the first tenth
/// elsewhere, for a run that compiles without optimisation has to be short. The peer's variable decides, so that no second
/// one can be forgotten.
#[must_use]
pub fn rounds(all: usize) -> usize {
    if peer::required() { all } else { all.div_ceil(10) }
}

/// Runs a case so many times, and prints how many passed and how long the slowest took. Nothing fails for its time: what bounds that
/// is a limit on work.
pub fn slowest(set: &str, rounds: usize, mut one: impl FnMut()) {
    let mut most = Duration::ZERO;
    for _ in 0..rounds {
        let start = Instant::now();
        one();
        most = most.max(start.elapsed());
    }
    println!("{set}: {rounds}/{rounds}, the slowest in {} ms", most.as_millis());
}

/// The first line of a text without tabs, and at most `most` characters of it.
pub(crate) fn first_line(text: &str, most: usize) -> String {
    let line = text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("(no reason given)").replace('\t', " ");
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
