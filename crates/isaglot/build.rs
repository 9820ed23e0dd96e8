//! Compresses the texts of `specs/` that are large, and compiles the description in `specs/riscv`, so that a program starts with
//! the model and not with XML.

use std::fmt::Write as _;
use std::path::Path;

use isaglot_model::compiled::{Header, to_bytes};
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_specs::{File, LLVM, RISCV, find};
use miniz_oxide::deflate::compress_to_vec;

/// How hard DEFLATE tries, from 0 to 10.
const LEVEL: u8 = 9;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let wanted = |feature: &str| std::env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    if !wanted("SHIPPED") {
        return;
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let out = Path::new(&out);
    let code = packed(out, "RISCV", RISCV) + &packed(out, "LLVM", LLVM);
    std::fs::write(out.join("packed.rs"), code).expect("OUT_DIR is writable");
    if wanted("COMPILED") {
        std::fs::write(out.join("riscv.isa"), riscv()).expect("OUT_DIR is writable");
    }
}

/// Writes the files as one, compressed, and says how they are found in it.
fn packed(out: &Path, name: &str, files: &[File]) -> String {
    let text: String = files.iter().map(|(_, text)| *text).collect();
    std::fs::write(out.join(name), compress_to_vec(text.as_bytes(), LEVEL)).expect("OUT_DIR is writable");
    let mut code = format!("pub(crate) static {name}: Packed = Packed::new(&[\n");
    for (file, text) in files {
        writeln!(code, "    (\"{file}\", {}),", text.len()).expect("strings grow");
    }
    code + &format!("], include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\")));\n")
}

fn riscv() -> Vec<u8> {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read =
        |name: &str| find(RISCV, name).map(|text| text.as_bytes().to_vec()).ok_or_else(|| "it is not there".to_owned());
    let Some(isa) = isaglot_isaspec::load(&mut files, "riscv.xml", &mut read, &mut problems) else {
        let said: String = problems.iter().map(|d| render::text(&files, d, false)).collect();
        panic!("specs/riscv does not load\n{said}");
    };
    to_bytes(&Header::default(), &isa)
}
