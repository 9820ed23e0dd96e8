//! Every tool of this crate over arbitrary bytes: what the fuzz targets and their smoke test call. Nothing here may
//! panic, and what is accepted must come out as it went in.

use isaglot_codec::Plan;
use isaglot_riscv::Xlen;
use isaglot_riscv::steps::{Facts, steps};
use isaglot_source::{Diagnostics, SourceMap};

use crate::assembly::Interfaces;
use crate::ast::Interface;
use crate::check::{Target, check};
use crate::header::{self, header};
use crate::skeleton::{self, Part, skeleton};
use crate::{map, name, profile, registry, resolve, set};

/// A definition file: parsed, checked for both widths, and turned into everything that is made of it.
pub fn interfaces(data: &[u8]) {
    let mut files = SourceMap::new();
    let id = files.add("fuzz", data);
    let mut found = Diagnostics::new();
    let all = set::load(&mut files, &[id], |_, _, _| None, &mut found);
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let mut found = found.clone();
        let target = Target { xlen, commands: 8 };
        check(all.written(), target, &mut found);
        for d in &found {
            assert!(d.labels.iter().all(|l| files.get(l.span.file).is_some()), "{} is nowhere", d.code);
        }
        if found.has_errors() {
            continue;
        }
        let own: Vec<&Interface> = all.own().collect();
        for interface in &own {
            let full = &interface.name.text;
            assert_eq!(name::demangle(&name::mangle(full)).as_ref(), Some(full), "mangling cannot be undone");
        }
        let parts: Vec<Part<'_>> = own.iter().map(|&interface| Part { sub: 0, interface }).collect();
        for profile in profile::builtin() {
            for lang in [header::Lang::C, header::Lang::Asm, header::Lang::Rust] {
                header(&own, &profile, lang);
            }
            use skeleton::Lang;
            for lang in [Lang::Rust, Lang::C, Lang::SystemVerilog, Lang::Spike] {
                skeleton(&parts, &profile, target.commands, xlen, lang);
            }
        }
    }
}

/// A map file, and as profiles: read, built, checked and written.
pub fn map(data: &[u8]) {
    let mut files = SourceMap::new();
    let id = files.add("fuzz", data);
    let mut found = Diagnostics::new();
    profile::parse(id, data, &mut Diagnostics::new());
    let all = set::load(&mut files, &[], |_, _, _| None, &mut found);
    let mut read = map::read(id, data, &all, Xlen::Rv64, &mut found);
    map::build(&mut read, &mut found);
    map::lint(&read, map::Options { deputy: true }, &mut found);
    if found.has_errors() {
        return;
    }
    map::emit::c(&read);
    map::emit::rust(&read);
    let text = map::emit::json(&read);
    let mut again = Diagnostics::new();
    let back = map::read(id, text.to_string().as_bytes(), &all, Xlen::Rv64, &mut again);
    map::lint(&back, map::Options::default(), &mut again);
    assert!(!again.has_errors(), "a map that was written is not a good map");
    assert_eq!(map::emit::json(&back), text, "a map changes when it is read back");
}

/// A registry: read, checked, merged with itself and written.
pub fn registry(data: &[u8]) {
    let mut files = SourceMap::new();
    let id = files.add("fuzz", data);
    let mut found = Diagnostics::new();
    let read = registry::parse(id, data, &mut found);
    registry::check(&read, &mut found);
    let merged = registry::merge([&read, &read], &mut Diagnostics::new());
    if found.has_errors() {
        return;
    }
    let text = registry::print(&merged);
    let back = registry::parse(id, text.as_bytes(), &mut found);
    assert_eq!(registry::print(&back), text, "a registry changes when it is read back");
}

/// A program in RISC-V assembly that may import the given interfaces.
pub fn assembly(data: &[u8], plan: &Plan<'_>) {
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let definitions = files.add("defs", EXAMPLE.as_bytes());
    let set = set::load(&mut files, &[definitions], |_, _, _| None, &mut found);
    let xlen = Xlen::of(plan.generation());
    isaglot_riscv::oracle::assembly(data, plan, &mut Interfaces::new(&set, xlen));
    // Whatever it is as code, it is followed without harm.
    let steps = steps(plan, &Facts::new(plan), xlen, data);
    resolve::resolve(&steps, &[0, 2, 6], xlen.bits(), &|uuid| uuid % 2 == 0);
}

/// The interface that [`assembly`] offers.
const EXAMPLE: &str = "a.b:C{ uuid: 0x345 c rd rs1 rs2: xcmd0 rd rs1 rs2 d rd rs1 rs2: xcmd1 rd rs2 rs1 }";
