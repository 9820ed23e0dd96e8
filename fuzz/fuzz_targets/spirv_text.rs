//! Any bytes for the assembler, in every mode; what assembles must come back. Smoke test: crates/spirv/tests/smoke_spirv.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isaglot_spirv::oracle::text(data));
