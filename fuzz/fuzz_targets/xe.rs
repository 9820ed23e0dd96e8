//! Smoke test: crates/xe/tests/smoke.rs
//! Arbitrary bytes as Xe binaries, texts and listings.
#![no_main]

use isaglot_xe::oracle::exercise;
use isaglot_xe::{Description, Platform, Xe};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    thread_local! {
        static DESCRIPTION: Option<Description> = Description::embedded();
    }
    DESCRIPTION.with(|description| {
        if let Some(mut xe) = description.as_ref().and_then(|d| Xe::new(d, Platform::XeHpc))
            && let Err(e) = exercise(&mut xe, data)
        {
            panic!("{e}");
        }
    });
});
