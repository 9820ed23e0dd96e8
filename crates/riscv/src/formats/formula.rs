//! Whether a condition can hold, and whether a configuration decides it.
//!
//! The problem: an instruction exists for a register width if *some* implementation has it, and an extension that is implemented
//! brings its own requirements, which bring more. The invariant: [`Table::can_hold`] says no only if there is no implementation at
//! all; where it gives up it says yes. The method: every extension is a variable whose values are "absent" and its versions; a
//! value that is chosen adds what it requires; conditions are evaluated with three values, and a variable that leaves one open is
//! tried with each value. Parameters and texts in UDB's language are free: they may hold or not.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::udb::version::{Requirement, Version};
use super::{Extension, Formula, Table};
use crate::Xlen;
use crate::limits::{SATISFY_EXTENSIONS, SATISFY_TERMS};

/// What is known of an implementation: an answer to everything that a condition asks, `None` where it is not known.
pub trait Facts {
    /// Whether the extension is implemented in a version that meets all requirements.
    fn extension(&self, name: &str, versions: &[String]) -> Option<bool>;
    /// Whether this is the register width.
    fn xlen(&self, width: u32) -> Option<bool>;
    /// Whether a condition on a parameter, or one in UDB's language, holds.
    fn other(&self, formula: &Formula) -> Option<bool>;
}

impl Formula {
    /// Whether the condition holds; `None` where the facts leave that open.
    pub fn holds(&self, facts: &impl Facts) -> Option<bool> {
        match self {
            Formula::True => Some(true),
            Formula::Extension(name, versions) => facts.extension(name, versions),
            Formula::Xlen(width) => facts.xlen(*width),
            Formula::Parameter(_) | Formula::Idl(_) => facts.other(self),
            Formula::Not(inner) => inner.holds(facts).map(|b| !b),
            Formula::All(terms) => decide(terms, facts, false),
            Formula::Any(terms) => decide(terms, facts, true),
            Formula::One(terms) => {
                let answers = || terms.iter().map(|t| t.holds(facts));
                match (answers().filter(|a| *a == Some(true)).count(), answers().any(|a| a.is_none())) {
                    (2.., _) => Some(false),
                    (_, true) => None,
                    (count, false) => Some(count == 1),
                }
            }
        }
    }
}

impl Formula {
    /// The extensions that it asks about.
    pub fn extensions(&self) -> BTreeSet<&str> {
        match self {
            Formula::Extension(name, _) => BTreeSet::from([name.as_str()]),
            Formula::Not(inner) => inner.extensions(),
            Formula::All(terms) | Formula::Any(terms) | Formula::One(terms) => {
                terms.iter().flat_map(Formula::extensions).collect()
            }
            Formula::True | Formula::Xlen(_) | Formula::Parameter(_) | Formula::Idl(_) => BTreeSet::new(),
        }
    }

    /// How many terms it has: what it costs to look at it.
    fn terms(&self) -> usize {
        match self {
            Formula::Not(inner) => 1 + inner.terms(),
            Formula::All(terms) | Formula::Any(terms) | Formula::One(terms) => {
                1 + terms.iter().map(Formula::terms).sum::<usize>()
            }
            _ => 1,
        }
    }
}

/// `decisive` if one term is, its opposite if all are that, else open.
fn decide(terms: &[Formula], facts: &impl Facts, decisive: bool) -> Option<bool> {
    let mut answer = Some(!decisive);
    for term in terms {
        match term.holds(facts) {
            Some(b) if b == decisive => return Some(decisive),
            Some(_) => {}
            None => answer = None,
        }
    }
    answer
}

/// What extensions require, ready to be asked.
#[derive(Debug)]
pub struct Theory<'t> {
    extensions: FxHashMap<&'t str, Known<'t>>,
}

/// An extension, with the numbers of its versions.
#[derive(Debug)]
struct Known<'t> {
    extension: &'t Extension,
    versions: Vec<Option<Version>>,
}

impl<'t> Theory<'t> {
    /// Of the extensions of a table.
    pub fn of(table: &'t Table) -> Theory<'t> {
        let known = |extension: &'t Extension| {
            let versions = extension.versions.iter().map(|release| Version::parse(&release.version)).collect();
            (extension.name.as_str(), Known { extension, versions })
        };
        Theory { extensions: table.extensions.iter().map(known).collect() }
    }

    /// Whether an implementation of this width can meet the condition, with all that its extensions require.
    pub fn can_hold(&self, condition: &Formula, xlen: Xlen) -> bool {
        Search::new(self, xlen, true).run(vec![condition])
    }

    /// Whether there is an extension of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.extensions.contains_key(name)
    }

    /// The extensions of an implementation of this width that meets all conditions, as few as were found, in order of name;
    /// `None` if there is no such implementation.
    pub fn implementation(&self, conditions: &[&Formula], xlen: Xlen) -> Option<Vec<String>> {
        let mut search = Search::new(self, xlen, true);
        if !search.run(conditions.to_vec()) {
            return None;
        }
        let present = search.chosen.into_iter().filter(|(_, choice)| *choice != Choice::Absent);
        let mut names: Vec<String> = present.map(|(name, _)| name.to_owned()).collect();
        names.sort();
        Some(names)
    }
}

