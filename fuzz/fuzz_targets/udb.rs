//! Any bytes as a tree of the RISC-V Unified Database. Smoke test: crates/riscv/tests/it/udb.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_riscv::oracle::udb(data));
