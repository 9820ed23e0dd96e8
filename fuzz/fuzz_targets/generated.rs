//! Any bytes as instructions, and as a text, for the tables of generated code: nothing panics, and what is assembled
//! prints as the text. Smoke test: crates/emit/tests/corpus_isaspec_generated.rs
#![no_main]

use std::sync::OnceLock;

use isaglot_codec::Plan;
use isaglot_emit::blueprint::Blueprint;
use isaglot_emit::runtime::{hooks::Plain, out::Out, read, stream, tables};
use isaglot_model::Isa;

static ISA: OnceLock<Isa> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let isa = ISA.get_or_init(|| {
        let (mut files, mut out) = (isaglot_source::SourceMap::new(), isaglot_source::Diagnostics::new());
        let mut read = |_: &str| Ok(include_bytes!("../../specs/minnow/minnow.xml").to_vec());
        isaglot_isaspec::load(&mut files, "minnow.xml", &mut read, &mut out).expect("a shipped description")
    });
    let plan = Plan::new(isa, 0);
    let blueprint = Blueprint::new(&plan, tables::LIMBS).expect("a shipped description");
    let tables = blueprint.tables();
    let (mut got, mut wanted) = (Vec::new(), Vec::new());
    let mut sink = |text: &[u8]| got.extend_from_slice(text);
    let mut out = Out::new(&mut sink);
    stream::Stream::new(&tables, stream::Options::default(), None).feed(data, &mut Plain, &mut out);
    drop(out);
    let mut engine = isaglot_asm::Stream::new(&plan, isaglot_asm::Options::default(), 0);
    engine.feed(data, &mut isaglot_asm::Plain, &mut wanted);
    assert_eq!(got, wanted);
    let _ = read::read(&tables, data, Default::default(), &mut Plain);
});
