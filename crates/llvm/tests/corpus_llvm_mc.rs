//! LLVM's own disassembler and assembler on the encodings of its tests and on random words: text and refusals of each word, and
//! the word that each text becomes.
//!
//! A row is `[bytes, text]`, the text `null` where llvm-mc refuses the word; a header names triple, processor and features
//! of the rows after it. Blanks count as one space, comments do not count. Prints a line for each file: accepted and refused alike, text equal, bytes equal.
//! The rows that fail today stand in `tests/ledger`. Of the random words every thirtieth is tried, of AMDGPU's and ARM's every seventh; `ISAGLOT_FULL=1` tries all of them
//! (and prints figures only: the ledgers are for the sample).

mod target;

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_model::ByteOrder;
use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::corpus::{hex, text, unhex};
use isaglot_testing::{Failed, Tally, Trial, ledger, suite};
use serde_json::Value;
use target::{Lowered, disassemble, lower, plan, records, squeeze};

/// A target: its folder in LLVM's tree, its operand table, its files of rows without `.jsonl.xz`.
struct Target {
    folder: &'static str,
    operands: &'static str,
    files: &'static [&'static str],
    /// The sources are those of LLVM 21.
    newer: bool,
}

macro_rules! target {
    ($folder:literal, $table:literal, $newer:literal, $files:expr) => {
        Target {
            folder: $folder,
            operands: include_str!(concat!("../../../specs/llvm/", $table, ".operands")),
            files: &$files,
            newer: $newer,
        }
    };
}

const TARGETS: &[Target] = &[
    target!("AArch64", "aarch64", false, ["19-aarch64"]),
    target!("AMDGPU", "amdgpu", false, ["19-amdgpu"]),
    target!("ARM", "arm", false, ["19-arm"]),
    target!(
        "RISCV",
        "riscv",
        false,
        ["19-riscv", "19-random-riscv-std", "19-random-riscv-vendor", "19-random-riscv-rv32cv"]
    ),
    target!("LoongArch", "loongarch", false, ["19-loongarch", "19-random-loongarch-la64"]),
    target!("BPF", "bpf", false, ["19-bpf", "19-random-bpf-el", "19-random-bpf-eb"]),
    target!("Lanai", "lanai", false, ["19-lanai"]),
    target!("Mips", "mips", false, ["19-mips"]),
    target!("MSP430", "msp430", false, ["19-msp430"]),
    target!("AVR", "avr", false, ["19-avr", "19-random-avr-special"]),
    target!("Sparc", "sparc", false, ["19-sparc", "19-random-sparc-v8", "19-random-sparc-v9"]),
    target!("PowerPC", "ppc", false, ["19-powerpc", "19-random-powerpc-pwr10"]),
    target!("SystemZ", "systemz", false, ["19-systemz", "19-random-systemz-arch14"]),
    target!("RISCV", "riscv", true, ["22-riscv"]),
    target!("LoongArch", "loongarch", true, ["22-loongarch"]),
    target!("BPF", "bpf", true, ["22-bpf"]),
    target!("Lanai", "lanai", true, ["22-lanai"]),
    target!("MSP430", "msp430", true, ["22-msp430"]),
    target!("AVR", "avr", true, ["22-avr"]),
    target!("Sparc", "sparc", true, ["22-sparc"]),
    target!("PowerPC", "ppc", true, ["22-powerpc"]),
    target!("SystemZ", "systemz", true, ["22-systemz"]),
];

/// Of the random words of a file one of so many is tried.
const SAMPLE: usize = 30;

/// The same of the rows of a file that is large, and whose words are long.
const SAMPLE_OF_LARGE: usize = 7;

/// What was counted of a file.
#[derive(Default)]
struct Counts {
    rows: usize,
    /// Accepted by both or refused by both.
    alike: usize,
    accepted_by_both: usize,
    text: usize,
    bytes: usize,
}

fn share(part: usize, of: usize) -> String {
    format!("{part}/{of} ({:.2} %)", 100.0 * part as f64 / of.max(1) as f64)
}

/// Line, bytes as digits, a text for each instruction of them.
type Row = (usize, String, Option<Vec<String>>);

/// The rows under one header.
struct Group {
    triple: String,
    cpu: String,
    features: String,
    rows: Vec<Row>,
}

