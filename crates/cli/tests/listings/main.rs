//! Listings of everything in the corpus: of the published schema, the same after reading and writing.

mod check;
mod files;
mod isaspec;
mod links;
mod others;

use isaglot_testing::{corpus, suite};

fn main() {
    let mut trials = isaspec::trials(corpus::folder("isaspec"));
    trials.extend(others::trials());
    suite::run(trials);
}
