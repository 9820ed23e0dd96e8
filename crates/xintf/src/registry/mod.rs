//! The registry: a text file in which the author of an interface claims its number, so that no two interfaces ever
//! share one (reference 1.8.1).
//!
//! A line is `number name kind owner date`, lines are sorted by number, and lines are never changed or removed. So two
//! branches that each added lines can be merged by taking the union and sorting it, in either order, and what both
//! claimed shows up as two lines that disagree. A 20-bit number is looked at as the 52-bit one that it stands for on
//! RV64.

mod claim;
mod lint;
mod text;

use std::collections::BTreeMap;

use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostics, Span};

use crate::uuid::embed;

pub use claim::{Request, claim};
pub use lint::{against, against_map, append_only, check};
pub use text::{parse, parse_date, print};

/// How a number came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberKind {
    /// Given out by the keeper of the registry: the lower half of the 20-bit space.
    Central,
    /// Hashed from the name (0) or from `name#n`: the upper half of either space.
    Hash(u32),
}

impl std::fmt::Display for NumberKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NumberKind::Central => f.write_str("central"),
            NumberKind::Hash(0) => f.write_str("hash"),
            NumberKind::Hash(n) => write!(f, "hash#{n}"),
        }
    }
}

/// A line.
#[derive(Clone, Debug)]
pub struct RegistryEntry {
    /// The number: of 20 bits, or of 52.
    pub uuid: u64,
    /// The interface's name.
    pub name: String,
    /// How the number came to be.
    pub kind: NumberKind,
    /// Who claimed it: a word without blanks, such as a mail address.
    pub owner: String,
    /// When, as `YYYY-MM-DD`.
    pub date: String,
    /// The line.
    pub span: Span,
}

impl RegistryEntry {
    /// Everything but the place.
    fn key(&self) -> (u64, &str, NumberKind, &str, &str) {
        (self.uuid, &self.name, self.kind, &self.owner, &self.date)
    }
}

/// All lines, with the ways to find them.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// Comment lines, without the `#`.
    pub head: Vec<String>,
    entries: Vec<RegistryEntry>,
    by_name: BTreeMap<String, usize>,
    by_uuid: BTreeMap<u64, usize>,
    /// No central number below this is free.
    next_central: u64,
}

impl Registry {
    /// The lines in the order in which they were added.
    pub fn entries(&self) -> &[RegistryEntry] {
        &self.entries
    }

    /// The first line of that name.
    pub fn named(&self, name: &str) -> Option<&RegistryEntry> {
        self.by_name.get(name).and_then(|&i| self.entries.get(i))
    }

    /// The first line with that number, of 20 bits or of 52.
    pub fn numbered(&self, uuid: u64) -> Option<&RegistryEntry> {
        self.by_uuid.get(&embed(uuid, Xlen::Rv64)).and_then(|&i| self.entries.get(i))
    }

    /// Adds a line without a look at what it says.
    fn push(&mut self, entry: RegistryEntry) {
        let at = self.entries.len();
        self.by_name.entry(entry.name.clone()).or_insert(at);
        self.by_uuid.entry(embed(entry.uuid, Xlen::Rv64)).or_insert(at);
        self.entries.push(entry);
    }
}

/// The union of registries; every claim on which two of them disagree is reported, and then the result must not be
/// used. The order of the registries does not matter.
pub fn merge<'a>(all: impl IntoIterator<Item = &'a Registry>, out: &mut Diagnostics) -> Registry {
    let mut lines: Vec<&RegistryEntry> = Vec::new();
    let mut head: Vec<String> = Vec::new();
    for registry in all {
        lines.extend(&registry.entries);
        head.extend(registry.head.iter().cloned());
    }
    head.sort();
    head.dedup();
    lines.sort_by_key(|e| e.key());
    lines.dedup_by_key(|e| e.key());
    let mut merged = Registry { head, ..Registry::default() };
    for entry in lines {
        lint::conflict(&merged, entry, out);
        merged.push(entry.clone());
    }
    merged
}
