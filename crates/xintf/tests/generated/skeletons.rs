//! Skeletons compile without edits.

use std::path::Path;

use isaglot_riscv::Xlen;
use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, Trial};
use isaglot_xintf::ast::Interface;
use isaglot_xintf::profile;
use isaglot_xintf::skeleton::{Lang, Part, skeleton};

use crate::common;

const CC: Peer = Peer { name: "cc", probe: || peer::compiles("cc", &[]) };
const CXX: Peer = Peer { name: "c++", probe: || peer::starts("c++") };

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let mut add = |what: &str, peer: Peer, test: fn(Xlen) -> Result<(), Failed>| {
            trials.push(peer::trial(format!("{what}_{}", xlen.bits()), &[peer], move || test(xlen)));
        };
        add("rust", peer::RUSTC, |xlen| compile(xlen, Lang::Rust, "device.rs", rust));
        add("c", CC, |xlen| compile(xlen, Lang::C, "device.c", |dir| cc(dir, "cc", "-std=c99")));
        add("cpp", CXX, |xlen| compile(xlen, Lang::C, "device.cpp", |dir| cc(dir, "c++", "-std=c++98")));
        add("sv", peer::IVERILOG, |xlen| compile(xlen, Lang::SystemVerilog, "device.sv", verilog));
        add("spike", CXX, |xlen| compile(xlen, Lang::Spike, "device.cc", spike));
    }
    trials
}

fn compile(xlen: Xlen, lang: Lang, file: &str, run: fn(&Path) -> Result<(), String>) -> Result<(), Failed> {
    let files: &[&str] = if xlen == Xlen::Rv32 { &["example.xintf"] } else { &["example.xintf", "wide.xintf"] };
    let set = common::interfaces(files);
    let own: Vec<&Interface> = set.own().collect();
    let parts: Vec<Part<'_>> =
        own.iter().enumerate().map(|(i, interface)| Part { sub: 64 * i as u16, interface }).collect();
    let dir = tempfile::tempdir()?;
    for parts in [&parts[..], &[]] {
        for profile in profile::builtin() {
            std::fs::write(dir.path().join(file), skeleton(parts, &profile, 16, xlen, lang))?;
            run(dir.path())?;
        }
    }
    Ok(())
}

/// Compiles, then calls the device.
fn rust(dir: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(dir.join("device.rs")).map_err(|e| e.to_string())?;
    let lib = ["--edition=2024", "--crate-type=lib", "-Dwarnings", "device.rs"];
    common::run("rustc", &lib, dir)?;
    if !text.contains("trait Mixer") {
        return Ok(());
    }
    let main = "
        mod device;
        fn main() {
            let mut d = device::Device::default();
            assert_eq!(d.call(0 | 7 << 12, 5, 6), Some(0));
            assert_eq!(d.call(64 | 2 << 12, 5, 6), Some(0));
            assert_eq!(d.call(64 | 1 << 12, 5, 6), None);
            assert_eq!(d.call(1, 5, 6), None);
        }
    ";
    std::fs::write(dir.join("main.rs"), main).map_err(|e| e.to_string())?;
    common::run("rustc", &["--edition=2024", "-Adead_code", "main.rs", "-o", "main"], dir)?;
    common::run(&dir.join("main").display().to_string(), &[], dir)
}

fn cc(dir: &Path, program: &str, std: &str) -> Result<(), String> {
    let file = if program == "cc" { "device.c" } else { "device.cpp" };
    let flags = [std, "-Wall", "-Wextra", "-pedantic", "-Wno-long-long", "-Werror", "-c", file, "-o", "device.o"];
    common::run(program, &flags, dir)
}

fn verilog(dir: &Path) -> Result<(), String> {
    common::run("iverilog", &["-g2012", "-Wall", "-o", "device.out", "device.sv"], dir)
}

/// The part of Spike's plug-in interface that the glue uses, written down for this test.
fn spike(dir: &Path) -> Result<(), String> {
    let headers = [
        (
            "extension.h",
            "#pragma once
#include <cstdint>
#include <functional>
#include <vector>
typedef uint64_t reg_t;
typedef int64_t sreg_t;
class processor_t;
class disasm_insn_t;
class insn_t {
public:
    uint64_t bits() const { return 0; }
    uint64_t rd() const { return 0; }
    uint64_t rs1() const { return 0; }
    uint64_t rs2() const { return 0; }
};
typedef reg_t (*insn_func_t)(processor_t *, insn_t, reg_t);
struct insn_desc_t {
    uint32_t match, mask;
    insn_func_t a, b, c, d, e, f, g, h;
};
class extension_t {
public:
    virtual std::vector<insn_desc_t> get_instructions() = 0;
    virtual std::vector<disasm_insn_t *> get_disasms() = 0;
    virtual const char *name() = 0;
    virtual ~extension_t() {}
};
void register_extension(const char *, std::function<extension_t *()>);
#define REGISTER_EXTENSION(name, make) static struct r_##name { r_##name() { register_extension(#name, make); } } r_##name;
",
        ),
        (
            "processor.h",
            "#pragma once
#include <riscv/extension.h>
struct regs { reg_t operator[](uint64_t) const { return 0; } void write(uint64_t, reg_t) {} };
struct state_t { regs XPR; };
class processor_t {
public:
    state_t *get_state() { return &state; }
    unsigned get_xlen() { return 64; }
private:
    state_t state;
};
",
        ),
        ("trap.h", "#pragma once\nstruct trap_illegal_instruction { explicit trap_illegal_instruction(uint64_t) {} };\n"),
    ];
    std::fs::create_dir_all(dir.join("riscv")).map_err(|e| e.to_string())?;
    for (name, text) in headers {
        std::fs::write(dir.join("riscv").join(name), text).map_err(|e| e.to_string())?;
    }
    let flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I.", "-fPIC", "-c", "device.cc", "-o", "device.o"];
    common::run("c++", &flags, dir)
}
