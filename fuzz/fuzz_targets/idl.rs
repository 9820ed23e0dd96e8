//! Any text as declarations and an instruction in IDL. Smoke test: crates/riscv/tests/it/idl.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    isaglot_riscv::oracle::idl(text);
});
