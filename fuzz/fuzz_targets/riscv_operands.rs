//! Any text as a table of what published formats of RISC-V do not say. Smoke test: crates/riscv/tests/it/operands.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| isaglot_riscv::oracle::operands(text));
