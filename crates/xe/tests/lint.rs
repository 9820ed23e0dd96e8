//! The rules that whole kernels keep: beside `iga64` on random instructions, and on what compilers make.

#[path = "lint/compiled.rs"]
mod compiled;
#[path = "lint/generated.rs"]
mod generated;
#[path = "lint/regions.rs"]
mod regions;
#[path = "lint/removed.rs"]
mod removed;

use isaglot_testing::peer::{self, IGA64};
use isaglot_testing::{Trial, suite};

fn main() {
    let cases: [(&str, suite::Case); 2] = [
        ("compilers_keep_the_rules_and_wait", compiled::are_clean),
        ("a_wait_that_is_needed_is_missed", removed::are_missed),
    ];
    let mut trials = suite::corpus_cases("xe", &cases);
    trials.push(Trial::test("every_rule_has_a_code", || {
        regions::codes();
        Ok(())
    }));
    trials.push(Trial::test("generated_kernels_wait", generated::generated));
    trials.push(peer::trial("peer_regions", &[IGA64], regions::beside_iga64));
    suite::run(trials);
}
