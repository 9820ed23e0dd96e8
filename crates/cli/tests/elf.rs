//! `disasm` of ELF files beside GNU objdump: the same instructions at the same addresses, and every name that objdump gives
//! a place. The files are the shared libraries that come with the cross compiler, and programs that it makes of the C files
//! that the assembler is tested with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, suite, workspace};

const OBJDUMP: Peer = Peer { name: "riscv64-linux-gnu-objdump", probe: || peer::starts("riscv64-linux-gnu-objdump") };
const GCC: Peer = Peer { name: "riscv64-linux-gnu-gcc", probe: || peer::starts("riscv64-linux-gnu-gcc") };

/// How many files there must be, so that an empty folder is not a success.
const LEAST: usize = 20;

fn main() {
    let peers = [OBJDUMP, GCC];
    suite::run(vec![
        peer::trial("peer_objdump_libraries", &peers, libraries),
        peer::trial("peer_objdump_programs", &peers, programs),
    ]);
}

/// Instructions by address, each as the hex digits of its word; and the names of addresses.
#[derive(Default, PartialEq)]
struct Code {
    words: BTreeMap<u64, String>,
    names: BTreeSet<(u64, String)>,
}

fn libraries() -> Result<(), Failed> {
    let found = run(Command::new(GCC.name).arg("-print-file-name=libc.so.6"))?;
    let folder = Path::new(found.trim()).canonicalize()?;
    let folder = folder.parent().ok_or("no folder")?;
    // Many names are links to one file.
    let all: BTreeSet<PathBuf> = std::fs::read_dir(folder)?.flatten().flat_map(|e| e.path().canonicalize()).collect();
    let mut files: Vec<PathBuf> = all.into_iter().collect();
    files.retain(|path| std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF") && path.is_file()));
    let mut checked = 0;
    for path in files.iter().filter(|path| path.to_string_lossy().contains(".so")) {
        same(path, "rv64gc")?;
        checked += 1;
    }
    if checked < LEAST { Err(format!("only {checked} files").into()) } else { Ok(()) }
}

/// Programs with all their symbols.
fn programs() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let sources = workspace().join("crates/riscv/tests/gcc");
    let mut checked = 0;
    for source in std::fs::read_dir(sources)?.flatten().map(|entry| entry.path()) {
        for (isa, mabi, emulation) in [("rv64gc", "lp64d", "elf64lriscv"), ("rv32imac", "ilp32", "elf32lriscv")] {
            // It uses floats, for which the other machine would need a library.
            if source.extension().is_none_or(|e| e != "c") || (isa == "rv32imac" && source.ends_with("floats.c")) {
                continue;
            }
            let program = dir.path().join("program");
            let (march, mabi, emulation) =
                (format!("-march={isa}"), format!("-mabi={mabi}"), format!("-Wl,-m,{emulation}"));
            let options = ["-O2", "-ffreestanding", "-nostdlib", "-static", "-Wl,-e,0"];
            // What the compiler calls for long division and the like is not here.
            let lenient = "-Wl,--unresolved-symbols=ignore-all";
            run(Command::new(GCC.name).args(options).args([&march, &mabi, &emulation]).arg(lenient).args([
                source.as_os_str(),
                "-o".as_ref(),
                program.as_os_str(),
            ]))?;
            same(&program, isa)?;
            checked += 1;
        }
    }
    if checked < LEAST { Err(format!("only {checked} files").into()) } else { Ok(()) }
}

/// Compares the disassemblies of a file.
fn same(path: &Path, isa: &str) -> Result<(), Failed> {
    let theirs = theirs(&run(Command::new(OBJDUMP.name).args(["-d", "-z"]).arg(path))?);
    let args = ["disasm", "--isa", isa, "--format", "annotated"];
    let ours = ours(&run(Command::new(env!("CARGO_BIN_EXE_isaglot")).args(args).arg(path))?);
    if theirs.words != ours.words {
        let differs =
            |(at, word): (&u64, &String)| (ours.words.get(at) != Some(word)).then(|| format!("{at:x}: {word}"));
        let first = theirs.words.iter().find_map(differs);
        return Err(format!("{}: objdump has {first:?}", path.display()).into());
    }
    if let Some((at, name)) = theirs.names.iter().find(|name| !ours.names.contains(name)) {
        return Err(format!("{}: objdump calls {at:x} `{name}`", path.display()).into());
    }
    println!("{}: {} instructions, {} names", path.display(), ours.words.len(), theirs.names.len());
    Ok(())
}

fn run(command: &mut Command) -> Result<String, Failed> {
    let done = command.output()?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&done.stderr).into_owned().into()),
    }
}

/// Lines such as `   10186:  862a  mv  a2,a0`, with tabs between, and `0000000000010186 <main>:`.
fn theirs(text: &str) -> Code {
    let mut code = Code::default();
    for line in text.lines() {
        if let Some((at, name)) = line.split_once(" <")
            && let Some(name) = name.strip_suffix(">:")
            && let Ok(at) = u64::from_str_radix(at, 16)
        {
            // What has no symbol goes by its section, by a symbol before it, or by the function that a stub leads to.
            if name.starts_with('.') || name.contains('+') || name.contains("-0x") || name.contains("@plt") {
                continue;
            }
            // The version of a symbol, `malloc@@GLIBC_2.27`, is not part of its name.
            code.names.insert((at, name.split('@').next().unwrap_or(name).to_owned()));
        } else if let Some((at, rest)) = line.split_once(":\t")
            && let Ok(at) = u64::from_str_radix(at.trim(), 16)
        {
            let word = rest.split('\t').next().unwrap_or("").trim();
            code.words.insert(at, word.to_owned());
        }
    }
    code
}

/// Lines such as `   10186:  2a 86        c.mv a2,a0` and `main:` before them.
fn ours(text: &str) -> Code {
    let mut code = Code::default();
    let mut pending = Vec::new();
    for line in text.lines() {
        let instruction =
            line.split_once(": ").and_then(|(at, rest)| Some((u64::from_str_radix(at.trim(), 16).ok()?, rest)));
        if let Some((at, rest)) = instruction {
            let bytes =
                rest.split_whitespace().take_while(|b| b.len() == 2 && b.chars().all(|c| c.is_ascii_hexdigit()));
            let mut bytes: Vec<&str> = bytes.collect();
            bytes.reverse();
            code.words.insert(at, bytes.concat());
            code.names.extend(pending.drain(..).map(|name| (at, name)));
        } else if let Some(name) = line.strip_suffix(':') {
            pending.push(name.to_owned());
        }
    }
    code
}
