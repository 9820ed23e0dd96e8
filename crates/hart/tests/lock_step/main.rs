//! Machine code and the interpreter in lock step on programs with vectors, with contexts and of Linux. Random programs of scalars, of privilege and of
//! commands are in `../it/lock_step*.rs`.

#[path = "../it/assembled.rs"]
mod assembled;
mod contexts;
#[path = "../../../riscv/tests/it/description.rs"]
mod description;
mod linux;
mod pair;
mod vectors;

use std::path::Path;

use isaglot_testing::{Trial, bless, suite};

fn main() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut trials = vec![
        Trial::test("vectors::random_programs", vectors::random),
        Trial::test("contexts::switches", contexts::switches),
    ];
    for folder in ["lock_step/vectors", "it/ciphers"] {
        let files = bless::cases(&tests.join(folder), ".s");
        trials.extend(suite::file_cases("vectors", files, vectors::written));
    }
    trials.extend(linux::trials());
    suite::run(trials);
}
