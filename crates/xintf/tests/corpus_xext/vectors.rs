//! The description of RISC-V against the vectors of the corpus: words to text, without and with aliases, and calls named
//! through data flow.

use std::path::Path;

use isaglot_asm::{Assembler, Compat, Options, Plain, Site, Stream};
use isaglot_codec::Plan;
use isaglot_riscv::steps::{Facts, steps};
use isaglot_riscv::{Xlen, assembly};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Failed, Tally, corpus, ledger};
use isaglot_xintf::assembly::Interfaces;
use isaglot_xintf::resolve::{Names, resolve};
use isaglot_xintf::set;
use serde_json::Value;

use crate::description;

const VECTORS: &str = "rv-vectors.jsonl.gz";

fn finish(set: &str, tally: &Tally) -> Result<(), Failed> {
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), set, tally)?)
}

/// The text of one instruction.
fn text(plan: &Plan<'_>, bytes: &[u8]) -> String {
    let mut stream = Stream::new(plan, Options::default(), bytes.len() as u64);
    let mut out = Vec::new();
    stream.feed(bytes, &mut Plain, &mut out);
    String::from_utf8_lossy(&out).trim().to_owned()
}

/// White space folded, and targets without the `.` of the assembler.
fn folded(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    joined.replace(".+", "").replace(",.-", ",-").replace(" .-", " -")
}

/// GNU's disassembler prints `add a0,a1,5` for `addi`, and so on; with the immediate form's own name, as everybody writes
/// it, the two are the same.
fn immediate_form(text: &str) -> String {
    let Some((name, operands)) = text.split_once(' ') else { return text.to_owned() };
    let last = operands.rsplit(',').next().unwrap_or("");
    let is_number = last.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let name = match name {
        "add" | "and" | "or" | "xor" | "sll" | "srl" | "sra" | "slt" | "bclr" | "bext" | "binv" | "bset" | "ror"
        | "csrrw" | "csrrs" | "csrrc" | "csrw" | "csrs" | "csrc"
            if is_number =>
        {
            format!("{name}i")
        }
        "addw" | "sllw" | "srlw" | "sraw" | "rorw" if is_number => format!("{}iw", name.trim_end_matches('w')),
        _ => return text.to_owned(),
    };
    format!("{name} {operands}")
}

/// The word of every vector to its text, without or with aliases.
pub(crate) fn disassembled(dir: &Path, aliases: bool) -> Result<(), Failed> {
    let isa = description::isa();
    let plan = |xlen| description::plan(&isa, xlen, "custom0", 8).with_aliases(aliases);
    let (rv32, rv64) = (plan(32), plan(64));
    let mut tally = Tally::default();
    for (number, line) in corpus::text(&dir.join(VECTORS))?.lines().enumerate() {
        let v: Value = serde_json::from_str(line)?;
        let field = |key: &str| v[key].as_str().unwrap_or_default();
        let bytes = u32::from_str_radix(field("hex"), 16)?.to_le_bytes();
        let length = v["len"].as_u64().unwrap_or(4) as usize;
        let made = folded(&text(if v["xlen"] == 32 { &rv32 } else { &rv64 }, &bytes[..length]));
        let wanted = folded(field(if aliases { "dis" } else { "dis_noalias" }));
        let wanted = if aliases { immediate_form(&wanted) } else { wanted };
        tally.check(VECTORS, number + 1, made == wanted, || format!("{made}, expected {wanted}"));
    }
    finish(if aliases { "xext_rv_vectors_aliases" } else { "xext_rv_vectors_plain" }, &tally)
}

/// The source text of every vector, as people write it, to its word. What is not called `c.…` has 32 bits.
pub(crate) fn assembled(dir: &Path) -> Result<(), Failed> {
    let isa = description::isa();
    let plans = [32, 64].map(|xlen| description::plan(&isa, xlen, "custom0", 8));
    let custom = isaglot_asm::Names::default();
    let mut assemblers = plans.each_ref().map(|plan| Assembler::new(plan, &custom, Compat::default()));
    let mut tally = Tally::default();
    for (number, line) in corpus::text(&dir.join(VECTORS))?.lines().enumerate() {
        let v: Value = serde_json::from_str(line)?;
        let field = |key: &str| v[key].as_str().unwrap_or_default();
        let text = folded(field("asm"));
        let width = if text.starts_with("c.") { 16 } else { 32 };
        let site = Site { symbol: &|_| None, here: 0, place_bytes: 1 };
        let made = assemblers[usize::from(v["xlen"] == 64)].assemble_at(text.as_bytes(), site, Some(width));
        let wanted = u64::from_str_radix(field("hex"), 16)?;
        let same = made.as_ref().is_ok_and(|word| word.low_u64() == wanted);
        tally.check(VECTORS, number + 1, same, || format!("{made:?}, expected {wanted:#x}"));
    }
    finish("xext_rv_vectors_assemble", &tally)
}

