//! The sites of the corpus's descriptions.

mod common;
mod described;

use isaglot_testing::suite;

fn main() {
    suite::run_corpus("isaspec", |folder| {
        let trials = described::trials("isaspec_pages_", &folder.join("xml"));
        assert!(!trials.is_empty(), "the corpus has no descriptions");
        trials
    })
}
