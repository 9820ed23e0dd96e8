//! Smoke test: crates/xintf/tests/it/hostile.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_xintf::oracle::registry(data));
