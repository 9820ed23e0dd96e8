//! Any bytes for the XML reader, validation and lowering. Smoke test: crates/isaspec/tests/it/smoke.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_isaspec::oracle::description(data));
