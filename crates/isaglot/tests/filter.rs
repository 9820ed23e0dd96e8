//! `disasm --filter` beside GNU objdump: every line that it prints for a custom instruction gets its name, and no other
//! byte changes.

use std::path::Path;
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

const OBJDUMP: &str = "riscv64-linux-gnu-objdump";

const INTERFACES: &str =
    "org.tinker.tinker:RocknRoll{ uuid: 0x12345 rock rd rs1 rs2: xcmd0 rd rs1 rs2 roll rd rs1 rs2: xcmd1 rd rs1 rs2 }";

fn main() {
    let there = Command::new(OBJDUMP).arg("--version").output().is_ok();
    let required = std::env::var_os("ISAGLOT_REQUIRE_PEERS").is_some();
    let trial = Trial::test("peer_objdump", names_all).with_ignored_flag(!there && !required);
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}

/// A program of calls through handles, with ordinary instructions between them.
fn program() -> (String, usize) {
    let mut text = "import(org.tinker.tinker:RocknRoll)\nstart:\n".to_owned();
    let mut custom = 0;
    for i in 0..50 {
        let (rd, handle, rs) = (10 + i % 8, 18 + i % 10, 10 + i % 5);
        text += &format!("lui x{handle}, org.tinker.tinker:RocknRoll:uuid\nxext x{handle}, x{handle}, x{rs}\n");
        text += &format!("org.tinker.tinker:RocknRoll:rock x{rd}, x{handle}, x{rs}\naddi x{rs}, x{rs}, {i}\n");
        text += &format!("org.tinker.tinker:RocknRoll:roll x{rd}, x{handle}, x{rs}\nbnez x{rd}, start\n");
        custom += 3;
    }
    (text, custom)
}

fn run(dir: &Path, program: &str, args: &[&str]) -> Result<String, Failed> {
    let done = Command::new(program).args(args).current_dir(dir).output()?;
    if !done.status.success() {
        return Err(format!("{program} {args:?}: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    Ok(String::from_utf8(done.stdout)?)
}

fn names_all() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let at = dir.path();
    let (text, custom) = program();
    std::fs::write(at.join("i.xintf"), INTERFACES)?;
    std::fs::write(at.join("p.s"), text)?;
    let isaglot = env!("CARGO_BIN_EXE_isaglot");
    run(at, isaglot, &["asm", "--isa", "rv64gc_xext", "--xintf", "i.xintf", "p.s", "-o", "p.bin"])?;
    let listing = run(at, OBJDUMP, &["-D", "-b", "binary", "-m", "riscv:rv64", "p.bin"])?;
    std::fs::write(at.join("p.txt"), &listing)?;
    let named = run(at, isaglot, &["disasm", "--isa", "rv64gc_xext", "--filter", "--xintf", "i.xintf", "p.txt"])?;
    if named.lines().count() != listing.lines().count() {
        return Err("lines were lost".into());
    }
    let mut changed = 0;
    for (old, new) in listing.lines().zip(named.lines()).filter(|(old, new)| old != new) {
        changed += 1;
        let columns = old.rfind(".4byte").or_else(|| old.rfind(".insn")).ok_or_else(|| format!("changed: {old}"))?;
        let name = new.get(columns..).unwrap_or("");
        let called = ["xext\t", "org.tinker.tinker:RocknRoll:rock\t", "org.tinker.tinker:RocknRoll:roll\t"];
        if old.get(..columns) != new.get(..columns) || !called.iter().any(|c| name.starts_with(c)) {
            return Err(format!("{old}\n{new}").into());
        }
    }
    if changed == custom { Ok(()) } else { Err(format!("{changed} of {custom} lines named").into()) }
}
