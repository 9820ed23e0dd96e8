//! Smoke test: crates/hart/tests/it/hostile.rs
//! Arbitrary bytes as a machine's configuration and as a program on it.
#![no_main]

use isaglot_model::Isa;
use libfuzzer_sys::fuzz_target;

/// The shipped description.
fn isa() -> Option<Isa> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/riscv/");
    let mut read = |name: &str| std::fs::read(format!("{dir}{name}")).map_err(|e| e.to_string());
    let mut files = isaglot_source::SourceMap::new();
    isaglot_isaspec::load(&mut files, "riscv.xml", &mut read, &mut isaglot_source::Diagnostics::new())
}

fuzz_target!(|data: &[u8]| {
    thread_local! {
        static ISA: Option<Isa> = isa();
    }
    ISA.with(|isa| {
        if let Some(isa) = isa {
            isaglot_hart::oracle::exercise(isa, data);
        }
    });
});
