//! Smoke test: crates/xintf/tests/it/hostile.rs
#![no_main]

use std::sync::OnceLock;

use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};

/// The description that the project ships.
fn riscv() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| {
        let top = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/riscv/riscv.xml");
        let mut read = |path: &str| std::fs::read(path).map_err(|e| e.to_string());
        isaglot_isaspec::load(&mut SourceMap::new(), top, &mut read, &mut Diagnostics::new()).expect("a description")
    })
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    isaglot_xintf::oracle::assembly(data, &isaglot_codec::Plan::new(riscv(), 64));
});
