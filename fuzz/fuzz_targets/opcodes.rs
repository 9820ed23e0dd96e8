//! Any bytes as a tree of riscv-opcodes. Smoke test: crates/riscv/tests/it/opcodes.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_riscv::oracle::opcodes(data));
