//! LLVM's assembler tests: the instructions of whole targets, lowered from their records, against what llvm-mc says of
//! the same bytes and the same text. Rows that need earlier lines of their source (`ctx`) are not compared, and rows
//! with fixups are not compared from text to bytes. The rows that fail today stand in `tests/ledger`.

mod target;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use isaglot_asm::{Assembler, Compat, Failure, Names};
use isaglot_bits::Word;
use isaglot_codec::{Plan, operands};
use isaglot_llvm::{NoSuch, choose};
use isaglot_model::{ByteOrder, FeatureId};
use isaglot_testing::corpus::{hex, text, unhex};
use isaglot_testing::{Failed, Random, Tally, Trial, ledger, suite};
use serde_json::Value;
use target::{Lowered, disassemble, lower, plan, squeeze};

/// A target: its file of rows, its folder in LLVM's tree, its operand table.
struct Target {
    rows: &'static str,
    folder: &'static str,
    operands: &'static str,
}

const TARGETS: &[Target] = &[
    Target { rows: "riscv.jsonl.gz", folder: "RISCV", operands: include_str!("../../../specs/llvm/riscv.operands") },
    Target {
        rows: "loongarch.jsonl",
        folder: "LoongArch",
        operands: include_str!("../../../specs/llvm/loongarch.operands"),
    },
    Target { rows: "bpf.jsonl", folder: "BPF", operands: include_str!("../../../specs/llvm/bpf.operands") },
    Target { rows: "lanai.jsonl", folder: "Lanai", operands: include_str!("../../../specs/llvm/lanai.operands") },
    Target { rows: "sparc.jsonl", folder: "Sparc", operands: include_str!("../../../specs/llvm/sparc.operands") },
    Target {
        rows: "amdgpu-gfx9-gfx10-sop.jsonl.gz",
        folder: "AMDGPU",
        operands: include_str!("../../../specs/llvm/amdgpu.operands"),
    },
    Target { rows: "msp430.jsonl", folder: "MSP430", operands: include_str!("../../../specs/llvm/msp430.operands") },
    Target { rows: "avr.jsonl", folder: "AVR", operands: include_str!("../../../specs/llvm/avr.operands") },
    Target {
        rows: "systemz.jsonl.gz",
        folder: "SystemZ",
        operands: include_str!("../../../specs/llvm/systemz.operands"),
    },
    Target { rows: "powerpc.jsonl.gz", folder: "PowerPC", operands: include_str!("../../../specs/llvm/ppc.operands") },
    Target { rows: "m68k.jsonl", folder: "M68k", operands: include_str!("../../../specs/llvm/m68k.operands") },
    Target { rows: "ve.jsonl", folder: "VE", operands: include_str!("../../../specs/llvm/ve.operands") },
    Target { rows: "xtensa.jsonl", folder: "Xtensa", operands: include_str!("../../../specs/llvm/xtensa.operands") },
];

/// Rows with their line numbers, by triple, processor and features.
type Groups = BTreeMap<[String; 3], Vec<(usize, Value)>>;

fn groups(path: &Path) -> Result<Groups, String> {
    let mut groups = Groups::new();
    for (line, number) in text(path)?.lines().zip(1..) {
        let row: Value = serde_json::from_str(line).map_err(|e| format!("{}:{number}: {e}", path.display()))?;
        if row["ctx"].as_bool().unwrap_or(false) {
            continue;
        }
        let key = ["triple", "cpu", "mattr"].map(|k| row[k].as_str().unwrap_or_default().to_owned());
        groups.entry(key).or_default().push((number, row));
    }
    Ok(groups)
}

fn check(set: &str, tally: &Tally) -> Result<(), Failed> {
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), set, tally)?)
}

