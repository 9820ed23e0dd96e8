//! Smoke test: crates/xintf/tests/hostile.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_xintf::oracle::registry(data));
