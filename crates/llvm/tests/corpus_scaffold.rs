//! The table that `scaffold` makes of a target's records alone, for every target of the corpus: it is a table without errors, the target
//! is lowered with it and disassembles, and what is guessed has its mark. For targets with a finished table and rows of llvm-mc: the
//! rows that the guesses alone get right, taken as they are, in figures; the ledger is for the finished tables.

mod target;

use std::path::Path;

use isaglot_llvm::{self as llvm, Missing, OperandTable};
use isaglot_model::{ByteOrder, FeatureId, TemplatePart};
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::Records;
use isaglot_testing::corpus::{text, unhex};
use isaglot_testing::{Failed, Trial, suite};
use target::{disassemble, lowered_of, plan, records, squeeze};

/// A target, and its file of llvm-mc's answers if the project has a finished table for it.
const TARGETS: &[(&str, &str)] = &[
    ("BPF", "19-bpf"),
    ("Lanai", "19-lanai"),
    ("MSP430", "19-msp430"),
    ("AVR", "19-avr"),
    ("LoongArch", "19-loongarch"),
    ("RISCV", "19-riscv"),
    ("Sparc", "19-sparc"),
    ("XCore", ""),
    ("Xtensa", ""),
    ("VE", ""),
    ("ARC", ""),
    ("CSKY", ""),
    ("SystemZ", "19-systemz"),
    ("PowerPC", "19-powerpc"),
    ("AArch64", "19-aarch64"),
];

/// Reads and lowers with a table; the table has no errors.
fn lower(records: &Records, table: &str) -> Result<(llvm::Lowered, OperandTable), String> {
    let mut problems = Diagnostics::new();
    let table_read = llvm::read(FileId(u32::MAX), table, &mut problems);
    let lowered = llvm::lower(records, &table_read, &mut problems);
    let errors: Vec<String> = problems.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
    if problems.has_errors() {
        return Err(errors.join("; "));
    }
    lowered.map(|lowered| (lowered, table_read)).ok_or_else(|| "it cannot be lowered".to_owned())
}

/// Whether all targets and rows are wanted.
fn full() -> bool {
    std::env::var_os("ISAGLOT_FULL").is_some_and(|v| !v.is_empty() && v != "0")
}

/// The targets of the gate; the others with `ISAGLOT_FULL=1`.
const QUICK: &[&str] = &["BPF", "Lanai", "MSP430", "AVR", "LoongArch", "Sparc", "XCore", "Xtensa", "ARC"];

/// Rows of llvm-mc that are right, and all that it accepts.
fn rows(path: &Path, lowered: &target::Lowered) -> Result<(usize, usize), String> {
    // Of large files a sample; all with `ISAGLOT_FULL=1`.
    let step = if full() { 1 } else { 10 };
    let (mut right, mut all, mut number) = (0, 0, 0);
    let mut current = None;
    for line in text(path)?.lines() {
        let row: serde_json::Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        if row.is_object() {
            current = Some(plan(lowered, &field("triple"), &field("mcpu"), &field("mattr")));
            continue;
        }
        let (Some(plan), Some(want)) = (&current, row[1].as_str()) else { continue };
        let want = want.split(" // ").next().unwrap_or(want).split(" ; ").next().unwrap_or(want);
        number += 1;
        if number % step != 0 {
            continue;
        }
        all += 1;
        right += usize::from(disassemble(plan, &unhex(row[0].as_str().unwrap_or_default())) == [squeeze(want)]);
    }
    Ok((right, all))
}

fn check(dir: &Path, folder: &str, file: &str) -> Result<(), Failed> {
    let big = ["Lanai", "Sparc", "SystemZ", "PowerPC"].contains(&folder);
    let order = if big { ByteOrder::Big } else { ByteOrder::Little };
    let prefix = match folder {
        "Lanai" | "Sparc" | "SystemZ" => Some("%".to_owned()),
        "LoongArch" => Some("$".to_owned()),
        _ => None,
    };
    let known = llvm::Known { bytes: Some(order), prefix };
    let records = records(&dir.join("td.tar.xz"), folder)?;
    let table = llvm::scaffold(&records, &known).ok_or("no instructions")?;
    if std::env::var_os("ISAGLOT_SHOW").is_some() {
        println!("{table}");
    }
    let (marked, _) = lower(&records, &table)?;
    let guesses = marked.missing.iter().filter(|m| m.0 == Missing::Guess).count();
    let others = marked.missing.len() - guesses;
    // A name without a statement is one that the table says it has none for.
    let unsaid: Vec<&str> = marked
        .missing
        .iter()
        .filter(|m| matches!(m.0, Missing::Decoder | Missing::Printer) && !table.contains(&m.1))
        .map(|m| m.1.as_str())
        .collect();
    if !unsaid.is_empty() {
        return Err(format!("{folder}: no statement for {}", unsaid.join(", ")).into());
    }
    // Where something is guessed, texts show it.
    let on: Vec<_> = (0..marked.isa.features().len() as u32).map(FeatureId).collect();
    let templates = marked.isa.templates().iter().flat_map(|t| &t.parts);
    let marks = templates.filter(|part| matches!(part, TemplatePart::Literal(text) if text.contains(&b'?'))).count();
    if (guesses > 0) != (marks > 0) && others == 0 {
        return Err(format!("{folder}: {guesses} guesses, {marks} marks").into());
    }
    let plan_of_marked = isaglot_codec::Plan::with_features(&marked.isa, 0, &on).with_aliases(true);
    let mut random = isaglot_testing::Random::new(21);
    disassemble(&plan_of_marked, &random.bytes(4096));
    let taken = table.replace("\nguess ", "\n");
    let (lowered, table_read) = lower(&records, &taken)?;
    let statements = table.lines().filter(|line| line.starts_with("guess ")).count();
    let head =
        format!("{folder}: {} instructions, {statements} guesses, {others} names without any", lowered.instructions);
    if file.is_empty() {
        println!("{head}");
    } else {
        let lowered = lowered_of(lowered, table_read);
        let (right, all) = rows(&dir.join("llvm-mc").join(format!("{file}.jsonl.xz")), &lowered)?;
        println!("{head}, {right} of {all} texts of {file} equal ({:.1} %)", 100.0 * right as f64 / all.max(1) as f64);
    }
    std::mem::forget(records);
    Ok(())
}

fn main() {
    suite::run_corpus("tablegen", |dir| {
        let trial = |&(folder, file): &(&'static str, &'static str)| {
            let dir = dir.to_owned();
            Trial::test(format!("scaffold: {folder}"), move || check(&dir, folder, file))
        };
        TARGETS.iter().filter(|(folder, _)| full() || QUICK.contains(folder)).map(trial).collect()
    });
}
