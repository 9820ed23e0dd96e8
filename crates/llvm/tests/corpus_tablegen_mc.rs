//! LLVM's assembler tests: the instructions of whole targets, lowered from their records, against what llvm-mc says of
//! the same bytes and the same text. Rows that need what stands before them in their source (`ctx`) are left aside.
//!
//! `ISAGLOT_SHOW=N` prints the first N differences of each target.

mod target;
mod unpacked;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_bits::Word;
use isaglot_codec::{Plan, operands};
use isaglot_model::{ByteOrder, FeatureId};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use target::{Lowered, disassemble, lower, plan, squeeze};
use unpacked::unpacked;

/// A target: its file of rows, its folder in LLVM's tree, and the least shares of rows that must be equal,
/// in tenths of a percent: bytes to text, text to bytes.
struct Target {
    rows: &'static str,
    folder: &'static str,
    operands: &'static str,
    to_text: usize,
    to_bytes: usize,
}

const TARGETS: &[Target] = &[
    Target {
        rows: "riscv.jsonl.gz",
        folder: "RISCV",
        operands: include_str!("../../../specs/llvm/riscv.operands"),
        to_text: 980,
        to_bytes: 960,
    },
    Target {
        rows: "loongarch.jsonl",
        folder: "LoongArch",
        operands: include_str!("../../../specs/llvm/loongarch.operands"),
        to_text: 990,
        to_bytes: 980,
    },
    Target {
        rows: "bpf.jsonl",
        folder: "BPF",
        operands: include_str!("../../../specs/llvm/bpf.operands"),
        to_text: 990,
        to_bytes: 980,
    },
    Target {
        rows: "lanai.jsonl",
        folder: "Lanai",
        operands: include_str!("../../../specs/llvm/lanai.operands"),
        to_text: 950,
        to_bytes: 950,
    },
    Target {
        rows: "sparc.jsonl",
        folder: "Sparc",
        operands: include_str!("../../../specs/llvm/sparc.operands"),
        to_text: 880,
        to_bytes: 880,
    },
    Target {
        rows: "amdgpu-gfx9-gfx10-sop.jsonl.gz",
        folder: "AMDGPU",
        operands: include_str!("../../../specs/llvm/amdgpu.operands"),
        to_text: 980,
        to_bytes: 980,
    },
    Target {
        rows: "msp430.jsonl",
        folder: "MSP430",
        operands: include_str!("../../../specs/llvm/msp430.operands"),
        to_text: 950,
        to_bytes: 950,
    },
    // As far as the operand table carries.
    Target {
        rows: "avr.jsonl",
        folder: "AVR",
        operands: include_str!("../../../specs/llvm/avr.operands"),
        to_text: 915,
        to_bytes: 805,
    },
    Target {
        rows: "systemz.jsonl.gz",
        folder: "SystemZ",
        operands: include_str!("../../../specs/llvm/systemz.operands"),
        to_text: 925,
        to_bytes: 825,
    },
    Target {
        rows: "powerpc.jsonl.gz",
        folder: "PowerPC",
        operands: include_str!("../../../specs/llvm/ppc.operands"),
        to_text: 925,
        to_bytes: 330,
    },
];

/// Rows that share triple, processor and features.
type Groups = BTreeMap<[String; 3], Vec<Value>>;

fn rows(path: &Path) -> Groups {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    if path.extension().is_some_and(|e| e == "gz") {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("UTF-8 in gzip");
    } else {
        text = String::from_utf8(bytes).expect("UTF-8");
    }
    let mut groups = Groups::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).expect("a JSON object a line");
        if row["ctx"].as_bool().unwrap_or(false) {
            continue;
        }
        let key = ["triple", "cpu", "mattr"].map(|k| row[k].as_str().unwrap_or_default().to_owned());
        groups.entry(key).or_default().push(row);
    }
    groups
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |c: u8| char::from(c).to_digit(16).unwrap_or(0) as u8;
    text.as_bytes().chunks(2).map(|pair| pair.iter().fold(0, |v, &c| v << 4 | digit(c))).collect()
}

#[derive(Default)]
struct Tally {
    passed: usize,
    total: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn row(&mut self, ok: bool, what: impl FnOnce() -> String) {
        self.total += 1;
        self.passed += usize::from(ok);
        if !ok {
            self.wrong.push(what());
        }
    }

