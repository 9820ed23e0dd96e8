//! Smoke test: crates/machine/tests/it/smoke.rs
//! Arbitrary bytes as a program of minnow, of trio and of any description before a line `---`: each step by both ways to run a text.
#![no_main]

use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};
use libfuzzer_sys::fuzz_target;

/// A line between a description and a program for it.
const BREAK: &[u8] = b"\n---\n";

/// A shipped description.
fn shipped(name: &str) -> Option<Isa> {
    let dir = format!("{}/../specs/{name}/", env!("CARGO_MANIFEST_DIR"));
    let mut read = |name: &str| std::fs::read(format!("{dir}{name}")).map_err(|e| e.to_string());
    isaglot_isaspec::load(&mut SourceMap::new(), &format!("{name}.xml"), &mut read, &mut Diagnostics::new())
}

fuzz_target!(|data: &[u8]| {
    thread_local! {
        static ISAS: Vec<Isa> = ["minnow", "trio"].into_iter().filter_map(shipped).collect();
    }
    let at = data.windows(BREAK.len()).position(|part| part == BREAK);
    if let Some(at) = at {
        let mut read = |_: &str| Ok(data[..at].to_vec());
        let isa = isaglot_isaspec::load(&mut SourceMap::new(), "any.xml", &mut read, &mut Diagnostics::new());
        isa.iter().for_each(|isa| isaglot_machine::oracle::exercise(isa, 0, &data[at + BREAK.len()..]));
    }
    ISAS.with(|isas| isas.iter().for_each(|isa| isaglot_machine::oracle::exercise(isa, 0, data)));
});
