//! Compiles the description in `specs/xe`, so that a program starts with the model and not with XML.

use std::path::Path;

use isaglot_model::compiled::{Header, from_bytes, to_bytes};
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_specs::{XE, find};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read =
        |name: &str| find(XE, name).map(|text| text.as_bytes().to_vec()).ok_or_else(|| "it is not there".to_owned());
    let Some(isa) = isaglot_isaspec::load(&mut files, "xe.xml", &mut read, &mut problems) else {
        let said: String = problems.iter().map(|d| render::text(&files, d, false)).collect();
        panic!("specs/xe does not load\n{said}");
    };
    let dir = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let bytes = to_bytes(&Header::default(), &isa);
    // The program reads them without these checks.
    from_bytes(&bytes).expect("what is written is read");
    std::fs::write(Path::new(&dir).join("xe.isa"), bytes).expect("OUT_DIR is writable");
}
