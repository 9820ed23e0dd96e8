//! The description of RISC-V against the vectors of the corpus: words to text, without and with aliases, and calls named
//! through data flow. Without a corpus the tests are reported as ignored.

#[path = "common/riscv.rs"]
mod riscv;

use std::io::Read;
use std::path::{Path, PathBuf};

use isaglot_asm::{Assembler, Compat, Options, Plain, Site, Stream};
use isaglot_codec::Plan;
use isaglot_riscv::steps::{Facts, steps};
use isaglot_riscv::{Xlen, assembly};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_xintf::assembly::Interfaces;
use isaglot_xintf::resolve::{Names, resolve};
use isaglot_xintf::set;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

fn corpus() -> PathBuf {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let given = std::env::var_os("ISAGLOT_CORPUS").map(PathBuf::from);
    given.unwrap_or_else(|| PathBuf::from(root).join("../shared/corpus")).join("xext")
}

fn main() {
    let file = corpus().join("rv-vectors.jsonl.gz");
    let missing = !file.is_file();
    if missing {
        println!("xext: no corpus at {}", file.display());
    }
    let (other, third) = (file.clone(), file.clone());
    let trials = vec![
        Trial::test("xext_rv_vectors_plain", move || vectors(&file, false)).with_ignored_flag(missing),
        Trial::test("xext_rv_vectors_aliases", move || vectors(&other, true)).with_ignored_flag(missing),
        Trial::test("xext_rv_vectors_assemble", move || assembled(&third)).with_ignored_flag(missing),
        Trial::test("xext_cases_assemble", move || cases(&corpus().join("cases"))).with_ignored_flag(missing),
        Trial::test("xext_dis_names", move || names(&corpus().join("dis.jsonl"))).with_ignored_flag(missing),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
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

fn vectors(file: &Path, aliases: bool) -> Result<(), Failed> {
    let mut lines = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(file)?).read_to_string(&mut lines)?;
    let isa = riscv::isa();
    let plan = |xlen| riscv::plan(&isa, xlen, "custom0", 8).with_aliases(aliases);
    let (rv32, rv64) = (plan(32), plan(64));
    let (mut total, mut passed, mut wrong) = (0, 0, Vec::new());
    for line in lines.lines() {
        let v: Value = serde_json::from_str(line)?;
        let field = |key: &str| v[key].as_str().unwrap_or_default();
        let word = u32::from_str_radix(field("hex"), 16)?;
        let bytes = word.to_le_bytes();
        let length = v["len"].as_u64().unwrap_or(4) as usize;
        let plan = if v["xlen"] == 32 { &rv32 } else { &rv64 };
        let made = folded(&text(plan, &bytes[..length]));
        let wanted = folded(field(if aliases { "dis" } else { "dis_noalias" }));
        let wanted = if aliases { immediate_form(&wanted) } else { wanted };
        total += 1;
        if made == wanted {
            passed += 1;
        } else {
            wrong.push(format!("rv{} {}: {made}, expected {wanted}", v["xlen"], field("hex")));
        }
    }
    println!("xext rv-vectors, aliases {aliases}: {passed}/{total}");
    wrong.truncate(50);
    if total > 0 && passed == total { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The source text of every vector, as people write it, to its word. What is not called `c.…` has 32 bits.
fn assembled(file: &Path) -> Result<(), Failed> {
    let mut lines = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(file)?).read_to_string(&mut lines)?;
    let isa = riscv::isa();
    let plans = [32, 64].map(|xlen| riscv::plan(&isa, xlen, "custom0", 8));
    let custom = isaglot_asm::Names::default();
    let mut assemblers = plans.each_ref().map(|plan| Assembler::new(plan, &custom, Compat::default()));
    let (mut total, mut passed, mut wrong) = (0, 0, Vec::new());
    for line in lines.lines() {
        let v: Value = serde_json::from_str(line)?;
        let field = |key: &str| v[key].as_str().unwrap_or_default();
        let text = folded(field("asm"));
        let width = if text.starts_with("c.") { 16 } else { 32 };
        let site = Site { symbol: &|_| None, here: 0, place_bytes: 1 };
        let made = assemblers[usize::from(v["xlen"] == 64)].assemble_at(text.as_bytes(), site, Some(width));
        total += 1;
        match made {
            Ok(word) if word.low_u64() == u64::from_str_radix(field("hex"), 16)? => passed += 1,
            other => wrong.push(format!("rv{} {text}: {other:?}, expected {}", v["xlen"], field("hex"))),
        }
    }
    println!("xext rv-vectors assembled: {passed}/{total}");
    wrong.truncate(50);
    if total > 0 && passed == total { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The programs of the cases, as they are written, to their words.
fn cases(dir: &Path) -> Result<(), Failed> {
    let isa = riscv::isa();
    let (mut total, mut passed, mut wrong) = (0, 0, Vec::new());
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir)?.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "json")) {
        let v: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let bits = v["xlen"].as_u64().ok_or("xlen")?;
        let strings = |key: &str| -> Vec<String> {
            v[key].as_array().into_iter().flatten().filter_map(|s| s.as_str().map(str::to_owned)).collect()
        };
        let profile = v["encoding"].as_str().unwrap_or("custom0");
        let plan = riscv::plan_without(&isa, bits, profile, v["n_cmds"].as_u64().unwrap_or(8), &["c"]);
        let custom = isaglot_asm::Names::default();
        let mut assembler = Assembler::new(&plan, &custom, Compat::default());
        let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
        let interfaces = set::load(&mut files, &[], |_, _, _| None, &mut found);
        let file = files.add("case.s", (strings("asm").join("\n") + "\n").into_bytes());
        let mut imports = Interfaces::new(&interfaces, Xlen::from_bits(bits).ok_or("xlen")?);
        let image = assembly::assemble(
            &mut assembler,
            &mut imports,
            &mut files,
            file,
            &assembly::Layout::default(),
            &mut found,
        );
        let made: Vec<String> = (image.map(|program| program.image.bytes()).unwrap_or_default().chunks(4))
            .map(|b| format!("{:#010x}", b.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b))))
            .collect();
        total += 1;
        if found.is_empty() && made == strings("words") {
            passed += 1;
        } else {
            let problems: String = found.iter().map(|d| isaglot_source::render::text(&files, d, false)).collect();
            wrong.push(format!("{}: {made:?}, expected {:?}\n{problems}", path.display(), strings("words")));
        }
    }
    println!("xext cases assembled: {passed}/{total}");
    wrong.truncate(10);
    if total > 0 && passed == total { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn names(file: &Path) -> Result<(), Failed> {
    let isa = riscv::isa();
    let (mut total, mut passed, mut wrong) = (0, 0, Vec::new());
    for line in std::fs::read_to_string(file)?.lines() {
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
        let entries: Vec<u64> = v["entries"].as_array().ok_or("entries")?.iter().filter_map(Value::as_u64).collect();
        let entries: Vec<u64> = entries.iter().map(|e| 4 * e).collect();
        let plan = riscv::plan(&isa, bits, v["encoding"].as_str().unwrap_or("custom0"), 8);
        let names = Names::new(set.interfaces(), xlen);
        let steps = steps(&plan, &Facts::new(&plan), xlen, &bytes);
        let resolved = resolve(&steps, &entries, xlen.bits(), &|uuid| names.knows(uuid));
        total += 1;
        let mut bad = None;
        for (index, name) in v["expect"].as_object().ok_or("expect")? {
            let at = 4 * index.parse::<u64>()?;
            let made = resolved.calls.get(&at).map(|call| names.name(call.uuid, call.k));
            if made.as_deref() != name.as_str() {
                bad = Some(format!("{} at {index}: {made:?}, expected {name}", v["id"]));
            }
        }
        match bad {
            None => passed += 1,
            Some(bad) => wrong.push(bad),
        }
    }
    println!("xext dis.jsonl: {passed}/{total}");
    if total > 0 && passed == total { Ok(()) } else { Err(wrong.join("\n").into()) }
}
