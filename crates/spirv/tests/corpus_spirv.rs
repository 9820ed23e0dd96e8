//! The corpus of the SPIR-V assembler and disassembler: every record of every file, compared exactly.
//!
//! Each case prints how many of how many rows passed; the rows that fail are in `tests/ledger/spirv.txt`, with reasons.

#[path = "corpus/assemble.rs"]
mod assemble;
#[path = "corpus/disassemble.rs"]
mod disassemble;
#[path = "corpus/files.rs"]
mod files;
#[path = "corpus/laws.rs"]
mod laws;

fn main() {
    let cases = [assemble::CASES, disassemble::CASES, laws::CASES].concat();
    isaglot_testing::suite::run_corpus_cases("spirv", &cases);
}
