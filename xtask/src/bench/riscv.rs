//! RISC-V: programs of a million lines drawn from the vectors of the corpus, assembled and disassembled.
//!
//! One is drawn as the vectors are, so lines repeat. In the other every line gets registers and numbers of its own, which
//! leaves hardly two alike. Both are RV64GC with Zba, Zbb and Zbs as a compiler's output looks: a label every eight
//! lines, branches to labels near by, `li`, `la` and `call` in between.

use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{Row, Seeded};

/// Lines of a program, and instructions of a stream.
const COUNT: usize = 1_000_000;

/// How often the stream is repeated, so that the start of the process is a small part.
const REPEATS: usize = 4;

const ISA: &str = "rv64gc_zba_zbb_zbs";

/// Instructions from one label to the next.
const BLOCK: usize = 8;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let vectors = super::corpus()?.join("xext/rv-vectors.jsonl.gz");
    let dir = super::folder()?;
    let fail = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let mut rows = Vec::new();
    for (name, varied) in [("as drawn", false), ("every line of its own", true)] {
        let source = dir.join(if varied { "rv64.varied.s" } else { "rv64.drawn.s" });
        let pool = pool(&vectors)?;
        std::fs::write(&source, program(&pool, varied)).map_err(|e| fail(&source, e))?;
        let once = dir.join("rv64.once.bin");
        let stream = dir.join(if varied { "rv64.varied.bin" } else { "rv64.drawn.bin" });
        let mut assemble = vec!["asm".to_owned(), "--isa".to_owned(), ISA.to_owned(), source.display().to_string()];
        assemble.extend(["-o".to_owned(), once.display().to_string()]);
        let done = Command::new(super::program()).args(&assemble).status();
        if !done.is_ok_and(|status| status.success()) {
            return Err(format!("{} does not assemble", source.display()));
        }
        let bytes = std::fs::read(&once).map_err(|e| fail(&once, e))?;
        std::fs::write(&stream, bytes.repeat(REPEATS)).map_err(|e| fail(&stream, e))?;
        let instructions = instructions(&bytes) * REPEATS;
        let row = |what: &str, args: Vec<String>, units: usize| Row {
            name: format!("{what}, {name}"),
            args,
            units: units as u64,
            count: true,
            peer: None,
        };
        rows.push(row("assemble, lines", assemble, COUNT));
        let mut args = vec!["disasm".to_owned(), "--isa".to_owned(), ISA.to_owned(), stream.display().to_string()];
        rows.push(row("disassemble", args.clone(), instructions));
        args.push("--aliases".to_owned());
        rows.push(row("disassemble with aliases", args, instructions));
    }
    Ok(rows)
}

/// How many instructions a stream has.
fn instructions(bytes: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while let Some(low) = bytes.get(at) {
        at += if low & 3 == 3 { 4 } else { 2 };
        count += 1;
    }
    count
}

/// The source lines of the vectors for RV64.
fn pool(vectors: &Path) -> Result<Vec<String>, String> {
    let error = |e: &dyn std::fmt::Display| format!("{}: {e}", vectors.display());
    let mut text = String::new();
    let file = std::fs::File::open(vectors).map_err(|e| error(&e))?;
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).map_err(|e| error(&e))?;
    let mut lines = Vec::new();
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).map_err(|e| error(&e))?;
        if vector["xlen"] == 64 {
            lines.extend(vector["asm"].as_str().map(str::to_owned));
        }
    }
    if lines.is_empty() { Err(error(&"no vectors")) } else { Ok(lines) }
}

const INTEGER: &[&str] = &[
    "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3",
    "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

const FLOAT: &[&str] = &[
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];

/// Instructions with a signed number of 12 bits.
const IMMEDIATE: &[&str] = &[
    "addi", "addiw", "andi", "ori", "xori", "slti", "sltiu", "lb", "lh", "lw", "ld", "lbu", "lhu", "lwu", "sb", "sh",
    "sw", "sd", "flw", "fld", "fsw", "fsd", "jalr",
];

/// A program of [`COUNT`] lines.
fn program(pool: &[String], varied: bool) -> String {
    let mut random = Seeded(0x9e37_79b9_7f4a_7c15);
    let mut out = String::new();
    let mut lines = 0;
    let mut block = 0;
    while lines < COUNT {
        if lines % (BLOCK + 1) == 0 {
            // Writing to a string does not fail.
            let _ = writeln!(out, ".L{block}:");
            block += 1;
            lines += 1;
            continue;
        }
        lines += 1;
        let near = |random: &mut Seeded| (block + random.below(40)).saturating_sub(20).min((COUNT - 1) / (BLOCK + 1));
        let reg = |random: &mut Seeded| INTEGER[random.below(INTEGER.len())];
        match random.below(100) {
            0 | 1 => {
                let _ = writeln!(out, "\tcall\t.L{}", near(&mut random));
            }
            2 => {
                let _ = writeln!(out, "\tlla\t{},.L{}", reg(&mut random), near(&mut random));
            }
            3..=6 => {
                let _ = writeln!(out, "\tli\t{},{}", reg(&mut random), random.below(4096) as i64 - 2048);
            }
            _ => {
                let line = &pool[random.below(pool.len())];
                let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
                out.push('\t');
                out.push_str(name);
                let compressed = name.starts_with("c.");
                let mut separator = '\t';
                for operand in operands.split(',').filter(|o| !o.is_empty()) {
                    out.push(separator);
                    separator = ',';
                    if operand.starts_with('.') && !compressed {
                        let _ = write!(out, ".L{}", near(&mut random));
                    } else if varied && !compressed {
                        vary(operand, IMMEDIATE.contains(&name), &mut random, &mut out);
                    } else {
                        out.push_str(operand);
                    }
                }
                out.push('\n');
            }
        }
    }
    out
}

/// Another operand of the same kind.
fn vary(operand: &str, immediate: bool, random: &mut Seeded, out: &mut String) {
    let is_number = operand.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
    if INTEGER.contains(&operand) {
        out.push_str(INTEGER[random.below(INTEGER.len())]);
    } else if FLOAT.contains(&operand) {
        out.push_str(FLOAT[random.below(FLOAT.len())]);
    } else if is_number && immediate {
        let _ = write!(out, "{}", random.below(4096) as i64 - 2048);
    } else if let Some((number, base)) = operand.strip_suffix(')').and_then(|o| o.split_once('(')) {
        if immediate {
            vary(number, true, random, out);
        } else {
            out.push_str(number);
        }
        out.push('(');
        vary(base, immediate, random, out);
        out.push(')');
    } else {
        out.push_str(operand);
    }
}