fn groups(path: &Path) -> Result<Vec<Group>, String> {
    let mut groups: Vec<Group> = Vec::new();
    for (line, number) in text(path)?.lines().zip(1..) {
        let row: Value = serde_json::from_str(line).map_err(|e| format!("{}:{number}: {e}", path.display()))?;
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        if row.is_object() {
            groups.push(Group {
                triple: field("triple"),
                cpu: field("mcpu"),
                features: field("mattr"),
                rows: Vec::new(),
            });
            continue;
        }
        let digits = row[0].as_str().unwrap_or_default().to_owned();
        let group = groups.last_mut().ok_or_else(|| format!("{}:{number}: a row without a header", path.display()))?;
        group.rows.push((number, digits, row[1].as_str().map(lines)));
    }
    Ok(groups)
}

/// The texts of a row: short words may be several instructions.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| squeeze(without_comment(line))).collect()
}

/// The instruction alone: what llvm-mc says of a value in other words (`mov x0, #4 // =0x4`) is not part of it.
fn without_comment(text: &str) -> &str {
    let ends = [" // ", " ; "].into_iter().filter_map(|mark| text.find(mark));
    ends.min().and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Prints what exactly is different, if `ISAGLOT_SHOW` asks for it: ledgers do not repeat the corpus.
fn detail(file: &str, number: usize, text: &str) {
    if std::env::var_os("ISAGLOT_SHOW").is_some() {
        println!("{file}:{number}: {text}");
    }
}

/// Disassembles and assembles the rows of a file.
fn run(lowered: &Lowered, path: &Path, file: &str, step: usize) -> Result<(Tally, Counts), String> {
    let mut tally = Tally::default();
    let mut counts = Counts::default();
    let names = Names::default();
    for group in groups(path)? {
        let plan = plan(lowered, &group.triple, &group.cpu, &group.features);
        let big = plan.isa().format().byte_order == ByteOrder::Big;
        let mut assembler = Assembler::new(&plan, &names, Compat::default());
        for (number, digits, want) in group.rows.iter().step_by(step) {
            let got = disassemble(&plan, &unhex(digits));
            let refused = got.iter().any(|line| line.starts_with('<'));
            counts.rows += 1;
            let Some(want) = want else {
                counts.alike += usize::from(refused);
                tally.check(file, number, refused, || {
                    detail(file, *number, &format!("{digits}: {got:?}, llvm-mc refuses it"));
                    "llvm-mc refuses the word".to_owned()
                });
                continue;
            };
            if refused {
                tally.check(file, number, false, || {
                    detail(
                        file,
                        *number,
                        &format!(
                            "{digits}: refused, want {want:?} ({} {} {})",
                            group.triple, group.cpu, group.features
                        ),
                    );
                    "the word is not decoded".to_owned()
                });
                continue;
            }
            counts.alike += 1;
            counts.accepted_by_both += 1;
            let same = got == *want;
            counts.text += usize::from(same);
            let words = want.iter().map(|line| {
                let word = assembler.assemble(line.as_bytes())?;
                let mut bytes: Vec<u8> = word.le_bytes().collect();
                if big {
                    bytes.reverse();
                }
                Ok::<_, isaglot_asm::Failure>(hex(&bytes))
            });
            let word: Result<String, _> = words.collect();
            let is_word = word.as_ref().is_ok_and(|word| word == digits);
            counts.bytes += usize::from(is_word);
            tally.check(file, number, same && is_word, || {
                if !same {
                    detail(file, *number, &format!("{digits}: {got:?}, want {want:?}"));
                    return "the text is another one".to_owned();
                }
                detail(file, *number, &format!("{want:?}: {word:?}, want {digits}"));
                if word.is_ok() { "the text becomes another word" } else { "the text is not assembled" }.to_owned()
            });
        }
    }
    Ok((tally, counts))
}

/// The page with the table of figures, and the lines around it.
const PAGE: &str = "docs/llvm-targets.md";
const BEGIN: &str = "<!-- llvm-mc: begin -->\n";
const END: &str = "<!-- llvm-mc: end -->\n";
const HEAD: &str = "| words | words tried | accepted or refused alike | text equal | same word from the text |\n|---|---|---|---|---|\n";

/// Puts the figures of a file into the page, in the order of the names of the files.
fn publish(file: &str, counts: &Counts) -> Result<(), String> {
    // Several tests may end at the same time.
    static WRITER: Mutex<()> = Mutex::new(());
    let _one_at_a_time = WRITER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let path = isaglot_testing::workspace().join(PAGE);
    let error = |e: std::io::Error| format!("{}: {e}", path.display());
    let page = std::fs::read_to_string(&path).map_err(error)?;
    let (before, rest) = page.split_once(BEGIN).ok_or("the page has no place for the table")?;
    let (old, after) = rest.split_once(END).ok_or("the table has no end")?;
    let name = format!("| {file} |");
    let mut rows: Vec<String> = old.lines().skip(2).filter(|row| !row.starts_with(&name)).map(str::to_owned).collect();
    let bytes = if file.contains("random") { "-".to_owned() } else { share(counts.bytes, counts.accepted_by_both) };
    rows.push(format!(
        "{name} {} | {} | {} | {bytes} |",
        counts.rows,
        share(counts.alike, counts.rows),
        share(counts.text, counts.accepted_by_both),
    ));
    rows.sort_unstable();
    let table = format!("{HEAD}{}\n", rows.join("\n"));
    std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).map_err(error)
}

