//! The view of the project's own tool, `instr_dict.json`: one entry for each name, with all files that have it.
//!
//! Names have `_` for `.`. Regular lines come first, then imports, then pseudo-ops: one whose base is there adds only its file to an
//! entry of its own name, unless pseudo-ops are asked for. One with the name of an entry and other bits is then `NAME_pseudo`. An entry with
//! the argument `nf` stands for eight.

use std::collections::BTreeMap;

use isaglot_bits::{Pattern, Word};

use super::relate::{regular, target};
use super::{Argument, Kind, Line, Opcodes};

/// Which lines to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Files of unratified extensions too.
    pub unratified: bool,
    /// Pseudo-ops whose base is there too.
    pub pseudo: bool,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The fixed bits.
    pub pattern: Pattern,
    /// The arguments as written, in the order of the line.
    pub arguments: Vec<String>,
    /// The names of the files that have it, in order.
    pub files: Vec<String>,
}

/// The entries by name.
pub fn dict(all: &Opcodes, choice: Choice) -> BTreeMap<String, Entry> {
    let mut dict = BTreeMap::new();
    let taken = |line: &&Line| line.sound && all.file_of(line).is_some_and(|f| f.ratified || choice.unratified);
    let lines: Vec<&Line> = all.lines.iter().filter(taken).collect();
    let of = |line: &Line| all.file_of(line).map_or(String::new(), |file| file.name.clone());
    for line in lines.iter().filter(|line| line.kind == Kind::Regular) {
        dict.entry(key(&line.name)).or_insert_with(|| entry(line, of(line)));
    }
    for line in &lines {
        if let Kind::Pseudo(reference) = &line.kind {
            pseudo(&mut dict, line, &key(&reference.name), of(line), choice);
        }
    }
    let regular = regular(all);
    for line in &lines {
        let Kind::Import(reference) = &line.kind else { continue };
        if let Some(from) = target(all, &regular, reference) {
            let entry = dict.entry(key(&from.name)).or_insert_with(|| entry(from, of(from)));
            entry.files.push(of(line));
        }
    }
    for entry in dict.values_mut() {
        entry.files.sort();
        entry.files.dedup();
    }
    expanded(dict)
}

fn pseudo(dict: &mut BTreeMap<String, Entry>, line: &Line, base: &str, file: String, choice: Choice) {
    let name = key(&line.name);
    let fresh = entry(line, file.clone());
    let wanted = choice.pseudo || !dict.contains_key(base);
    match dict.get_mut(&name) {
        None if wanted => drop(dict.insert(name, fresh)),
        None => {}
        Some(known) if known.pattern.value() == fresh.pattern.value() => known.files.push(file),
        Some(_) if wanted => drop(dict.insert(format!("{name}_pseudo"), fresh)),
        Some(known) => known.files.push(file),
    }
}

fn key(name: &str) -> String {
    name.replace('.', "_")
}

fn entry(line: &Line, file: String) -> Entry {
    let written = |a: &Argument| a.equals.iter().fold(a.name.clone(), |name, other| format!("{name}={other}"));
    Entry { pattern: line.pattern.clone(), arguments: line.arguments.iter().map(written).collect(), files: vec![file] }
}

/// Replaces each entry with the argument `nf` by eight.
fn expanded(dict: BTreeMap<String, Entry>) -> BTreeMap<String, Entry> {
    let mut all = BTreeMap::new();
    for (name, entry) in dict {
        if !entry.arguments.iter().any(|a| a == "nf") {
            all.insert(name, entry);
            continue;
        }
        for nf in 0..8 {
            let mut one = entry.clone();
            one.arguments.retain(|a| a != "nf");
            let width = one.pattern.width();
            let segments = Pattern::new(&Word::from_u64(nf << 29, width), Word::from_u64(7 << 29, width));
            one.pattern = one.pattern.intersect(&segments).unwrap_or(one.pattern);
            all.insert(segment_name(&name, nf), one);
        }
    }
    all
}

/// The name of a load or store of `nf` + 1 fields: `vlseg3e8_v` of `vle8_v`.
pub fn segment_name(name: &str, nf: u64) -> String {
    match name.split_once('e').filter(|_| nf > 0) {
        Some((head, tail)) => format!("{head}seg{}e{tail}", nf + 1),
        None => name.to_owned(),
    }
}
