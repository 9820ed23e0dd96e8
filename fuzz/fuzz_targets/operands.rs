//! Smoke test: crates/tablegen/tests/smoke.rs
//!
//! Any bytes are an operand table, or errors, and lower a description within bounds.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_tablegen::isa::check_any_input(data));
