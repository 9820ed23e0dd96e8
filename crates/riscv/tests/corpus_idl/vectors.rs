//! The rows of `golden-exec`, and what `golden-udb` says of the fields of instructions.

use std::collections::BTreeMap;
use std::path::Path;

use isaglot_testing::corpus;
use serde_json::Value;

use crate::machine::{Hart, M, P};

/// A field: its name, the bits of the word for its value, most significant first, and whether it is signed.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) bits: Vec<Option<u32>>,
    pub(crate) signed: bool,
}

impl Field {
    pub(crate) fn value(&self, word: u64) -> u64 {
        self.bits.iter().fold(0, |value, bit| value << 1 | bit.map_or(0, |b| word >> b & 1))
    }
}

/// The rows of a file.
pub(crate) fn rows(folder: &Path, file: &str) -> Result<Vec<Value>, String> {
    let text = corpus::text(&folder.join(file))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|e| format!("{file}: {e}"))).collect()
}

/// The fields of every instruction of the standard tree, by name and register width.
pub(crate) fn fields(folder: &Path) -> Result<BTreeMap<(String, u32), Vec<Field>>, String> {
    let mut made = BTreeMap::new();
    for row in rows(folder, "golden-udb.jsonl.gz")?.iter().filter(|row| row["origin"] == "std") {
        for (base, xlen) in [("RV32", 32), ("RV64", 64)] {
            let Some(list) = row["encoding"][base]["fields"].as_array() else { continue };
            let field = |f: &Value| Field {
                name: f["name"].as_str().unwrap_or("").to_owned(),
                bits: f["bits"].as_array().map_or(vec![], |b| b.iter().map(|n| n.as_u64().map(|n| n as u32)).collect()),
                signed: f["signed"].as_bool().unwrap_or(false),
            };
            let name = row["name"].as_str().unwrap_or("").to_owned();
            made.insert((name, xlen), list.iter().map(field).collect());
        }
    }
    Ok(made)
}

/// One step.
pub(crate) struct Vector {
    pub(crate) name: String,
    pub(crate) word: u64,
    pub(crate) before: Hart,
    pub(crate) after: Hart,
}

fn number(text: &str, xlen: u32) -> u64 {
    let hex = |digits: &str| u64::from_str_radix(digits, 16).expect("hexadecimal digits");
    let offset = |rest: &str| match rest.strip_prefix("0x") {
        Some(digits) => hex(digits),
        None => rest.parse::<i64>().expect("an offset") as u64,
    };
    let value = match (text.strip_prefix("P+"), text.strip_prefix("M+")) {
        (Some(rest), _) => P.wrapping_add(offset(rest)),
        (_, Some(rest)) => M.wrapping_add(offset(rest)),
        _ => hex(text.trim_start_matches("0x")),
    };
    if xlen == 32 { value & 0xffff_ffff } else { value }
}

fn registers(hart: &mut Hart, row: &Value) {
    for (n, value) in row.as_object().into_iter().flatten() {
        hart.x[n.parse::<usize>().unwrap_or(0)] = number(value.as_str().unwrap_or(""), hart.xlen);
    }
}

/// The step of a row.
pub(crate) fn vector(row: &Value, fields: &[Field]) -> Vector {
    let text = |key: &str| row[key].as_str().unwrap_or("");
    let xlen = row["xlen"].as_u64().unwrap_or(64) as u32;
    let word = number(text("word"), 64);
    let size = row["width"].as_u64().unwrap_or(32) / 8;
    let memory = corpus::unhex(row["mem"]["before"].as_str().unwrap_or(""));
    let values = fields.iter().map(|f| f.value(word)).collect();
    let fcsr = |n: usize| row["fcsr"][n].as_u64().unwrap_or(0);
    let mut before = Hart { xlen, x: [0; 32], memory, fcsr: fcsr(0), pc: P + size, fields: values, size };
    registers(&mut before, &row["x"]);
    let mut after = before.clone();
    registers(&mut after, &row["out"]);
    after.fcsr = fcsr(1);
    if let Some(memory) = row["mem"]["after"].as_str() {
        after.memory = corpus::unhex(memory);
    }
    if let Some(pc) = row["pc"].as_str() {
        after.pc = number(pc, xlen);
    }
    Vector { name: text("name").to_owned(), word, before, after }
}

/// What differs, in words.
pub(crate) fn difference(got: &Hart, want: &Hart) -> String {
    for n in 0..32 {
        if got.x[n] != want.x[n] {
            return format!("x{n} is {:#x}, not {:#x}", got.x[n], want.x[n]);
        }
    }
    if got.pc != want.pc {
        return format!("pc is P{:+}, not P{:+}", got.pc.wrapping_sub(P) as i64, want.pc.wrapping_sub(P) as i64);
    }
    if got.memory == want.memory { "fcsr differs".to_owned() } else { "memory differs".to_owned() }
}
