//! Every text of the Unified Database against the shipped description, by z3: proved, refuted by a step that the hart takes, or
//! out of scope with the reason. The ledger has all that is not proved. Each step that refutes is taken by qemu too, which should
//! side with the shipped description: another ledger has those for which it does not.

#[path = "../../riscv/tests/it/description.rs"]
mod description;
#[path = "instructions/emulated.rs"]
mod emulated;
#[allow(dead_code, reason = "not every test reads rows")]
#[path = "../../riscv/tests/formats/mod.rs"]
mod formats;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use isaglot_bits::Word;
use isaglot_hart::{Config, Hart, Stop};
use isaglot_model::Isa;
use isaglot_prove::instructions::{Question, Step, questions};
use isaglot_prove::{Answer, Verdict};
use isaglot_riscv::Xlen;
use isaglot_riscv::formats::udb::{self, Folder, Sources};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Failed, Tally, ledger, peer, suite};

fn main() {
    suite::run_corpus("riscv", |folder| {
        let folder = folder.to_owned();
        vec![peer::trial("instructions", &[peer::Z3, peer::RISCV_QEMU], move || proofs(&folder))]
    })
}

/// What z3 says of a script, and the values of these terms.
fn z3(script: &str, names: &[String]) -> Answer {
    let ask = |more: &str| {
        let text = format!("{script}{more}");
        peer::output(Command::new("z3").args(["-in", "-t:15000"]), &text).unwrap_or_else(|e| e)
    };
    let said = ask("");
    match said.lines().next() {
        Some("unsat") => Answer::Unsat,
        Some("sat") if names.is_empty() => Answer::Sat(Vec::new()),
        Some("sat") => Answer::Sat(values(&ask(&format!("(get-value ({}))\n", names.join(" "))))),
        other => Answer::Unknown(other.unwrap_or("no answer").to_owned()),
    }
}

/// The values of an answer: the last `#x…` or `#b…` of each pair.
fn values(said: &str) -> Vec<Word> {
    let mut made = Vec::new();
    for line in said.lines().skip(1) {
        let last = line.trim_end_matches(')').rsplit([' ', '(']).next().unwrap_or("");
        let (digits, bits, radix) = match (last.strip_prefix("#x"), last.strip_prefix("#b")) {
            (Some(d), _) => (d, 4, 16),
            (_, Some(d)) => (d, 1, 2),
            _ => continue,
        };
        let value = u128::from_str_radix(digits, radix).unwrap_or(0);
        made.push(Word::from_u128(value, digits.len() as u32 * bits));
    }
    made
}

/// The hart takes the step as the shipped description says.
fn replays(isa: &Isa, xlen: Xlen, step: &Step) -> Result<(), String> {
    const START: u64 = 0x8000_0100;
    let mut config = Config::new(xlen.bits());
    config.extensions =
        Some("priv m a c zcb b zbc zk zks zicond zimop zabha zacas zcmp".split(' ').map(str::to_owned).collect());
    let mut hart = Hart::new(isa, config)?;
    for (at, byte) in &step.memory {
        hart.memory().write(*at, &[*byte]).map_err(|at| format!("no memory at {at:#x}"))?;
    }
    let bytes: Vec<u8> = step.word.le_bytes().collect();
    hart.memory().write(START, &bytes).map_err(|at| format!("no memory at {at:#x}"))?;
    for (n, value) in (0u8..).zip(&step.x) {
        hart.set_register(n, value.low_u64());
    }
    hart.set_pc(START);
    let stop = hart.step();
    if let Some(trap) = &step.ours.trap {
        let trapped = matches!(stop, Some(Stop::Trap(_)));
        return if trapped { Ok(()) } else { Err(format!("the hart does not trap for {trap} ({stop:?})")) };
    }
    for (n, value) in (1u8..).zip(step.ours.x.iter().skip(1)) {
        if hart.register(n) != value.low_u64() {
            return Err(format!("x{n} is {:#x} on the hart, not {:#x} ({stop:?})", hart.register(n), value.low_u64()));
        }
    }
    Ok(())
}

/// One line of what became of a question: nothing if all is proved.
fn decided(isa: &Isa, question: Question) -> Result<Option<Step>, String> {
    let claims = question.claims.map_err(|(class, why)| format!("{class}: {why}"))?;
    for mut compared in claims {
        let (verdict, step) = compared.decide(&mut |script, names| z3(script, names));
        match verdict {
            Verdict::Proved { .. } => {}
            Verdict::Unknown(why) => return Err(format!("unknown: {why}")),
            Verdict::Refuted(_) => {
                let step = step.ok_or("refuted: by nothing that one step shows")?;
                replays(isa, question.xlen, &step)?;
                return Ok(Some(step));
            }
        }
    }
    Ok(None)
}

fn proofs(corpus: &Path) -> Result<(), Failed> {
    let base = Folder { name: "udb".to_owned(), files: formats::tree(corpus, "udb.tar.xz", "udb/spec/std/isa")? };
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let table = udb::load(Sources { base, ..Sources::default() }, &mut files, &mut out).ok_or("the tree is refused")?;
    let isa = description::isa();
    let start = Instant::now();
    let (mut tally, mut emulated) = (Tally::default(), Tally::default());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for question in questions(&table, &files, &isa, &[Xlen::Rv32, Xlen::Rv64]) {
        let place = format!("{} RV{}", question.name, question.xlen.bits());
        let began = start.elapsed();
        let xlen = question.xlen;
        let result = match decided(&isa, question) {
            Ok(None) => Ok(()),
            Ok(Some(step)) => {
                if emulated::has(&place) {
                    emulated.row("qemu", place.clone(), emulated::sides_with_us(&step, xlen));
                }
                let sides = format!("{} and not {}", step.theirs.changes.join(", "), step.ours.changes.join(", "));
                if isaglot_testing::shown() > 20 {
                    println!("{place}: {:#x}: {sides}", step.word.low_u64());
                }
                Err("refuted".to_owned())
            }
            Err(why) => Err(why),
        };
        let took = start.elapsed() - began;
        if took.as_secs() > 3 {
            println!("{place}: {took:?}");
        }
        let class =
            result.as_ref().map_or_else(|why| why.split(':').next().unwrap_or("").to_owned(), |()| "proved".to_owned());
        *counts.entry(class).or_default() += 1;
        tally.row("udb", place, result);
    }
    println!("instructions: {counts:?} in {:?}", start.elapsed());
    ledger::check(env!("CARGO_MANIFEST_DIR"), "instructions", &tally)?;
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "instructions-qemu", &emulated)?)
}
