//! The corpus `xext`: findings, words to text and back, programs, and calls named through data flow.

#[path = "../../../riscv/tests/it/description.rs"]
mod description;
mod lint;
mod vectors;

use isaglot_testing::suite;

fn main() {
    suite::run_corpus_cases(
        "xext",
        &[
            ("xext_lint_exact", lint::run),
            ("xext_rv_vectors_plain", |dir| vectors::disassembled(dir, false)),
            ("xext_rv_vectors_aliases", |dir| vectors::disassembled(dir, true)),
            ("xext_rv_vectors_assemble", vectors::assembled),
            ("xext_cases_assemble", vectors::cases),
            ("xext_dis_names", vectors::names),
        ],
    );
}