fn list<'r>(row: &'r Value, key: &str) -> &'r [Value] {
    row[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Prints what exactly is different, if `ISAGLOT_SHOW` asks for it: ledgers do not repeat the corpus.
fn detail(target: &Target, number: usize, text: &str) {
    if std::env::var_os("ISAGLOT_SHOW").is_some() {
        println!("{}:{number}: {text}", target.rows);
    }
}

fn mnemonic(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
}

/// Why a text is not llvm-mc's, in the words of a ledger.
fn text_reason(got: &[String], want: &[String], bad: bool) -> String {
    let invalid = got.iter().find(|line| line.starts_with('<'));
    let (first, wanted) = match got.iter().zip(want).find(|(a, b)| a != b) {
        Some((a, b)) => (mnemonic(a), mnemonic(b)),
        None => ("", ""),
    };
    if bad {
        "llvm-mc rejects the word by a check in C++ that no record states".to_owned()
    } else if invalid.is_some() {
        format!("`{wanted}`: the word is not decoded: LLVM's C++ sets bits or a mode that no record states")
    } else if got.len() != want.len() {
        "LLVM prints another number of instructions".to_owned()
    } else if first == wanted {
        format!("`{first}`: its operands print by C++ that the operand table does not describe")
    } else {
        format!("`{first}` prints as `{wanted}`, an alias that is written in LLVM's C++")
    }
}

/// Why text does not become llvm-mc's bytes, in the words of a ledger.
fn bytes_reason(text: &str, instructions: usize, failure: Option<&Failure>) -> String {
    let what = match failure {
        _ if instructions > 1 => "a pseudo-instruction that LLVM's C++ expands to several instructions",
        None => "LLVM chooses another encoding of the same text",
        Some(Failure::Unknown { .. }) => {
            "no record has this mnemonic (an alias of LLVM's C++ parser), or only under a feature that LLVM's C++ decoder alone asks for"
        }
        Some(Failure::Expected { .. }) => "operand syntax that only LLVM's C++ parser accepts",
        Some(Failure::Value { .. }) => "an operand value that only LLVM's C++ parser accepts",
        Some(Failure::Contradiction { .. }) => "the word of this text prints in another way",
        Some(Failure::Ambiguous { .. }) => "several words have this text",
        Some(_) => "the search for a word is given up",
    };
    format!("`{}`: {what}", mnemonic(text))
}

/// What a ledger says of rows of a processor that the operand table does not claim: the program refuses it.
const REFUSED: &str = "the operand table does not claim this processor, which is refused";

fn is_refused(lowered: &Lowered, [triple, cpu, features]: &[String; 3]) -> bool {
    let lowered = lowered.of(triple);
    let features: Vec<&str> = features.split(',').collect();
    matches!(choose(&lowered.isa, &lowered.table, triple, cpu, &features), Err(NoSuch::Claim(_)))
}

/// Bytes to text: of `dis` rows, and of what `asm` rows were assembled to.
fn to_text(lowered: &Lowered, groups: &Groups, target: &Target) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for (key, rows) in groups {
        let plan = plan(lowered, &key[0], &key[1], &key[2]);
        let refused = is_refused(lowered, key);
        for (number, row) in rows {
            let (digits, want) = if row["k"] == "dis" {
                let want: Vec<String> =
                    list(row, "out").iter().filter_map(|o| o["asm"].as_str().map(squeeze)).collect();
                (row["in"].as_str().unwrap_or_default().to_owned(), want)
            } else if row.get("dis").is_some() && row["dis_bad"].as_u64().unwrap_or(0) == 0 {
                let digits: String = list(row, "out").iter().filter_map(|o| o["bytes"].as_str()).collect();
                (digits, list(row, "dis").iter().filter_map(|d| d.as_str().map(squeeze)).collect())
            } else {
                continue;
            };
            let got = disassemble(&plan, &unhex(&digits));
            let bad = row["bad"].as_u64().unwrap_or(0) > 0;
            let same = if bad { got.iter().any(|l| l.starts_with('<')) } else { got == want };
            tally.check(target.rows, number, same, || {
                detail(target, *number, &format!("{digits}: {got:?}, want {want:?}"));
                if refused {
                    return REFUSED.to_owned();
                }
                text_reason(&got, &want, bad)
            });
        }
    }
    check("mc_bytes_to_text", &tally)
}

/// Text to bytes, of rows without fixups.
fn to_bytes(lowered: &Lowered, groups: &Groups, target: &Target) -> Result<(), Failed> {
    let mut tally = Tally::default();
    let names = Names::default();
    for (key, rows) in groups {
        let big = lowered.of(&key[0]).isa.format().byte_order == ByteOrder::Big;
        let plan = plan(lowered, &key[0], &key[1], &key[2]).with_aliases(false);
        let refused = is_refused(lowered, key);
        let mut assembler = Assembler::new(&plan, &names, Compat::default());
        for (number, row) in rows.iter().filter(|(_, row)| row["k"] == "asm") {
            let out = list(row, "out");
            if out.iter().any(|o| o.get("fixups").is_some()) {
                continue;
            }
            let want: String = out.iter().filter_map(|o| o["bytes"].as_str()).map(str::to_lowercase).collect();
            let text = row["in"].as_str().unwrap_or_default();
            let result = assembler.assemble(squeeze(text).as_bytes()).map(|word| {
                let mut bytes: Vec<u8> = word.le_bytes().collect();
                if big {
                    bytes.reverse();
                }
                hex(&bytes)
            });
            tally.check(target.rows, number, result.as_ref().is_ok_and(|got| *got == want), || {
                detail(target, *number, &format!("{text:?}: {result:?}, want {want}"));
                if refused {
                    return REFUSED.to_owned();
                }
                bytes_reason(text, out.len(), result.as_ref().err())
            });
        }
    }
    check("mc_text_to_bytes", &tally)
}

