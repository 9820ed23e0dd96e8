//! Any bytes for the display parser. Smoke test: crates/isaspec/tests/smoke.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_isaspec::oracle::fuzz_display(data));