    fn finish(&self, name: &str, least: usize) -> Result<(), Failed> {
        let share = if self.total == 0 { 0.0 } else { 100.0 * self.passed as f64 / self.total as f64 };
        println!("{name}: {}/{} ({share:.2} %)", self.passed, self.total);
        let show = std::env::var("ISAGLOT_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
        for line in self.wrong.iter().take(show) {
            println!("  {line}");
        }
        if self.total == 0 || self.passed * 1000 < self.total * least {
            return Err(
                format!("{name}: {} of {} are equal, fewer than {least} per mille", self.passed, self.total).into()
            );
        }
        Ok(())
    }
}

/// Bytes to text: of `dis` rows, and of what `asm` rows were assembled to.
fn to_text(lowered: &Lowered, groups: &Groups, target: &Target) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for (key, rows) in groups {
        let plan = plan(lowered, &key[0], &key[1], &key[2]);
        for row in rows {
            let list = |key: &str| row[key].as_array().map(Vec::as_slice).unwrap_or_default();
            let (hex, want) = if row["k"] == "dis" {
                let want: Vec<String> = list("out").iter().filter_map(|o| o["asm"].as_str().map(squeeze)).collect();
                (row["in"].as_str().unwrap_or_default().to_owned(), want)
            } else if row.get("dis").is_some() && row["dis_bad"].as_u64().unwrap_or(0) == 0 {
                let hex: String = list("out").iter().filter_map(|o| o["bytes"].as_str()).collect();
                (hex, list("dis").iter().filter_map(|d| d.as_str().map(squeeze)).collect())
            } else {
                continue;
            };
            let got = disassemble(&plan, &unhex(&hex));
            let bad = row["bad"].as_u64().unwrap_or(0) > 0;
            let ok = if bad { got.iter().any(|l| l.starts_with('<')) } else { got == want };
            tally.row(ok, || format!("{} {:?}: {hex}: {got:?}, want {want:?}", key[0], key[2]));
        }
    }
    tally.finish(&format!("{} bytes to text", target.folder), target.to_text)
}

/// Text to bytes, of rows without fixups.
fn to_bytes(lowered: &Lowered, groups: &Groups, target: &Target) -> Result<(), Failed> {
    let mut tally = Tally::default();
    let names = Names::default();
    let big = lowered.isa.format().byte_order == ByteOrder::Big;
    for (key, rows) in groups {
        let plan = plan(lowered, &key[0], &key[1], &key[2]).with_aliases(false);
        let mut assembler = Assembler::new(&plan, &names, Compat::default());
        for row in rows.iter().filter(|row| row["k"] == "asm") {
            let out = row["out"].as_array().map(Vec::as_slice).unwrap_or_default();
            if out.iter().any(|o| o.get("fixups").is_some()) {
                continue;
            }
            let want: Vec<u8> = out.iter().flat_map(|o| unhex(o["bytes"].as_str().unwrap_or_default())).collect();
            let text = row["in"].as_str().unwrap_or_default();
            let got = assembler.assemble(squeeze(text).as_bytes());
            let bytes = got.as_ref().ok().map(|word| {
                let mut bytes: Vec<u8> = word.le_bytes().collect();
                if big {
                    bytes.reverse();
                }
                bytes
            });
            tally.row(bytes.as_ref() == Some(&want), || {
                let shown = match (&bytes, &got) {
                    (Some(bytes), _) => bytes.iter().map(|b| format!("{b:02x}")).collect(),
                    (_, Err(why)) => format!("{why:?}"),
                    _ => String::new(),
                };
                let want: String = want.iter().map(|b| format!("{b:02x}")).collect();
                format!("{} {:?}: {text:?}: {shown}, want {want}", key[0], key[2])
            });
        }
    }
    tally.finish(&format!("{} text to bytes", target.folder), target.to_bytes)
}

