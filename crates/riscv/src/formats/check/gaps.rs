//! Which words no instruction has: of all that can be implemented, or of one implementation.
//!
//! The problem: who adds an instruction asks which words are free, and where. The answer depends on the implementation: the words
//! of Zcmp are those of `c.fsdsp` elsewhere. The invariant: what is counted as free is a word of no instruction whose condition can hold
//! there; a condition that the implementation leaves open, such as one on a parameter, counts as held. The method: exact counts of the
//! words that no pattern has, for each major opcode; the opcodes are data, in the rules.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use isaglot_bits::{Count, Pattern, Word, cover};
use isaglot_model::{FeatureId, Isa};
use serde_json::{Value, json};

use super::super::compare::rules::Rules;
use super::super::formula::{Facts, Theory};
use super::super::{Formula, Table, words};
use super::exclusive;
use crate::{Xlen, isa_name};

/// The most gaps of one opcode that are looked at.
const MAX_GAPS: usize = 1 << 20;

/// So many extensions that are not described are named in one line.
const SHOWN: usize = 4;

/// An implementation, by the names of its extensions.
#[derive(Clone, Debug)]
pub struct Implementation {
    /// What it is called.
    pub name: String,
    /// Its register width.
    pub xlen: Xlen,
    /// Its extensions in lower case, with all that they bring along.
    pub extensions: BTreeSet<String>,
    /// Its extensions as the shipped description names them, each with what it brings along and with the names that tables have for
    /// that. A table that describes one has at least one of its names.
    said: Vec<(String, BTreeSet<String>)>,
}

/// The free words of one width: words that no instruction of the implementation has.
#[derive(Clone, Debug)]
pub struct Space {
    /// The implementation.
    pub name: String,
    /// The width of registers in bits.
    pub xlen: u32,
    /// The width of words in bits.
    pub width: u32,
    /// What the implementation has and the table does not describe.
    pub unknown: Vec<String>,
    /// The parts, in the order of the rules.
    pub opcodes: Vec<Opcode>,
}

/// The free words of a major opcode.
#[derive(Clone, Debug)]
pub struct Opcode {
    /// Its name.
    pub name: String,
    /// All its words.
    pub pattern: Pattern,
    /// How many are free, and the smallest of them; `None` if that is too hard to say.
    pub free: Option<(Count, Option<Word>)>,
}

impl Implementation {
    /// Of features of the shipped description `isa`, with all that they bring along; a profile stands for what it brings. Tables have
    /// other names for some, which are in the rules. Names are compared without regard to case.
    pub fn new(name: &str, xlen: Xlen, isa: &Isa, features: &[FeatureId], rules: &Rules) -> Implementation {
        let names = |on: &[FeatureId]| -> BTreeSet<String> {
            let all = isa.features().iter().zip(isa.implied(on)).filter(|(_, on)| *on);
            all.map(|(feature, _)| feature.name.to_ascii_lowercase()).collect()
        };
        let on = (0..).map(FeatureId).zip(isa.implied(features)).filter(|(_, on)| *on);
        let on = on.filter(|&(id, _)| isa_name::profile(&isa[id].name).is_none());
        let mut said: Vec<(String, BTreeSet<String>)> =
            on.map(|(id, _)| (isa[id].name.to_ascii_lowercase(), names(&[id]))).collect();
        for (_, names) in &mut said {
            let machines = rules.machines.iter().filter(|(feature, _)| names.contains(feature));
            let more: Vec<String> = machines.flat_map(|(_, more)| more).map(|name| name.to_ascii_lowercase()).collect();
            names.extend(more);
        }
        let all = said.iter().flat_map(|(_, names)| names).cloned();
        let mut extensions: BTreeSet<String> = all.chain(["i".to_owned()]).collect();
        // Some are there with two others, or for one width of registers: the loads of C and F.
        let width = if xlen == Xlen::Rv32 { "rv32" } else { "rv64" };
        for (together, more) in &rules.machines {
            if together.split(' ').all(|feature| feature == width || extensions.contains(feature)) {
                extensions.extend(more.iter().map(|name| name.to_ascii_lowercase()));
            }
        }
        Implementation { name: name.to_owned(), xlen, extensions, said }
    }

    /// What of its name a table does not describe: neither by this name nor as a part of something that it does describe, as
    /// Zmmul is a part of M.
    fn unknown(&self, table: &Table) -> Vec<String> {
        let known: BTreeSet<String> = table.extensions.iter().map(|e| e.name.to_ascii_lowercase()).collect();
        let whole = self.said.iter().filter(|(name, _)| known.contains(name));
        let parts: BTreeSet<&String> = whole.flat_map(|(_, names)| names).collect();
        let unknown = self.said.iter().filter(|(name, names)| names.is_disjoint(&known) && !parts.contains(name));
        unknown.map(|(name, _)| name.clone()).collect()
    }

    /// Its extensions that a table has, as the table writes them.
    fn known<'t>(&self, table: &'t Table) -> Vec<&'t str> {
        let all = table.extensions.iter().map(|e| e.name.as_str());
        all.filter(|name| self.extensions.contains(&name.to_ascii_lowercase())).collect()
    }

    /// Whether what its extensions require can hold, as the table says it.
    pub fn is_satisfiable(&self, table: &Table, rules: &Rules) -> bool {
        let one = |name: &str| Formula::Extension(name.to_owned(), Vec::new());
        let all = Formula::All(self.known(table).into_iter().map(one).collect());
        let exclusive = exclusive(rules);
        let mut conditions = vec![&all];
        if table.extensions.iter().all(|e| e.requires == Formula::True) {
            conditions.extend(&exclusive);
        }
        Theory::of(table).implementation(&conditions, self.xlen).is_some()
    }
}

