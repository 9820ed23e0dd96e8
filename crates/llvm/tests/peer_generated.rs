//! The encoders and decoders that `generate` writes, compiled by rustc and by a C compiler: what is encoded is decoded again, the
//! caller is asked for each operand by its name and `EncoderMethod`, and values that do not fit are refused.

use std::path::Path;
use std::process::Command;

use isaglot_llvm::generate::{Output, generate};
use isaglot_tablegen::{Options, Records, parse};
use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, suite};

/// Operands by name, by a part of `MIOperandInfo`, one with an `EncoderMethod`; a field that may stay unset; a word of 96 bits.
const RECORDS: &str = r#"
def outs; def ins; def ops; def ascend; def operand;
class Operand { string EncoderMethod = ""; dag MIOperandInfo = (ops); }
class Instruction { int Size = 4; dag OutOperandList = (outs); dag InOperandList = (ins); string AsmString = ""; }
def Reg : Operand;
def Target : Operand { let EncoderMethod = "getBranchTarget"; }
def Memory : Operand { let MIOperandInfo = (ops Reg:$base, Target:$disp); }
class Fixed<bits<8> op> : Instruction { bits<32> Inst; let Inst{31-24} = op; let Inst{7-0} = 0; }
def ADD : Fixed<1> {
  bits<8> a; bits<8> b;
  let Inst{23-20} = a{3-0}; let Inst{19-16} = a{7-4}; let Inst{15-8} = b;
  let OutOperandList = (outs Reg:$a); let InOperandList = (ins Reg:$b);
}
def JUMP : Fixed<2> { bits<16> to; let Inst{23-8} = to; let InOperandList = (ins Target:$to); }
def LOOSE : Fixed<3> { field bits<16> free; let Inst{23-8} = free; }
def LOAD : Instruction {
  let Size = 2;
  dag Inst = (ascend 0b0101, (operand "$at.base", 4), (operand "$at.disp", 8));
  let InOperandList = (ins Memory:$at);
}
def LONG : Instruction {
  let Size = 12;
  bits<96> Inst; bits<64> n;
  let Inst{95-88} = 9; let Inst{87-24} = n; let Inst{23-0} = 5;
  let InOperandList = (ins Reg:$n);
}
"#;

const RUST: &str = r#"
#[allow(dead_code)] mod encoder { include!("encoder.rs"); }
#[allow(dead_code)] mod decoder { include!("decoder.rs"); }
use encoder::{Opcode, encode, encode_with};
fn main() {
    assert_eq!(encode(Opcode::ADD, &[0x21, 7]), Some(0x0112_0700));
    assert_eq!(encode(Opcode::ADD, &[0x121, 7]), None);
    assert_eq!(encode(Opcode::ADD, &[1]), None);
    assert_eq!(encode(Opcode::LOOSE, &[]), Some(0x0300_0000));
    let mut asked = Vec::new();
    let word = encode_with(Opcode::LOAD, |operand| {
        asked.push(format!("{} {} {}", operand.name, operand.method, operand.width));
        Some(if operand.method.is_empty() { 3 } else { 0x80 })
    });
    assert_eq!(word, Some(0x8035));
    assert_eq!(asked, ["at.base  4", "at.disp getBranchTarget 8"]);
    assert_eq!(encode_with(Opcode::JUMP, |_| None), None);
    let long = encode(Opcode::LONG, &[u64::MAX - 1]).unwrap();
    let (opcode, fields) = decoder::decode(long, 96).unwrap();
    assert_eq!((opcode, fields[0]), (decoder::Opcode::LONG, u64::MAX - 1));
    let (opcode, fields) = decoder::decode(0x0112_0700, 32).unwrap();
    assert_eq!((opcode, &fields[..2]), (decoder::Opcode::ADD, &[0x21, 7][..]));
    assert!(decoder::decode(0x0112_0701, 32).is_none());
}
"#;

const C: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include FILE_NAME
#ifdef DECODER
int main(void) {
  uint64_t fields[MAX_FIELDS], add[WORDS] = {0x01120700}, bad[WORDS] = {0x01120701};
  uint64_t lo[WORDS] = {0xfffffffffe000005u, 0x09ffffffu};
  if (decode(add, 32, fields) != OP_ADD || fields[0] != 0x21 || fields[1] != 7) return 1;
  if (decode(bad, 32, fields) != -1) return 2;
  if (decode(lo, 96, fields) != OP_LONG || fields[0] != UINT64_MAX - 1) return 3;
  return 0;
}
#else
static int give(void *context, const struct operand *o, uint64_t *value) {
  strcat(context, o->name);
  strcat(context, o->method);
  *value = o->opcode == OP_LONG ? UINT64_MAX - 1 : o->opcode == OP_JUMP ? 0x12345 : *o->method ? 0x80 : 3;
  return 0;
}
int main(void) {
  char asked[200] = "";
  uint64_t word[WORDS];
  if (encode(OP_LOAD, give, asked, word) != 0 || word[0] != 0x8035) return 1;
  if (strcmp(asked, "at.baseat.dispgetBranchTarget") != 0) return 2;
  if (encode(OP_JUMP, give, asked, word) != -1) return 3;
  if (encode(OPCODES, give, asked, word) != -1) return 4;
  if (encode(OP_LONG, give, asked, word) != 0 || word[0] != 0xfffffffffe000005u || word[1] != 0x09ffffffu) return 5;
  return 0;
}
#endif
"#;

fn records() -> Records {
    let records = parse("target.td", RECORDS.as_bytes().into(), &Options::default(), &mut |_| None);
    assert!(records.ok(), "{:?}", records.messages().diagnostics());
    records
}

fn write(dir: &Path, name: &str, output: Output) -> Result<(), Failed> {
    let text = generate(&records(), output, "for a test").map_err(|problems| format!("{problems:?}"))?;
    Ok(std::fs::write(dir.join(name), text)?)
}

fn rust(dir: &Path) -> Result<(), Failed> {
    write(dir, "encoder.rs", Output::EmitterRust)?;
    write(dir, "decoder.rs", Output::DisassemblerRust)?;
    std::fs::write(dir.join("main.rs"), RUST)?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    peer::output(
        Command::new(rustc).args(["--edition", "2021", "-D", "warnings", "main.rs", "-o", "main"]).current_dir(dir),
        "",
    )?;
    peer::output(&mut Command::new(dir.join("main")), "")?;
    Ok(())
}

fn c(dir: &Path) -> Result<(), Failed> {
    std::fs::write(dir.join("main.c"), C)?;
    for (name, output, define) in
        [("encode.h", Output::EmitterC, "-DENCODER"), ("decode.h", Output::DisassemblerC, "-DDECODER")]
    {
        write(dir, name, output)?;
        let file = format!("-DFILE_NAME=\"{name}\"");
        let mut compile = Command::new("gcc");
        compile.args([
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsanitize=undefined",
            define,
            &file,
            "main.c",
            "-o",
            "main",
        ]);
        peer::output(compile.current_dir(dir), "")?;
        peer::output(&mut Command::new(dir.join("main")), "")?;
    }
    Ok(())
}

fn main() {
    let with_folder = |run: fn(&Path) -> Result<(), Failed>| move || run(tempfile::tempdir()?.path());
    let rustc = Peer { name: "rustc", probe: || peer::starts("rustc") };
    let gcc = Peer { name: "gcc", probe: || peer::compiles("gcc", &["-fsanitize=undefined"]) };
    suite::run(vec![
        peer::trial("generated Rust", &[rustc], with_folder(rust)),
        peer::trial("generated C", &[gcc], with_folder(c)),
    ]);
}
