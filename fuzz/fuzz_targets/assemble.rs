//! Any bytes as the source of a program for a shipped description. Smoke test: crates/asm/tests/it/sources.rs
#![no_main]

use std::sync::OnceLock;

use isaglot_codec::Plan;
use isaglot_model::Isa;

static ISA: OnceLock<Isa> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let isa = ISA.get_or_init(|| {
        let (mut files, mut out) =
            (isaglot_source::SourceMap::new(), isaglot_source::Diagnostics::new());
        let mut read = |_: &str| Ok(include_bytes!("../../specs/minnow/minnow.xml").to_vec());
        isaglot_isaspec::load(&mut files, "minnow.xml", &mut read, &mut out).expect("a shipped description")
    });
    isaglot_asm::oracle::assemble(&Plan::new(isa, 0), data);
});
