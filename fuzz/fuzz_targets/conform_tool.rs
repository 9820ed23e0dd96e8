//! Any text as the adapter of a tool, and what the tool prints. Smoke test: crates/conform/tests/tools.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_conform::oracle::tool(data));
