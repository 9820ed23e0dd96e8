//! Smoke test: crates/xe/tests/smoke.rs
//! Arbitrary bytes as Xe binaries, texts and listings.
#![no_main]

use isaglot_xe::exercise::exercise;
use isaglot_xe::{Platform, Xe};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    thread_local! {
        static XE: std::cell::RefCell<Option<Xe>> = std::cell::RefCell::new(Xe::new(Platform::XeHpc));
    }
    XE.with_borrow_mut(|xe| {
        if let Some(xe) = xe
            && let Err(e) = exercise(xe, data)
        {
            panic!("{e}");
        }
    });
});
