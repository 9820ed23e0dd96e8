//! The whole of a hart over bytes from anywhere: what the fuzz target and its smoke test drive. Nothing here may panic, and
//! every run ends.

use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_xintf::set;

use crate::memory::{PAGE, PAGE_BITS};
use crate::{Config, Hart};

/// Instructions of a run.
const STEPS: u64 = 2000;

/// A separator between the parts of an input.
const BREAK: &[u8] = b"\n---\n";

/// An input: definitions of interfaces, the file of a machine, and a program, with lines `---` between them. Without
/// such lines it is a program.
pub fn exercise(isa: &Isa, data: &[u8]) {
    let mut parts = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(BREAK.len()).position(|w| w == BREAK) {
        parts.push(rest.get(..at).unwrap_or(&[]));
        rest = rest.get(at + BREAK.len()..).unwrap_or(&[]);
    }
    parts.push(rest);
    let program = parts.pop().unwrap_or(&[]);
    let machine = parts.pop();
    let mut files = SourceMap::new();
    let mut found = Diagnostics::new();
    let named: Vec<_> = parts.iter().map(|p| files.add("interfaces", *p)).collect();
    let set = set::load(&mut files, &named, |_, _, _| None, &mut found);
    for xlen in [32, 64] {
        let mut config = match machine {
            Some(text) => {
                let file = files.add("machine", text);
                Config::read(file, text, &set, xlen, &mut found)
            }
            None => Config::new(xlen),
        };
        config.ram.truncate(4);
        let start = config.entry.or(config.ram.first().map(|r| r.0)).unwrap_or(0);
        let Ok(mut hart) = Hart::new(isa, config) else { continue };
        // What does not fit is left out.
        let _ = hart.memory().write(start, program);
        hart.set_pc(start);
        for number in 1..32 {
            hart.set_register(number, start.wrapping_add(u64::from(number) << 4));
        }
        hart.run(STEPS);
        for _ in 0..STEPS / 20 {
            let Some((word, _)) = hart.fetch(hart.pc()) else { break };
            let Some(body) = hart.instruction(&word).and_then(|id| isa.body(id, hart.xlen())) else { break };
            if hart.interpret(&word, &body).is_some() {
                break;
            }
        }
    }
}

/// The first address at which the memory of two machines differs. A page that is not there is one of zeros.
pub fn difference(one: &Hart<'_>, other: &Hart<'_>) -> Option<u64> {
    let (one, other) = (one.machine.memory.pages(), other.machine.memory.pages());
    let numbers = one.keys().chain(other.keys());
    let differs = |number: &u64| {
        let byte = |pages: &std::collections::BTreeMap<u64, &[u8]>, at: usize| {
            pages.get(number).and_then(|page| page.get(at)).copied().unwrap_or(0)
        };
        if one.get(number) == other.get(number) {
            return None;
        }
        (0..PAGE).find(|&at| byte(&one, at) != byte(&other, at)).map(|at| number << PAGE_BITS | at as u64)
    };
    numbers.filter_map(differs).min()
}