/// What is encoded from the operands of a word is the word.
fn round_trip(lowered: &Lowered, groups: &Groups, target: &Target) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for (key, rows) in groups {
        let format = lowered.of(&key[0]).isa.format();
        let plan = plan(lowered, &key[0], &key[1], &key[2]);
        let mut seen = std::collections::BTreeSet::new();
        for (number, row) in rows {
            let own = row["in"].as_str().filter(|_| row["k"] == "dis");
            for digits in list(row, "out").iter().filter_map(|o| o["bytes"].as_str()).chain(own) {
                let mut bytes = unhex(digits);
                if format.byte_order == ByteOrder::Big {
                    bytes.reverse();
                }
                let word = Word::from_le_bytes(&bytes, bytes.len() as u32 * 8);
                if bytes.len() as u32 * 8 > format.max_bits || !seen.insert(word.clone()) {
                    continue;
                }
                let Some(tree) = operands::decode(&plan, &word) else { continue };
                let again = operands::encode(&plan, &tree);
                tally.check(target.rows, number, again.as_ref() == Ok(&word), || format!("{digits}: {again:?}"));
            }
        }
    }
    Ok(tally.all_pass(&format!("{} round trip", target.folder))?)
}

/// Bytes and lines that are tried on each target.
const NOISE: usize = 1 << 16;
const LINES: usize = 400;

/// Random bytes are text, and random text is bytes or an error: with every feature on, so that every instruction counts.
fn noise(lowered: &Lowered, groups: &Groups, target: &Target) -> Result<(), Failed> {
    let mut random = Random::new(0x9e37_79b9);
    let on: Vec<FeatureId> = (0..lowered.isa.features().len() as u32).map(FeatureId).collect();
    let plan = Plan::with_features(&lowered.isa, 0, &on).with_aliases(true);
    isaglot_asm::oracle::disassemble(&plan, &random.bytes(NOISE));
    let texts: Vec<&str> = groups.values().flatten().filter_map(|(_, row)| row["in"].as_str()).collect();
    let mut source = Vec::new();
    for _ in 0..LINES {
        let mut line = random.pick(&texts).as_bytes().to_vec();
        for _ in 0..random.index(4) {
            let other = random.pick(&texts).as_bytes();
            let (at, from) = (random.index(line.len() + 1), random.index(other.len() + 1));
            match random.index(3) {
                0 => line.truncate(at),
                1 => line.insert(at, random.u8()),
                _ => drop(line.splice(at.., other[from..].iter().copied())),
            }
        }
        source.extend_from_slice(&line);
        source.push(b'\n');
    }
    isaglot_asm::oracle::assemble(&plan, &source);
    println!("{} noise: {NOISE} bytes, {LINES} lines", target.folder);
    Ok(())
}

/// Files that have no rows of the disassembler.
const ASSEMBLED_ONLY: &[&str] = &["m68k.jsonl", "ve.jsonl", "xtensa.jsonl"];

type Part = fn(&Lowered, &Groups, &Target) -> Result<(), Failed>;

const PARTS: [(&str, Part); 4] =
    [("noise", noise), ("round trip", round_trip), ("bytes to text", to_text), ("text to bytes", to_bytes)];

fn main() {
    suite::run_corpus("tablegen", |dir| {
        let mut trials = Vec::new();
        for target in TARGETS {
            let path = dir.join("mc").join(target.rows);
            let archive = dir.join("td.tar.xz");
            // Read and lowered by the first of the tests that need it.
            let shared: Arc<OnceLock<Result<(Lowered, Groups), String>>> = Arc::default();
            for (what, part) in PARTS {
                if what == "bytes to text" && ASSEMBLED_ONLY.contains(&target.rows) {
                    continue;
                }
                let (shared, path, archive) = (Arc::clone(&shared), path.clone(), archive.clone());
                let run = move || {
                    let load = || Ok((lower(&archive, target.folder, target.operands)?, groups(&path)?));
                    let (lowered, groups) = shared.get_or_init(load).as_ref().map_err(Failed::from)?;
                    part(lowered, groups, target)
                };
                trials.push(Trial::test(format!("tablegen: {} {what}", target.folder), run));
            }
        }
        trials
    });
}
