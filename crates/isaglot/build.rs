//! Compiles the description in `specs/riscv`, so that a program starts with the model and not with XML: it is ten times as
//! large as what most programs use of it.

use std::path::Path;

use isaglot_model::compiled::{Header, to_bytes};
use isaglot_source::{Diagnostics, SourceMap, render};

const SPECS: &str = "../../specs/riscv";

fn main() {
    println!("cargo::rerun-if-changed={SPECS}");
    println!("cargo::rerun-if-changed=build.rs");
    let wanted = |feature: &str| std::env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    if !(wanted("SHIPPED") && wanted("COMPILED")) {
        return;
    }
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |name: &str| std::fs::read(Path::new(SPECS).join(name)).map_err(|e| e.to_string());
    let Some(isa) = isaglot_isaspec::load(&mut files, "riscv.xml", &mut read, &mut problems) else {
        let said: String = problems.iter().map(|d| render::text(&files, d, false)).collect();
        panic!("{SPECS} does not load\n{said}");
    };
    let dir = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&dir).join("riscv.isa"), to_bytes(&Header::default(), &isa)).expect("OUT_DIR is writable");
}
