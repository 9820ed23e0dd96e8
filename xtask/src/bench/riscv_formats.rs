//! RISC-V as others publish it: the Unified Database and riscv-opcodes read whole, checked, and compared with each other and with
//! LLVM's records. The archives are unpacked once, under the folder of benchmarks.

use std::path::{Path, PathBuf};

use super::Row;
use super::tablegen::{unpack, unpacked};

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let dir = super::folder()?.join("riscv-formats");
    let archives = super::corpus()?.join("riscv");
    let folder = |name: &str| -> Result<PathBuf, String> {
        let folder = dir.join(name);
        if !folder.is_dir() {
            unpack(&archives.join(format!("{name}.tar.xz")), &dir)?;
        }
        Ok(folder)
    };
    let shown = |path: &Path| path.display().to_string();
    let (udb, opcodes) = (shown(&folder("udb")?.join("spec/std/isa")), shown(&folder("opcodes")?));
    let llvm = unpacked()?;
    let targets = llvm.join("llvm/lib/Target/RISCV");
    let include = |path: &Path| format!("-I{}", path.display());
    let words = dir.join("one.words");
    std::fs::write(&words, "13050500\n").map_err(|e| format!("{}: {e}", words.display()))?;
    let disasm = |spec: &str| ["disasm", "--spec", spec, "--gen", "rv64", "--words", &shown(&words)].map(str::to_owned);
    let three = [&udb, &opcodes, &shown(&targets.join("RISCV.td"))].map(|s: &String| s.clone());
    let three =
        ["diff".to_owned()].into_iter().chain(three).chain([include(&llvm.join("llvm/include")), include(&targets)]);
    let list = |args: &[&str]| args.iter().map(|a| (*a).to_owned()).collect::<Vec<String>>();
    let row = |name: &str, args: Vec<String>| Row { name: name.to_owned(), args, units: 1, count: true, peer: None };
    Ok(vec![
        row("Unified Database, one word", disasm(&udb).to_vec()),
        row("riscv-opcodes, one word", disasm(&opcodes).to_vec()),
        row("check the Unified Database", list(&["check", &udb])),
        row("check riscv-opcodes", list(&["check", &opcodes])),
        row("diff of both", list(&["diff", &udb, &opcodes])),
        row("diff of both and the shipped description", list(&["diff", &udb, &opcodes, "--isa", "riscv"])),
        row("diff of both and LLVM's records", three.collect()),
    ])
}
