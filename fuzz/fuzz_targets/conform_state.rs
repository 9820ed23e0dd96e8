//! Any text as the state of a sweep. Smoke test: crates/conform/tests/sweep.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_conform::oracle::state(data));
