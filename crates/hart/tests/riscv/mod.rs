//! The description that the tests of this crate run on.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The description of RISC-V.
pub(crate) fn isa() -> Isa {
    let dir = root().join("specs/riscv");
    let mut problems = Diagnostics::new();
    let mut read = |name: &str| std::fs::read(dir.join(name)).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut SourceMap::new(), "riscv.xml", &mut read, &mut problems);
    isa.unwrap_or_else(|| panic!("{:?}", problems.iter().map(|d| &d.message).collect::<Vec<_>>()))
}

const NAMES: &str =
    "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6";

/// The number of a register by its ABI name.
pub(crate) fn register(name: &str) -> u8 {
    let at = NAMES.split(' ').position(|n| n == name);
    at.unwrap_or_else(|| panic!("no register `{name}`")) as u8
}
