//! Compiles the description in `specs/riscv`, so that a program starts with the model and not with XML: it is ten times as
//! large as what most programs use of it.

use std::path::Path;

use isaglot_model::compiled::{Header, to_bytes};
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_specs::{RISCV, find};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let wanted = |feature: &str| std::env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    if !(wanted("SHIPPED") && wanted("COMPILED")) {
        return;
    }
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read =
        |name: &str| find(RISCV, name).map(|text| text.as_bytes().to_vec()).ok_or_else(|| "it is not there".to_owned());
    let Some(isa) = isaglot_isaspec::load(&mut files, "riscv.xml", &mut read, &mut problems) else {
        let said: String = problems.iter().map(|d| render::text(&files, d, false)).collect();
        panic!("specs/riscv does not load\n{said}");
    };
    let dir = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&dir).join("riscv.isa"), to_bytes(&Header::default(), &isa)).expect("OUT_DIR is writable");
}