fn check(lowered: &Lowered, folder: &Path, file: &str) -> Result<(), Failed> {
    let full = std::env::var_os("ISAGLOT_FULL").is_some_and(|v| !v.is_empty() && v != "0");
    let (random, large) = (file.contains("random"), matches!(file, "19-amdgpu" | "19-arm"));
    let step = if full || !random && !large {
        1
    } else if random {
        SAMPLE
    } else {
        SAMPLE_OF_LARGE
    };
    let (tally, counts) = run(lowered, &folder.join(format!("{file}.jsonl.xz")), file, step)?;
    println!(
        "{file}: {} rows, accepted or refused alike {}, text {}, bytes {}",
        counts.rows,
        share(counts.alike, counts.rows),
        share(counts.text, counts.accepted_by_both),
        share(counts.bytes, counts.accepted_by_both)
    );
    if full && isaglot_testing::bless::wanted() {
        publish(file, &counts)?;
    }
    if (random || large) && full {
        return Ok(());
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "llvm_mc", &tally)?)
}

/// Targets of LLVM 21 that no file of rows is about, each with its table.
const ALSO_NEWER: &[(&str, &str)] = &[
    ("AArch64", include_str!("../../../specs/llvm/aarch64.operands")),
    ("AMDGPU", include_str!("../../../specs/llvm/amdgpu.operands")),
    ("ARM", include_str!("../../../specs/llvm/arm.operands")),
    ("M68k", include_str!("../../../specs/llvm/m68k.operands")),
    ("Mips", include_str!("../../../specs/llvm/mips.operands")),
    ("VE", include_str!("../../../specs/llvm/ve.operands")),
    ("XCore", include_str!("../../../specs/llvm/xcore.operands")),
    ("Xtensa", include_str!("../../../specs/llvm/xtensa.operands")),
];

/// That the sources of LLVM 21 load with the table of a target; the names that it does not explain stand in the ledger.
fn loads(archive: &Path, folder: &str, operands: &str) -> Result<(), Failed> {
    let records = records(archive, folder)?;
    let mut problems = Diagnostics::new();
    let table = isaglot_llvm::read(FileId(u32::MAX), operands, &mut problems);
    let lowered = isaglot_llvm::lower(&records, &table, &mut problems);
    let errors: Vec<String> = problems.iter().map(|d| format!("{:?}: {}", d.severity, d.message)).collect();
    let lowered = lowered.ok_or_else(|| format!("{folder} of LLVM 21 cannot be lowered: {errors:?}"))?;
    let mut tally = Tally::default();
    tally.check(folder, "problems", errors.is_empty(), || format!("{errors:?}"));
    for (kind, name, _, count) in &lowered.missing {
        let what = kind.name();
        tally.check(folder, name, false, || format!("no meaning is known for the {what} (used {count} times)"));
    }
    // Freeing millions of values takes longer than the test.
    std::mem::forget(records);
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "newer", &tally)?)
}

fn main() {
    suite::run_corpus("tablegen", |dir| {
        let mut trials = Vec::new();
        for target in TARGETS {
            let archive = dir.join(if target.newer { "td21.tar.xz" } else { "td.tar.xz" });
            // Read and lowered by the first of the tests that need it.
            let shared: Arc<OnceLock<Result<Lowered, String>>> = Arc::default();
            for file in target.files {
                let (shared, archive, folder) = (Arc::clone(&shared), archive.clone(), dir.join("llvm-mc"));
                trials.push(Trial::test(format!("llvm-mc: {file}"), move || {
                    let load = || lower(&archive, target.folder, target.operands);
                    let lowered = shared.get_or_init(load).as_ref().map_err(Failed::from)?;
                    check(lowered, &folder, file)
                }));
            }
        }
        for (folder, operands) in ALSO_NEWER {
            let archive = dir.join("td21.tar.xz");
            trials.push(Trial::test(format!("llvm-mc: {folder} of LLVM 21 loads"), move || {
                loads(&archive, folder, operands)
            }));
        }
        trials
    });
}
