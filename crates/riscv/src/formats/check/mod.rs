//! What is wrong with the instructions of a table among each other.
//!
//! The problem: two instructions may share words, on purpose or by mistake. A hint takes words of its host, an extension takes words
//! of another that cannot be there at the same time; these are no faults. The invariant: an overlap is reported only with a word
//! that both have and with an implementation that has both. The method: pairs of patterns by their bits, the exact words that both
//! have, then the search for an implementation that meets both conditions with all that its extensions require.

pub mod gaps;

use isaglot_bits::Pattern;
use isaglot_source::{Diagnostic, Diagnostics, counted};

use super::compare::rules::Rules;
use super::formula::Theory;
use super::{Formula, Instruction, Table, words};
use crate::Xlen;
use crate::limits::OVERLAPPING_PAIRS;

/// How a format means two instructions of which one has some of the words of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nested {
    /// The one with fewer words is meant.
    Wins,
    /// It is a fault, as any overlap is.
    Fault,
}

/// The codes of messages: each format has its own prefix.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// Two instructions share words.
    pub overlap: &'static str,
    /// No implementation has an instruction.
    pub unsatisfiable: &'static str,
}

/// The Unified Database: a hint, or an instruction of another extension, is meant instead of its host.
pub const UDB: (Codes, Nested) = (Codes { overlap: "udb-overlap", unsatisfiable: "udb-unsatisfiable" }, Nested::Wins);

/// riscv-opcodes: what takes words of another instruction is a pseudo-op of it.
pub const OPCODES: (Codes, Nested) =
    (Codes { overlap: "opcodes-overlap", unsatisfiable: "opcodes-unsatisfiable" }, Nested::Fault);

/// Reports overlaps of instructions that one implementation can have.
pub fn check(table: &Table, (codes, nested): (Codes, Nested), rules: &Rules, out: &mut Diagnostics) {
    for instruction in table.instructions.iter().filter(|i| i.encodings.iter().all(Option::is_none)) {
        let message = format!("no implementation has `{}`", instruction.name);
        let d = Diagnostic::warning(codes.unsatisfiable, in_file(instruction, "definedBy", message));
        out.push(d.label(instruction.span, "its condition contradicts what the extensions require"));
    }
    let (theory, mut said) = (Theory::of(table), Vec::new());
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let (pairs, complete) = pairs(table, xlen);
        if !complete {
            let message =
                format!("more than {OVERLAPPING_PAIRS} pairs of instructions share words; the rest is not looked at");
            out.push(Diagnostic::error(codes.overlap, message));
        }
        for (a, b) in pairs {
            if out.dropped() > 0 {
                // What follows is not shown any more.
                return;
            }
            let (Some(first), Some(second)) = (table.instructions.get(a), table.instructions.get(b)) else { continue };
            let Some(fault) = overlap((table, &theory), [first, second], xlen, nested, rules) else { continue };
            if !said.contains(&(a, b)) {
                said.push((a, b));
                out.push(fault.diagnostic(codes, [first, second]));
            }
        }
    }
}

/// The bits of a word that are its major opcode.
const OPCODE: u64 = 0x7f;

/// Pairs of instructions whose patterns share words, the earlier one first, and whether these are all. Other readings of words are
/// not meant.
fn pairs(table: &Table, xlen: Xlen) -> (Vec<(usize, usize)>, bool) {
    // Words have 48 bits at most: plain numbers, since every pair is looked at.
    let numbers = |(index, i): (usize, &Instruction)| {
        let encoding = i.encoding(xlen).filter(|_| i.special_case_of.is_none())?;
        let pattern = &encoding.pattern;
        Some((index, encoding.width, pattern.value().low_u64(), pattern.care().low_u64()))
    };
    let mut all: Vec<_> = table.instructions.iter().enumerate().filter_map(numbers).collect();
    // Those that fix the same opcode stand together: of the others only those that leave bits of it free can have the same words.
    let opcode = |&(_, width, value, care): &(usize, u32, u64, u64)| {
        let bits = if width == 16 { 0b11 } else { OPCODE };
        (care & bits == bits).then_some((width, value & bits))
    };
    all.sort_by_key(opcode);
    let mut found = Vec::new();
    for (at, &(a, width, value, care)) in all.iter().enumerate() {
        let mine = all.get(at).and_then(opcode);
        let rest = all.iter().skip(at + 1).take_while(|other| mine.is_none() || opcode(other) == mine);
        let rest = rest.filter(|other| other.1 == width && (other.2 ^ value) & other.3 & care == 0);
        found.extend(rest.map(|&(b, ..)| (a.min(b), a.max(b))));
        if found.len() > OVERLAPPING_PAIRS {
            found.truncate(OVERLAPPING_PAIRS);
            found.sort_unstable();
            return (found, false);
        }
    }
    found.sort_unstable();
    (found, true)
}

/// Two instructions of one implementation share words.
struct Fault {
    xlen: Xlen,
    common: Vec<Pattern>,
    extensions: Vec<String>,
}

fn overlap(
    (table, theory): (&Table, &Theory),
    pair: [&Instruction; 2],
    xlen: Xlen,
    nested: Nested,
    rules: &Rules,
) -> Option<Fault> {
    let [a, b] = pair.map(|i| i.encoding(xlen).map(words::of).unwrap_or_default());
    let common = words::common(&a, &b);
    if common.is_empty() {
        return None;
    }
    let (rest_a, rest_b) = (words::minus(&a, &common), words::minus(&b, &common));
    if nested == Nested::Wins && rest_a.is_empty() != rest_b.is_empty() {
        return None;
    }
    let exclusive = exclusive(rules);
    let mut conditions: Vec<&Formula> = pair.iter().map(|i| &i.condition).collect();
    // What an extension requires is said by the table; a table without requirements has the rules.
    if table.extensions.iter().all(|e| e.requires == Formula::True) {
        conditions.extend(&exclusive);
    }
    let extensions = theory.implementation(&conditions, xlen)?;
    Some(Fault { xlen, common, extensions })
}

/// The rules about extensions that are never together.
fn exclusive(rules: &Rules) -> Vec<Formula> {
    let all =
        |names: &[String]| Formula::All(names.iter().map(|e| Formula::Extension(e.clone(), Vec::new())).collect());
    rules.exclusive.iter().map(|[a, b]| Formula::Not(Box::new(Formula::All(vec![all(a), all(b)])))).collect()
}

impl Fault {
    fn diagnostic(&self, codes: Codes, [a, b]: [&Instruction; 2]) -> Diagnostic {
        let count = words::count(&self.common).to_u64().unwrap_or(u64::MAX);
        let word = words::smallest(&self.common).map_or(String::new(), |word| format!(", such as 0x{}", word.hex()));
        let message = format!("`{}` and `{}` share {}{word}", b.name, a.name, counted(count, "word"));
        let d = Diagnostic::error(codes.overlap, in_file(b, "encoding.match", message));
        let base = if self.xlen == Xlen::Rv64 { "RV64" } else { "RV32" };
        let with =
            if self.extensions.is_empty() { String::new() } else { format!(" with {}", self.extensions.join(", ")) };
        let d = d.label(b.span, "").secondary(a.span, "the other one");
        d.note(format!("an implementation has both: {base}{with}"))
    }
}

/// A message about a file of keys begins with the path of keys.
fn in_file(instruction: &Instruction, key: &str, message: String) -> String {
    match () {
        () if instruction.notes == super::Notes::default() => message,
        () if instruction.notes.typed && key == "encoding.match" => format!("`format.opcodes`: {message}"),
        () => format!("`{key}`: {message}"),
    }
}
