//! Smoke test: crates/asm/tests/it/programs.rs
#![no_main]

use isaglot_asm::{Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_source::{Diagnostics, SourceMap};

// Arbitrary bytes as a program, by the description of several lengths that ships with the project.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let spec = include_bytes!("../../specs/minnow/minnow.xml");
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |_: &str| Ok(spec.to_vec());
    let Some(isa) = isaglot_isaspec::load(&mut files, "minnow.xml", &mut read, &mut problems) else { return };
    let plan = Plan::new(&isa, 0);
    let mut stream = Stream::new(&plan, Options { labels: true, ..Options::default() }, bytes.len() as u64);
    let mut text = Vec::new();
    stream.mark(bytes);
    stream.feed(bytes, &mut Plain, &mut text);
});