impl Facts for Implementation {
    fn extension(&self, name: &str, _: &[String]) -> Option<bool> {
        Some(self.extensions.contains(&name.to_ascii_lowercase()))
    }

    fn xlen(&self, width: u32) -> Option<bool> {
        Some(width == self.xlen.bits())
    }

    fn other(&self, _: &Formula) -> Option<bool> {
        None
    }
}

/// The free words of one implementation, or those that no implementation has: an entry for each width of registers and of words.
pub fn gaps(table: &Table, one: Option<&Implementation>, rules: &Rules) -> Vec<Space> {
    let xlens = [Xlen::Rv32, Xlen::Rv64].into_iter().filter(|&xlen| one.is_none_or(|one| one.xlen == xlen));
    xlens.flat_map(|xlen| of_width(table, one, xlen, rules)).collect()
}

fn of_width(table: &Table, one: Option<&Implementation>, xlen: Xlen, rules: &Rules) -> Vec<Space> {
    let has = |condition: &Formula| one.is_none_or(|one| condition.holds(one) != Some(false));
    let encodings = table.instructions.iter().filter(|i| has(&i.condition)).filter_map(|i| i.encoding(xlen));
    let taken: Vec<Pattern> = encodings.flat_map(words::of).collect();
    let name = one.map_or_else(|| "any implementation".to_owned(), |one| one.name.clone());
    let unknown = one.map_or_else(Vec::new, |one| one.unknown(table));
    let space = |width: u32| {
        // Without an instruction of this width its words are not instructions at all.
        let taken: Vec<Pattern> = taken.iter().filter(|pattern| pattern.width() == width).cloned().collect();
        let parts = rules.opcodes.iter().filter(|(pattern, _)| pattern.width() == width);
        let opcodes: Vec<Opcode> = parts.map(|(pattern, name)| opcode(pattern, name, &taken)).collect();
        (!taken.is_empty()).then(|| Space {
            name: name.clone(),
            xlen: xlen.bits(),
            width,
            unknown: unknown.clone(),
            opcodes,
        })
    };
    [16, 32, 48].into_iter().filter_map(space).collect()
}

fn opcode(pattern: &Pattern, name: &str, taken: &[Pattern]) -> Opcode {
    let found = cover::gaps(pattern, taken, MAX_GAPS);
    let free = found.map(|found| (words::count(&found), words::smallest(&found)));
    Opcode { name: name.to_owned(), pattern: pattern.clone(), free }
}

impl Space {
    /// How many words there are.
    pub fn total(&self) -> Count {
        let mut sum = Count::zero();
        self.opcodes.iter().for_each(|opcode| sum.add(&opcode.pattern.count()));
        sum
    }

    /// How many are free; `None` if that is too hard to say of a part.
    pub fn free(&self) -> Option<Count> {
        let mut sum = Count::zero();
        for opcode in &self.opcodes {
            sum.add(&opcode.free.as_ref()?.0);
        }
        Some(sum)
    }

    /// The smallest free word.
    pub fn smallest(&self) -> Option<&Word> {
        let all = self.opcodes.iter().filter_map(|opcode| opcode.free.as_ref()?.1.as_ref());
        all.min_by(|a, b| a.limbs().iter().rev().cmp(b.limbs().iter().rev()))
    }

    /// One line, and with `details` one more for each opcode.
    pub fn text(&self, details: bool, out: &mut String) {
        let total = self.total();
        let _ = write!(out, "free in {} (RV{}): ", self.name, self.xlen);
        let _ = match self.free() {
            Some(free) => {
                let share = 100.0 * free.to_f64() / total.to_f64();
                write!(out, "{free} of {total} words of {} bits ({share:.2} %)", self.width)
            }
            None => write!(out, "of {total} words of {} bits: undecided", self.width),
        };
        if let Some(word) = self.smallest() {
            let _ = write!(out, ", the smallest 0x{}", word.hex());
        }
        let _ = match self.unknown.as_slice() {
            [] => Ok(()),
            few if few.len() <= SHOWN || details => write!(out, "; not described: {}", few.join(", ")),
            many => write!(out, "; {} of its extensions are not described", many.len()),
        };
        out.push('\n');
        for opcode in self.opcodes.iter().filter(|_| details) {
            opcode.text(out);
        }
    }

    /// The same as JSON.
    pub fn json(&self, details: bool) -> Value {
        let hex = |word: &Word| format!("0x{}", word.hex());
        let opcodes = self.opcodes.iter().map(|opcode| {
            json!({
                "name": opcode.name, "pattern": format!("{:#}", opcode.pattern), "total": opcode.pattern.count().to_string(),
                "free": opcode.free.as_ref().map(|(count, _)| count.to_string()),
                "smallest": opcode.free.as_ref().and_then(|(_, word)| word.as_ref()).map(hex),
            })
        });
        let mut row = json!({
            "implementation": self.name, "xlen": self.xlen, "width": self.width, "total": self.total().to_string(),
            "free": self.free().map(|count| count.to_string()), "smallest": self.smallest().map(hex),
            "not_described": self.unknown,
        });
        if details {
            row["opcodes"] = opcodes.collect();
        }
        row
    }
}

impl Opcode {
    fn text(&self, out: &mut String) {
        let total = self.pattern.count();
        let _ = match &self.free {
            Some((count, Some(word))) => writeln!(out, "  {:12} {count:>14} of {total}, 0x{}", self.name, word.hex()),
            Some((count, None)) => writeln!(out, "  {:12} {count:>14} of {total}", self.name),
            None => writeln!(out, "  {:12} {:>14} of {total}", self.name, "undecided"),
        };
    }
}
