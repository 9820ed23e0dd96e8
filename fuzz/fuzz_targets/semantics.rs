//! Smoke test: crates/semantics/tests/hostile.rs
#![no_main]

use isaglot_semantics::{Env, Symbol, check, parse};
use isaglot_source::{Diagnostics, SourceMap};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut files = SourceMap::new();
    let file = files.add("fuzz", text.as_bytes());
    let mut env = Env::new(&[("xlen", 32)]);
    let x = env.file("x", 32, 32);
    env.operand("rd", Symbol::Register { file: x, read: true, write: true });
    let mut problems = Diagnostics::new();
    if let Some(tree) = parse(file, 0, text, &mut problems) {
        check(&tree, &env, &mut problems);
    }
});
