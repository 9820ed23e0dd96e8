//! Any bytes for the display parser. Smoke test: crates/isaspec/tests/it/smoke.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_isaspec::oracle::display(data));
