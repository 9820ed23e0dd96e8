//! Smoke test: crates/llvm/tests/smoke_targets.rs
//!
//! Any bytes are an operand table, or errors, and lower a description within bounds.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_llvm::oracle::check_any_table(data));
