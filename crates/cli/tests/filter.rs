//! `disasm --filter` beside GNU and LLVM objdump: every line that they print for a custom instruction gets its name, and
//! no other byte changes.

use std::path::Path;
use std::process::Command;

use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, suite};

/// The disassembler of GNU for RISC-V alone.
const GNU: Peer = Peer { name: "riscv64-linux-gnu-objdump", probe: || peer::starts("riscv64-linux-gnu-objdump") };

/// A disassembler, how it is asked about `p.elf` or `p.bin`, and how it shows what it does not know.
const PEERS: [(&str, Peer, &[&str], &[&str]); 3] = [
    ("raw", GNU, &["-D", "-b", "binary", "-m", "riscv:rv64", "p.bin"], &[".4byte", ".insn"]),
    ("elf", GNU, &["-d", "p.elf"], &[".4byte", ".insn"]),
    ("llvm", peer::LLVM_OBJDUMP, &["-d", "p.elf"], &["<unknown>"]),
];

const INTERFACES: &str =
    "org.tinker.tinker:RocknRoll{ uuid: 0x12345 rock rd rs1 rs2: xcmd0 rd rs1 rs2 roll rd rs1 rs2: xcmd1 rd rs1 rs2 }";

fn main() {
    let trial = |(name, objdump, args, unknown): (&str, Peer, &'static [&'static str], &'static [&'static str])| {
        peer::trial(format!("peer_objdump_{name}"), &[objdump], move || names_all(objdump.name, args, unknown))
    };
    suite::run(PEERS.into_iter().map(trial).collect());
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

fn names_all(program: &str, args: &[&str], unknown: &[&str]) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let at = dir.path();
    let (text, custom) = self::program();
    std::fs::write(at.join("i.xintf"), INTERFACES)?;
    std::fs::write(at.join("p.s"), text)?;
    let isaglot = env!("CARGO_BIN_EXE_isaglot");
    for output in ["p.bin", "p.elf"] {
        run(at, isaglot, &["asm", "--isa", "rv64gc_xext", "--xintf", "i.xintf", "-e", "start", "p.s", "-o", output])?;
    }
    let listing = run(at, program, args)?;
    std::fs::write(at.join("p.txt"), &listing)?;
    let named = run(at, isaglot, &["disasm", "--isa", "rv64gc_xext", "--filter", "--xintf", "i.xintf", "p.txt"])?;
    // With their line ends, so that these count too.
    let (old, new): (Vec<&str>, Vec<&str>) =
        (listing.split_inclusive('\n').collect(), named.split_inclusive('\n').collect());
    if old.len() != new.len() {
        return Err("lines were lost".into());
    }
    let mut changed = 0;
    for (old, new) in old.into_iter().zip(new).filter(|(old, new)| old != new) {
        changed += 1;
        let columns = unknown.iter().find_map(|u| old.rfind(u)).ok_or_else(|| format!("changed: {old}"))?;
        let name = new.get(columns..).unwrap_or("");
        let called = ["xext\t", "org.tinker.tinker:RocknRoll:rock\t", "org.tinker.tinker:RocknRoll:roll\t"];
        let whole = name.ends_with('\n') && name.lines().count() == 1;
        if old.get(..columns) != new.get(..columns) || !whole || !called.iter().any(|c| name.starts_with(c)) {
            return Err(format!("{old}\n{new}").into());
        }
    }
    let left = unknown.iter().any(|u| named.contains(u));
    if changed == custom && !left { Ok(()) } else { Err(format!("{changed} of {custom} lines named").into()) }
}
