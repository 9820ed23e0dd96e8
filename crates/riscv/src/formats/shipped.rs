//! The part of the shipped description that is made of the Unified Database: every ratified instruction that no file has by hand.
//!
//! The problem: the manual has far more instructions than anyone wants to write down, and each is written down already. The
//! method: of a [`Table`] the instructions are taken that ratified extensions define and that are not in the files written by
//! hand; `lower` makes bitsets of them, in the style of the shipped texts, and these become files by the extension. What
//! carries over are facts: bits, names, conditions. Behaviour stays with the files written by hand, but for hints and the like, of
//! which the table of operands says it.

use isaglot_isaspec::syntax::{Bitset, File, Requirement};
use isaglot_model::{Encoding, Isa};
use isaglot_source::Diagnostics;

use super::lower::{again, operands::Operands, tree, xml};
use super::{Formula, Table};

/// The files: the name of each, what it is about, and with what the names of its features begin.
const FILES: [(&str, &str, &[&str]); 5] = [
    ("v.xml", "V: vectors.", &["v", "zve"]),
    ("zv.xml", "Vectors of half precision, bit manipulation and cryptography.", &["zv"]),
    ("zf.xml", "Floating point of other precisions, more operations.", &["q", "zf", "zh", "zd"]),
    ("zc.xml", "More compressed instructions.", &["zc"]),
    ("zi.xml", "Hypervisor, caches, landing pads, shadow stacks and what else there is.", &[""]),
];

/// The names of the files that are made.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, ..)| *name)
}

/// A file without instructions, which stands for each while those written by hand are looked at.
pub const EMPTY: &str = "<isa dialect=\"isaglot\"/>\n";

/// Extensions that are not features of the shipped description, and what stands for them there: the base and the levels.
const ALWAYS: [&str; 1] = ["i"];
const LEVELS: [&str; 3] = ["s", "sm", "u"];

/// The files for a table, by what `by_hand` has already.
pub fn files(table: &Table, operands: &Operands, by_hand: &Isa, out: &mut Diagnostics) -> Vec<(&'static str, String)> {
    let mut chosen = Table { name: table.name.clone(), ..Table::default() };
    chosen.extensions = table.extensions.clone();
    let feature = |name: &str| by_hand.features().iter().find(|f| f.name.eq_ignore_ascii_case(name));
    let extension = |name: &str| table.extensions.iter().find(|e| e.name.eq_ignore_ascii_case(name));
    let known = |name: &str| extension(name).map(|e| e.name.clone());
    // Before those written by hand are taken out: their copies are not written by hand.
    for instruction in &again(&table.instructions, operands, &known) {
        let condition = as_features(&instruction.condition, &instruction.name);
        if !is_by_hand(&instruction.name, by_hand)
            && extensions(&condition).into_iter().all(|name| feature(name).is_some())
        {
            let mut one = super::Instruction { condition, doc: String::new(), ..instruction.clone().into_owned() };
            if needs_64(&one.name) {
                one.encodings[0] = None;
            }
            chosen.instructions.push(one);
        }
    }
    let made = tree(&chosen, operands, &|_| None, out);
    let empty = || File { id: made.id, dialect: true, ..File::default() };
    let mut parts: Vec<File> = FILES.iter().map(|_| empty()).collect();
    for set in &made.bitsets {
        let at =
            FILES.iter().position(|(_, _, starts)| starts.iter().any(|s| begins(set, s))).unwrap_or(FILES.len() - 1);
        if let Some(part) = parts.get_mut(at) {
            part.bitsets.push(set.clone());
        }
    }
    let text = |about: &str, part: &File| {
        xml::write(part, &format!("{about}\nMade by `cargo xtask gen-riscv` from the Unified Database; do not edit."))
    };
    FILES.iter().zip(&parts).map(|((name, about, _), part)| (*name, text(about, part))).collect()
}

