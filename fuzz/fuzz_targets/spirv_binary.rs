//! Any bytes for the disassembler, under every set of options; exact text must come back. Smoke test: crates/spirv/tests/smoke_spirv.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_spirv::oracle::binary(data));
