//! Smoke test: crates/triage/tests/smoke.rs
//!
//! Any bytes are programs: no word is lost, and each unknown word is in a pattern.

#![no_main]

use std::sync::OnceLock;

use isaglot_model::Isa;

static ISA: OnceLock<Isa> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let isa = ISA.get_or_init(|| {
        let (mut files, mut problems) = (isaglot_source::SourceMap::new(), isaglot_source::Diagnostics::new());
        let mut read = |_: &str| Ok(include_bytes!("../../specs/minnow/minnow.xml").to_vec());
        isaglot_isaspec::load(&mut files, "minnow.xml", &mut read, &mut problems).expect("a description that ships")
    });
    isaglot_triage::oracle::check(&isaglot_codec::Plan::new(isa, 0), &[data.to_vec()]);
});
