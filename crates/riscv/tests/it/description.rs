//! The description of RISC-V that the project ships. The tests of crates that stand on this one use this file too.
#![allow(dead_code)]

use std::path::Path;

use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_riscv::isa_name;
use isaglot_source::{Diagnostics, SourceMap, render};

/// Loads `specs/riscv`, which must be without any finding.
pub(crate) fn isa() -> Isa {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/riscv/riscv.xml");
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |path: &str| std::fs::read(path).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut files, &top.display().to_string(), &mut read, &mut problems);
    let text: String = problems.iter().map(|d| render::text(&files, d, false)).collect();
    assert!(problems.is_empty(), "{text}");
    isa.expect("a description")
}

/// The usual features with another encoding profile and number of commands.
pub(crate) fn plan<'a>(isa: &'a Isa, xlen: u64, profile: &str, commands: u64) -> Plan<'a> {
    plan_without(isa, xlen, profile, commands, &[])
}

/// The same without some features.
pub(crate) fn plan_without<'a>(isa: &'a Isa, xlen: u64, profile: &str, commands: u64, off: &[&str]) -> Plan<'a> {
    let has = |name: &str, default: bool| default && !off.contains(&name);
    let on = isa_name::features(isa, profile, commands as u32, &has);
    Plan::with_features(isa, xlen as u32, &on)
}