impl Table {
    /// Whether an implementation of this width can meet the condition, with all that its extensions require.
    pub fn can_hold(&self, condition: &Formula, xlen: Xlen) -> bool {
        Theory::of(self).can_hold(condition, xlen)
    }

    /// As [`Table::can_hold`], where extensions may be implemented freely.
    pub fn can_hold_freely(&self, condition: &Formula, xlen: Xlen) -> bool {
        Search::new(&Theory::of(self), xlen, false).run(vec![condition])
    }

    /// For each instruction and base, whether an implementation can have it. Few conditions are different.
    pub fn possible(&self) -> Vec<[bool; 2]> {
        let theory = Theory::of(self);
        let mut known: FxHashMap<&Formula, [bool; 2]> = FxHashMap::default();
        let answers = self.instructions.iter().map(|i| {
            let answer = || [Xlen::Rv32, Xlen::Rv64].map(|xlen| theory.can_hold(&i.condition, xlen));
            *known.entry(&i.condition).or_insert_with(answer)
        });
        answers.collect()
    }

    /// Takes the words away that no implementation has.
    pub fn drop_impossible(&mut self) {
        let possible = self.possible();
        for (instruction, possible) in self.instructions.iter_mut().zip(possible) {
            for (encoding, possible) in instruction.encodings.iter_mut().zip(possible) {
                *encoding = encoding.take().filter(|_| possible);
            }
        }
    }
}

/// What is chosen for an extension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Absent,
    /// In any version: the format has none.
    Present,
    Version(usize),
}

struct Search<'t> {
    theory: &'t Theory<'t>,
    width: u32,
    /// Extensions bring what they require.
    strict: bool,
    chosen: FxHashMap<&'t str, Choice>,
    terms: usize,
}

impl Facts for Search<'_> {
    fn extension(&self, name: &str, versions: &[String]) -> Option<bool> {
        match self.chosen.get(name)? {
            Choice::Absent => Some(false),
            Choice::Present => Some(true),
            Choice::Version(_) if versions.is_empty() => Some(true),
            Choice::Version(at) => {
                let known = self.theory.extensions.get(name)?;
                let releases = &known.extension.versions;
                let version = (*known.versions.get(*at)?)?;
                let requirements = versions.iter().filter_map(|v| Requirement::parse(v));
                Some(requirements.into_iter().all(|r| r.is_met(version, releases)))
            }
        }
    }

    fn xlen(&self, width: u32) -> Option<bool> {
        Some(width == self.width)
    }

    fn other(&self, _: &Formula) -> Option<bool> {
        None
    }
}

impl<'t> Search<'t> {
    fn new(theory: &'t Theory<'t>, xlen: Xlen, strict: bool) -> Search<'t> {
        let width = if xlen == Xlen::Rv32 { 32 } else { 64 };
        Search { theory, width, strict, chosen: FxHashMap::default(), terms: 0 }
    }

    /// Whether all conditions can hold together.
    fn run(&mut self, conditions: Vec<&'t Formula>) -> bool {
        self.terms += conditions.iter().map(|c| c.terms()).sum::<usize>();
        if self.terms > SATISFY_TERMS || self.chosen.len() > SATISFY_EXTENSIONS {
            return true;
        }
        let mut open = Vec::new();
        for condition in conditions {
            match condition.holds(self) {
                Some(true) => {}
                Some(false) => return false,
                None => open.push(condition),
            }
        }
        // Without an extension that is open only free conditions are left.
        let Some(name) = open.iter().find_map(|c| self.undecided(c)) else { return true };
        let extension = self.theory.extensions.get(name).map(|known| known.extension);
        let mut choices = vec![Choice::Absent];
        match extension {
            Some(e) if !e.versions.is_empty() => choices.extend((0..e.versions.len()).rev().map(Choice::Version)),
            _ => choices.push(Choice::Present),
        }
        for choice in choices {
            self.chosen.insert(name, choice);
            let mut all = open.clone();
            if let Some(e) = extension.filter(|_| self.strict && choice != Choice::Absent) {
                all.push(&e.requires);
                if let Choice::Version(at) = choice {
                    all.extend(e.versions.get(at).map(|release| &release.requires));
                }
            }
            if self.run(all) {
                return true;
            }
            self.chosen.remove(name);
        }
        false
    }

    /// An extension that a condition asks for and that is not decided.
    fn undecided(&self, condition: &'t Formula) -> Option<&'t str> {
        match condition {
            Formula::Extension(name, _) => (!self.chosen.contains_key(name.as_str())).then_some(name.as_str()),
            Formula::Not(inner) => self.undecided(inner),
            Formula::All(terms) | Formula::Any(terms) | Formula::One(terms) => {
                terms.iter().find_map(|term| self.undecided(term))
            }
            Formula::True | Formula::Xlen(_) | Formula::Parameter(_) | Formula::Idl(_) => None,
        }
    }
}
