//! Single steps of the corpus through the shipped semantics: the registers, the memory and the pc after each are those of the
//! machines that the corpus asked.
//!
//! A row runs on the executor, which is generated, and by the interpreter, which defines what is right.

#[path = "../../riscv/tests/it/description.rs"]
mod description;

use std::path::Path;

use isaglot_bits::Word;
use isaglot_hart::{Config, Hart, Stop};
use isaglot_model::Isa;
use isaglot_testing::{Failed, Tally, corpus, ledger, suite};
use serde_json::Value;

/// What `P` and `M` stand for in a row.
const PROGRAM: u64 = 0x8000_0000;
const MEMORY: u64 = 0x8001_0000;
/// The control register of floating point.
const FCSR: u16 = 3;

fn main() {
    suite::run_corpus_cases("riscv", &[("golden_exec", steps)]);
}

fn steps(dir: &Path) -> Result<(), Failed> {
    let isa = description::isa();
    let mut machines = [(32, machine(&isa, 32)?), (64, machine(&isa, 64)?)];
    let file = dir.join("golden-exec.jsonl.gz");
    let mut tally = Tally::default();
    for (at, line) in corpus::text(&file)?.lines().enumerate() {
        let row: Value = serde_json::from_str(line)?;
        tally.row(&corpus::name(&file), at + 1, one(&isa, &mut machines, &row));
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "riscv_exec", &tally)?)
}

/// A machine that has every extension with semantics.
fn machine(isa: &Isa, xlen: u32) -> Result<Hart<'_>, String> {
    let mut config = Config::new(xlen);
    let on = "priv m a c zcb b zbc zk zks zicond zfinx";
    config.extensions = Some(on.split(' ').map(str::to_owned).collect());
    config.ram = vec![(PROGRAM, 0x2_0000)];
    Hart::new(isa, config)
}

/// A number of a row: `0x…`, or an address as `P+n` or `M+n`, where n may be negative or hexadecimal.
fn number(value: &Value) -> Result<u64, String> {
    let text = value.as_str().ok_or("not a text")?;
    let (base, rest) = match text.split_once('+') {
        Some(("P", rest)) => (PROGRAM, rest),
        Some(("M", rest)) => (MEMORY, rest),
        _ => (0, text),
    };
    let offset = match rest.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => rest.parse::<i64>().map(|n| n as u64),
    };
    Ok(base.wrapping_add(offset.map_err(|e| format!("{text}: {e}"))?))
}

fn registers(value: &Value) -> Result<Vec<(u8, u64)>, String> {
    let entry = |(name, value): (&String, &Value)| Ok((name.parse().map_err(|_| "not a register")?, number(value)?));
    value.as_object().into_iter().flatten().map(entry).collect()
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    value.as_str().map(corpus::unhex)
}

/// Runs one row on the executor, and by the interpreter.
fn one(isa: &Isa, machines: &mut [(u64, Hart<'_>)], row: &Value) -> Result<(), String> {
    let (_, hart) = machines.iter_mut().find(|(xlen, _)| row["xlen"] == *xlen).ok_or("no such width")?;
    for interpreted in [false, true] {
        let by = if interpreted { "interpreter" } else { "executor" };
        run(isa, hart, row, interpreted).map_err(|e| format!("{} by the {by}: {e}", row["name"]))?;
    }
    Ok(())
}

fn run(isa: &Isa, hart: &mut Hart<'_>, row: &Value, interpreted: bool) -> Result<(), String> {
    let xlen = hart.xlen();
    let (width, word) = (row["width"].as_u64().ok_or("no width")?, number(&row["word"])?);
    let size = width as usize / 8;
    let outside = |at: u64| format!("no memory at {at:#x}");
    hart.memory().write(PROGRAM, &word.to_le_bytes()[..size]).map_err(outside)?;
    if let Some(before) = bytes(&row["mem"]["before"]) {
        hart.memory().write(MEMORY, &before).map_err(outside)?;
    }
    hart.code_changed();
    hart.set_pc(PROGRAM);
    (0..32).for_each(|register| hart.set_register(register, 0));
    let before = registers(&row["x"])?;
    before.iter().for_each(|&(register, value)| hart.set_register(register, value));
    let fcsr: Vec<u64> = row["fcsr"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    if let Some(&value) = fcsr.first() {
        hart.set_csr(FCSR, value).ok_or("no such register")?;
    }
    let stop = if interpreted {
        let word = Word::from_u64(word, width as u32);
        let id = hart.instruction(&word).ok_or("it has no semantics")?;
        hart.interpret(&word, &isa.body(id, xlen).ok_or("it has no semantics")?)
    } else {
        hart.step()
    };
    if let Some(stop) = stop {
        return Err(match stop {
            Stop::Trap(trap) => format!("a trap: {}", trap.reason.name()),
            other => format!("{other:?}"),
        });
    }
    let same = |what: &str, got: u64, want: u64| {
        if got == want { Ok(()) } else { Err(format!("{what} is {got:#x}, not {want:#x}")) }
    };
    let pc = if row["pc"].is_null() { PROGRAM + width / 8 } else { number(&row["pc"])? };
    same("pc", hart.pc(), pc & u64::MAX >> (64 - xlen))?;
    let after = registers(&row["out"])?;
    for register in 0..32 {
        let of = |list: &[(u8, u64)]| list.iter().find(|(n, _)| *n == register).map(|(_, value)| *value);
        let want = of(&after).or(of(&before)).filter(|_| register != 0).unwrap_or(0);
        same(&format!("x{register}"), hart.register(register), want & u64::MAX >> (64 - xlen))?;
    }
    if let Some(&value) = fcsr.get(1) {
        same("fcsr", hart.csr(FCSR).unwrap_or(0), value)?;
    }
    if let Some(want) = bytes(&row["mem"]["after"]).or_else(|| bytes(&row["mem"]["before"])) {
        let got = hart.memory().read(MEMORY, want.len()).map_err(outside)?;
        if got != want {
            return Err(format!("memory is {}", corpus::hex(&got)));
        }
    }
    Ok(())
}
