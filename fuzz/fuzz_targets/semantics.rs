//! Smoke test: crates/semantics/tests/it/hostile.rs
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    isaglot_semantics::oracle::any_text(text);
});