/// What is encoded from the operands of a word is the word.
fn round_trip(lowered: &Lowered, groups: &Groups, target: &Target) -> Result<(), Failed> {
    let mut tally = Tally::default();
    let format = lowered.isa.format();
    for (key, rows) in groups {
        let plan = plan(lowered, &key[0], &key[1], &key[2]);
        let mut seen = std::collections::BTreeSet::new();
        for row in rows {
            let out = row["out"].as_array().map(Vec::as_slice).unwrap_or_default();
            let own = row["in"].as_str().filter(|_| row["k"] == "dis");
            for hex in out.iter().filter_map(|o| o["bytes"].as_str()).chain(own) {
                let mut bytes = unhex(hex);
                if format.byte_order == ByteOrder::Big {
                    bytes.reverse();
                }
                let word = Word::from_le_bytes(&bytes, bytes.len() as u32 * 8);
                if bytes.len() as u32 * 8 > format.max_bits || !seen.insert(word.clone()) {
                    continue;
                }
                let Some(tree) = operands::decode(&plan, &word) else { continue };
                let again = operands::encode(&plan, &tree);
                tally.row(again.as_ref() == Ok(&word), || format!("{} {:?}: {hex}: {again:?}", key[0], key[2]));
            }
        }
    }
    tally.finish(&format!("{} round trip", target.folder), 1000)
}

/// Bytes and lines that are tried on each target.
const NOISE: usize = 1 << 16;
const LINES: usize = 400;

/// Random bytes are text, and random text is bytes or an error: with every feature on, so that every instruction counts.
fn noise(lowered: &Lowered, groups: &Groups, target: &Target) -> Result<(), Failed> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let on: Vec<FeatureId> = (0..lowered.isa.features().len() as u32).map(FeatureId).collect();
    let plan = Plan::with_features(&lowered.isa, 0, &on).with_aliases(true);
    let bytes: Vec<u8> = (0..NOISE).map(|_| random.next() as u8).collect();
    isaglot_asm::oracle::disassemble(&plan, &bytes);
    let texts: Vec<&str> = groups.values().flatten().filter_map(|row| row["in"].as_str()).collect();
    let mut source = Vec::new();
    for _ in 0..LINES {
        let mut line = texts[random.next() as usize % texts.len()].as_bytes().to_vec();
        for _ in 0..random.next() % 4 {
            let other = texts[random.next() as usize % texts.len()].as_bytes();
            let (at, from) = (random.next() as usize % (line.len() + 1), random.next() as usize % (other.len() + 1));
            match random.next() % 3 {
                0 => line.truncate(at),
                1 => line.insert(at, random.next() as u8),
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

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }
}

fn corpus() -> Option<PathBuf> {
    let (dir, given) = match std::env::var_os("ISAGLOT_CORPUS") {
        Some(dir) => (PathBuf::from(dir), true),
        None => (Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), false),
    };
    let dir = dir.join("tablegen");
    assert!(!given || dir.is_dir(), "ISAGLOT_CORPUS: there is no {}", dir.display());
    dir.is_dir().then_some(dir)
}

fn main() {
    let args = Arguments::from_args();
    let mut trials = Vec::new();
    let dir = corpus();
    for target in TARGETS {
        let name = |what: &str| format!("tablegen: {} {what}", target.folder);
        let Some(dir) = dir.clone() else {
            trials.push(Trial::test(name("(no corpus)"), || Ok(())).with_ignored_flag(true));
            continue;
        };
        let shared: &'static OnceLock<(Lowered, Groups)> = Box::leak(Box::default());
        let load = move || {
            shared.get_or_init(|| {
                let groups = rows(&dir.join("mc").join(target.rows));
                (lower(unpacked(&dir), target.folder, target.operands), groups)
            })
        };
        let (a, b, c, d) = (load.clone(), load.clone(), load.clone(), load);
        trials.push(Trial::test(name("noise"), move || {
            let (lowered, groups) = d();
            noise(lowered, groups, target)
        }));
        trials.push(Trial::test(name("round trip"), move || {
            let (lowered, groups) = c();
            round_trip(lowered, groups, target)
        }));
        trials.push(Trial::test(name("bytes to text"), move || {
            let (lowered, groups) = a();
            to_text(lowered, groups, target)
        }));
        trials.push(Trial::test(name("text to bytes"), move || {
            let (lowered, groups) = b();
            to_bytes(lowered, groups, target)
        }));
    }
    libtest_mimic::run(&args, trials).exit();
}
