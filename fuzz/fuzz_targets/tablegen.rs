//! Smoke test: crates/tablegen/tests/it/smoke.rs
//!
//! Any bytes are TableGen, or an error, within bounds.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_tablegen::oracle::check_any_input(data));