/// The programs of the cases, as they are written, to their words.
pub(crate) fn cases(dir: &Path) -> Result<(), Failed> {
    let isa = description::isa();
    let mut tally = Tally::default();
    for path in corpus::files(&dir.join("cases"), ".json") {
        let v: Value = serde_json::from_str(&corpus::text(&path)?)?;
        let bits = v["xlen"].as_u64().ok_or("xlen")?;
        let strings =
            |key: &str| -> Vec<&str> { v[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect() };
        let profile = v["encoding"].as_str().unwrap_or("custom0");
        let plan = description::plan_without(&isa, bits, profile, v["n_cmds"].as_u64().unwrap_or(8), &["c"]);
        let custom = isaglot_asm::Names::default();
        let mut assembler = Assembler::new(&plan, &custom, Compat::default());
        let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
        let interfaces = set::load(&mut files, &[], |_, _, _| None, &mut found);
        let file = files.add("case.s", (strings("asm").join("\n") + "\n").into_bytes());
        let mut imports = Interfaces::new(&interfaces, Xlen::from_bits(bits).ok_or("xlen")?);
        let layout = assembly::Layout::default();
        let program = assembly::assemble(&mut assembler, &mut imports, &mut files, file, &layout, &mut found);
        let made: Vec<String> = (program.map(|program| program.image.bytes()).unwrap_or_default().chunks(4))
            .map(|b| format!("{:#010x}", b.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b))))
            .collect();
        let same = found.is_empty() && made == strings("words");
        tally.check(&corpus::name(&path), "words", same, || {
            let problems: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
            format!("{made:?}, expected {:?} {problems:?}", strings("words"))
        });
    }
    finish("xext_cases_assemble", &tally)
}

/// Calls whose interfaces are found by following the data flow.
pub(crate) fn names(dir: &Path) -> Result<(), Failed> {
    let isa = description::isa();
    let mut tally = Tally::default();
    for line in corpus::text(&dir.join("dis.jsonl"))?.lines() {
        let v: Value = serde_json::from_str(line)?;
        let bits = v["xlen"].as_u64().ok_or("xlen")?;
        let xlen = Xlen::from_bits(bits).ok_or("xlen")?;
        let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
        let id = files.add("defs.xintf", v["defs"].as_str().ok_or("defs")?.as_bytes());
        let set = set::load(&mut files, &[id], |_, _, _| None, &mut found);
        let mut bytes = Vec::new();
        for word in v["words"].as_array().ok_or("words")? {
            let digits = word.as_str().and_then(|w| w.strip_prefix("0x")).ok_or("a word")?;
            bytes.extend(u32::from_str_radix(digits, 16)?.to_le_bytes());
        }
        let entries = v["entries"].as_array().ok_or("entries")?.iter().filter_map(Value::as_u64);
        let entries: Vec<u64> = entries.map(|e| 4 * e).collect();
        let plan = description::plan(&isa, bits, v["encoding"].as_str().unwrap_or("custom0"), 8);
        let names = Names::new(set.interfaces(), xlen);
        let steps = steps(&plan, &Facts::new(&plan), xlen, &bytes);
        let resolved = resolve(&steps, &entries, xlen.bits(), &|uuid| names.knows(uuid));
        let mut result = Ok(());
        for (index, name) in v["expect"].as_object().ok_or("expect")? {
            let at = 4 * index.parse::<u64>()?;
            let made = resolved.calls.get(&at).map(|call| names.name(call.uuid, call.k));
            if made.as_deref() != name.as_str() {
                result = Err(format!("at {index}: {made:?}, expected {name}"));
            }
        }
        tally.row("dis.jsonl", v["id"].as_str().ok_or("id")?, result);
    }
    finish("xext_dis_names", &tally)
}