/// Whether the name of a feature that a bitset needs is one of a group: a letter by itself, else what names begin with.
fn begins(set: &Bitset, start: &str) -> bool {
    let first = set.features.as_ref().map(Requirement::names).unwrap_or_default();
    let one = |name: &str| if start.len() == 1 { name == start } else { name.starts_with(start) };
    if start.is_empty() { true } else { first.iter().any(|name| one(&name.value)) }
}

/// Whether the files written by hand have an instruction, perhaps with the end of its mnemonic as a field.
fn is_by_hand(name: &str, by_hand: &Isa) -> bool {
    let mut known = by_hand.encodings().iter();
    let plain = [".aqrl", ".aq", ".rl"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let ordered = |e: &Encoding| e.cases.iter().flat_map(|c| &c.fields).any(|f| by_hand.shown(f.name) == "ORDER");
    // A copy has a name of its own there, too. `lb` has no order, so that `lb.aq` is another instruction. `c.nop` is a word of c.addi; the fences that programs name are words of fence.
    let copy = name.replace('@', ".");
    known.any(|e| &*e.display_name == name || by_hand.text(e.name) == copy || (&*e.display_name == plain && ordered(e)))
        || matches!(name, "c.nop" | "fence.tso")
}

/// The part of V that has an instruction: floating point, elements of 64 bits in memory, or all that works on integers. The
/// database knows V as a whole only.
fn part_of_v(name: &str) -> &'static str {
    let memory = ["vl", "vs"].iter().any(|s| name.starts_with(s));
    match name {
        // A mask, in spite of its name.
        "vfirst.m" => "zve32x",
        _ if memory && name.contains("64") => "zve64x",
        _ if ["vf", "vmf"].iter().any(|s| name.starts_with(s)) => "zve32f",
        _ => "zve32x",
    }
}

/// What Zvkb has of Zvbb, which the database knows as a whole only.
fn is_zvkb(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    matches!(stem, "vandn" | "vbrev8" | "vrev8" | "vrol" | "vror")
}

/// Whether the manual has an instruction with registers of 64 bits only, where the database says no width: indices of 64 bits, and the
/// swap of 64 bits on shadow stacks.
fn needs_64(name: &str) -> bool {
    let indexed = ["vlox", "vlux", "vsox", "vsux"].iter().any(|start| name.starts_with(start));
    (indexed && name.ends_with("ei64.v")) || name == "ssamoswap.d"
}

/// The formula of an instruction over features of the shipped description.
fn as_features(formula: &Formula, of: &str) -> Formula {
    let several = |list: &[Formula]| list.iter().map(|f| as_features(f, of)).collect();
    match formula {
        Formula::Extension(name, versions) if name == "V" => {
            Formula::Extension(part_of_v(of).to_owned(), versions.clone())
        }
        Formula::Extension(name, versions) if name == "Zvbb" && is_zvkb(of) => {
            Formula::Extension("Zvkb".to_owned(), versions.clone())
        }
        Formula::Extension(name, _) if ALWAYS.contains(&name.to_ascii_lowercase().as_str()) => Formula::True,
        Formula::Extension(name, versions) if LEVELS.contains(&name.to_ascii_lowercase().as_str()) => {
            Formula::Extension("priv".to_owned(), versions.clone())
        }
        Formula::Not(inner) => Formula::Not(Box::new(as_features(inner, of))),
        Formula::All(list) => Formula::All(several(list)),
        Formula::Any(list) => Formula::Any(several(list)),
        Formula::One(list) => Formula::One(several(list)),
        other => other.clone(),
    }
}

fn extensions(formula: &Formula) -> Vec<&str> {
    match formula {
        Formula::Extension(name, _) => vec![name],
        Formula::Not(inner) => extensions(inner),
        Formula::All(list) | Formula::Any(list) | Formula::One(list) => list.iter().flat_map(extensions).collect(),
        _ => Vec::new(),
    }
}
