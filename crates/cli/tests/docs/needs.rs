//! What a command may need beside the program, and where the test finds it.

use std::path::Path;

use isaglot_testing::{corpus, peer, peer::Peer};

/// What the test does about a need.
enum Need {
    /// Another program: it is asked whether it works.
    Peer(Peer),
    /// Files that the corpus has: they are put where the page says that they are.
    Files(fn(&Path) -> Result<(), String>),
    /// Never there in a test.
    Never,
}

/// The module of Python.
const DUCKDB: Peer = Peer { name: "duckdb", probe: || peer::answers("python3", &["-c", "import duckdb"]) };

/// Every need. A command has those that its mark names, and those that its words name.
const NEEDS: &[(&str, Need)] = &[
    ("avr-objdump", Need::Peer(peer::AVR_OBJDUMP)),
    ("browser", Need::Never),
    ("capstone", Need::Never),
    ("cargo", Need::Never),
    ("duckdb", Need::Peer(DUCKDB)),
    // The engine as WebAssembly: tests of the explorer make folders with it.
    ("engine", Need::Never),
    ("gcc", Need::Peer(peer::GCC)),
    ("gdb-multiarch", Need::Peer(peer::GDB)),
    ("git", Need::Never),
    ("iga64", Need::Peer(peer::IGA64)),
    // The C library, installed: the tests of the crate `c` run its page.
    ("libisaglot", Need::Never),
    ("llvm-mc-19", Need::Peer(peer::LLVM_MC)),
    ("llvm-project", Need::Files(llvm)),
    ("mesa", Need::Files(mesa)),
    ("mesa-25.0", Need::Files(mesa_25)),
    ("picolibc", Need::Peer(peer::PICOLIBC)),
    ("qemu-system-riscv64", Need::Peer(peer::QEMU_SYSTEM)),
    ("riscv-opcodes", Need::Files(opcodes)),
    ("riscv-unified-db", Need::Files(udb)),
    ("riscv64-linux-gnu-gcc", Need::Peer(peer::RISCV_GCC)),
    ("riscv64-linux-gnu-as", Need::Peer(peer::RISCV_BINUTILS)),
    ("riscv64-linux-gnu-objdump", Need::Peer(peer::RISCV_BINUTILS)),
    ("spirv-as", Need::Peer(peer::SPIRV_TOOLS)),
    ("spirv-dis", Need::Peer(peer::SPIRV_TOOLS)),
    ("z3", Need::Peer(peer::Z3)),
];

/// What stands before the list of needs at the end of a command.
pub(crate) const MARK: &str = "# needs ";

/// Why a command cannot be run in this folder, if it cannot; and what it needs is put there.
pub(crate) fn missing(command: &str, dir: &Path) -> Result<Option<String>, String> {
    let marked = command.split_once(MARK).map_or("", |(_, names)| names);
    let marked: Vec<&str> = marked.split([',', ' ']).filter(|n| !n.is_empty()).collect();
    if let Some(unknown) = marked.iter().find(|n| !NEEDS.iter().any(|(name, _)| name == *n)) {
        return Err(format!("`{unknown}` is not a need that the test knows: {command}"));
    }
    let words = command.split_once(MARK).map_or(command, |(words, _)| words);
    let starts = |name: &str| words.split(['|', ';', '&']).any(|c| c.split_whitespace().next() == Some(name));
    for (name, need) in NEEDS.iter().filter(|(name, _)| marked.contains(name) || starts(name)) {
        let found = match need {
            Need::Peer(peer) => match peer::probe(&[*peer]) {
                Err(why) if peer::required() => return Err(why),
                found => found,
            },
            Need::Files(put) => put(dir),
            Need::Never => Err(String::new()),
        };
        if found.is_err() {
            return Ok(Some((*name).to_owned()));
        }
    }
    Ok(None)
}

/// Mesa's descriptions, in the folders that they have in its repository.
fn mesa(dir: &Path) -> Result<(), String> {
    release(dir, "xml", "mesa")
}

/// The same of the release after that.
fn mesa_25(dir: &Path) -> Result<(), String> {
    release(dir, "xml-25.0", "mesa-25.0")
}

fn release(dir: &Path, from: &str, tree: &str) -> Result<(), String> {
    let from = corpus::folder("isaspec").ok_or("no corpus")?.join(from);
    for (folder, to) in [("ir3", "freedreno/isa"), ("afuc", "freedreno/isa"), ("etnaviv", "etnaviv/isa")] {
        let to = dir.join(tree).join("src").join(to);
        std::fs::create_dir_all(&to).map_err(|e| e.to_string())?;
        for file in corpus::files(&from.join(folder), ".xml") {
            std::fs::copy(&file, to.join(corpus::name(&file))).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}

/// LLVM's targets, in the folders that they have in its repository.
fn llvm(dir: &Path) -> Result<(), String> {
    linked(dir, "tablegen", "td.tar.xz", "", "llvm-project")
}

/// RISC-V's Unified Database.
fn udb(dir: &Path) -> Result<(), String> {
    linked(dir, "riscv", "udb.tar.xz", "udb", "udb")
}

fn opcodes(dir: &Path) -> Result<(), String> {
    linked(dir, "riscv", "opcodes.tar.xz", "opcodes", "opcodes")
}

/// Puts a folder of an archive of the corpus where a page says that it is.
fn linked(dir: &Path, system: &str, archive: &str, inside: &str, name: &str) -> Result<(), String> {
    let archive = corpus::folder(system).ok_or("no corpus")?.join(archive);
    let link = dir.join(name);
    if link.exists() {
        return Ok(());
    }
    std::os::unix::fs::symlink(corpus::unpacked(&archive)?.join(inside), link).map_err(|e| e.to_string())
}
