//! Any bytes as a question of JavaScript about a shipped description. Smoke test: crates/wasm/tests/questions.rs
#![no_main]

use isaglot_wasm::{Session, message};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut session = Session::default();
    let minnow = include_bytes!("../../specs/minnow/minnow.xml");
    session.ask(&message::write(r#"{"do":"load","files":["minnow.xml"]}"#, &[minnow]));
    session.ask(data);
    let (object, bytes) = data.split_at(data.len() / 2);
    session.ask(&message::write(&String::from_utf8_lossy(object), &[bytes]));
});
