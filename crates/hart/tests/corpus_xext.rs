//! The executable cases of the corpus: how a run ends, registers, the trap, device calls, the level.

#[path = "../../riscv/tests/it/description.rs"]
mod description;

use std::path::Path;

use isaglot_hart::{Config, Hart, Stop};
use isaglot_riscv::register;
use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::{Failed, Tally, corpus, ledger, suite};
use isaglot_xintf::set::Set;
use serde_json::{Value, json};

const START: u64 = 0x8000_0000;
const MAX_STEPS: u64 = 100_000;

fn main() {
    suite::run_corpus_cases("xext", &[("xext_cases", cases)]);
}

fn read(path: &Path) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&corpus::text(path)?)?)
}

fn cases(dir: &Path) -> Result<(), Failed> {
    let isa = description::isa();
    let cpus = read(&dir.join("cpus.json"))?;
    let mut tally = Tally::default();
    for file in corpus::files(&dir.join("cases"), ".json") {
        tally.row(&corpus::name(&file), "run", one(&isa, &read(&file)?, &cpus));
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "xext_cases", &tally)?)
}

/// The number of a register by its name.
fn register(name: &str) -> u8 {
    register::integer(name).unwrap_or_else(|| panic!("no register `{name}`")) as u8
}

fn hex(v: &Value) -> u64 {
    let text = v.as_str().unwrap_or_default();
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or_else(|e| panic!("{v}: {e}"))
}

fn one(isa: &isaglot_model::Isa, case: &Value, cpus: &Value) -> Result<(), String> {
    // The processor of the corpus with what the case says about it is a machine of ours.
    let mut machine = cpus[case["cpu"].as_str().unwrap_or_default()].clone();
    for key in ["xlen", "n_cmds", "encoding", "priv_levels", "start_priv", "trap_model"] {
        machine[key] = case[key].clone();
    }
    let mut problems = Diagnostics::new();
    let text = machine.to_string();
    let config = Config::read(FileId(0), text.as_bytes(), &Set::default(), 64, &mut problems);
    if problems.has_errors() {
        let texts: Vec<String> = problems.iter().map(|d| d.message.clone()).collect();
        return Err(texts.join("; "));
    }
    let mut hart = Hart::new(isa, config)?;
    for (at, word) in case["words"].as_array().ok_or("no words")?.iter().enumerate() {
        let bytes = (hex(word) as u32).to_le_bytes();
        hart.memory().write(START + 4 * at as u64, &bytes).map_err(|e| format!("no memory at {e:#x}"))?;
    }
    hart.set_pc(START);
    for (name, value) in case["init"].as_object().into_iter().flatten() {
        hart.set_register(register(name), hex(value));
    }
    let stop = hart.run(MAX_STEPS);

    let expect = &case["expect"];
    let same = |what: &str, got: Value, want: &Value| {
        if got == *want { Ok(()) } else { Err(format!("{what}: {got}, not {want}")) }
    };
    let kind = match &stop {
        Stop::Ebreak => "ebreak",
        Stop::Trap(_) => "trap",
        Stop::Tohost(_) => "tohost",
        Stop::Exit(_) => "exit",
        Stop::Limit => "limit",
        Stop::Stuck => "stuck",
        Stop::Breakpoint | Stop::Watchpoint(..) => "debug",
    };
    same("stop", json!(kind), &expect["stop"])?;
    for (name, value) in expect["regs"].as_object().into_iter().flatten() {
        same(name, json!(hart.register(register(name))), &json!(hex(value)))?;
    }
    if let (Stop::Trap(t), Some(want)) = (&stop, expect["trap"].as_object()) {
        same("reason", json!(t.reason.name()), &want["reason"])?;
        same("from", json!(t.from.name()), &want["from"])?;
        same("to", json!(t.to.map_or("debug", |l| l.name())), &want["to"])?;
        same("pc", json!(t.pc), &json!(hex(&want["pc"])))?;
        same("insn", json!(t.insn), &json!(hex(&want["insn"])))?;
    }
    if let Some(want) = expect["calls"].as_array() {
        let calls = hart.calls().iter();
        let got: Vec<Value> =
            calls.map(|c| json!([hart.device_name(c.device), c.sub, c.command, c.rs1, c.rs2, c.result])).collect();
        let number = |v: &Value| {
            if v.is_string() && v.as_str().is_some_and(|s| s.starts_with("0x")) { json!(hex(v)) } else { v.clone() }
        };
        let want: Vec<Value> =
            want.iter().map(|c| c.as_array().into_iter().flatten().map(number).collect::<Value>()).collect();
        same("calls", json!(got), &json!(want))?;
    }
    same("level", json!(hart.level().name()), &expect["priv"])
}
