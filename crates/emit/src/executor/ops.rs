//! The names of an executor's arms, and arms of two instructions.
//!
//! The problem: finding an arm takes an interpreter as long as most of them take. The method: two instructions that often follow each other have an
//! arm together. The first of such a pair is pre-decoded to this arm, the second is as it always is, so it can also be run by itself.
//! [`PAIRS`] was counted in what gcc makes of C programs: sorts, lists, matrices, checksums, text.

use std::fmt::Write;

use super::Ends;

/// The arm of what is not a valid instruction, or not one of a gen.
pub(super) const ILLEGAL: &str = "Illegal";

/// Instructions of the pairs, by the first name of their arms. The first of a pair never ends its block.
const PAIRS: &[(&str, &str)] = &[
    ("slli", "srli"),
    ("srli", "add"),
    ("addiw", "addw"),
    ("add", "lh"),
    ("addw", "bne"),
    ("mulw", "addw"),
    ("lh", "lh"),
    ("lh", "addiw"),
    ("srli", "srli"),
    ("slli", "slli"),
    ("addw", "mulw"),
    ("add", "add"),
    ("addi", "beq"),
    ("andi", "andi"),
    ("addiw", "andi"),
    ("andi", "lui"),
    ("addi", "c.j"),
    ("lbu", "addi"),
    ("addiw", "sw"),
    ("sraiw", "andi"),
    ("sraiw", "sraiw"),
    ("mulw", "sraiw"),
    ("andi", "mulw"),
    ("srli", "andi"),
    ("xor", "srli"),
    ("xor", "addiw"),
    ("srli", "c.beqz"),
    ("andi", "xor"),
    ("addiw", "srli"),
    ("lui", "bltu"),
    ("addi", "bne"),
    ("addi", "addi"),
    ("c.mv", "c.mv"),
    ("slli", "add"),
    ("add", "lw"),
    ("add", "lbu"),
    ("lw", "lw"),
    ("ld", "ld"),
    ("sd", "sd"),
    ("lw", "addi"),
    ("ld", "c.beqz"),
    ("lbu", "beq"),
    ("addi", "bltu"),
    ("addi", "c.bnez"),
    ("c.mv", "lui"),
    ("c.mv", "lw"),
    ("add", "ld"),
    ("lui", "addi"),
    ("andi", "c.beqz"),
    ("lbu", "c.beqz"),
    ("addi", "c.beqz"),
    ("andi", "addi"),
    ("slliw", "addiw"),
    ("addw", "addiw"),
    ("ld", "c.mv"),
    ("sd", "c.mv"),
    ("addi", "add"),
    ("sw", "addi"),
    ("sb", "addi"),
];

/// Two arms as one, by their numbers.
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) first: usize,
    pub(super) second: usize,
}

/// The variants of `Op`.
pub(super) struct Ops {
    /// By the number of the arm.
    pub(super) singles: Vec<String>,
    pub(super) pairs: Vec<Pair>,
}

/// `amoadd.w` as `AmoaddW`.
fn camel(name: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    name.split(|c: char| !c.is_ascii_alphanumeric()).map(part).collect()
}

impl Ops {
    /// For arms of these names.
    pub(super) fn new(arms: &[&str], ends: &[Ends]) -> Result<Ops, String> {
        let mut singles: Vec<String> = Vec::new();
        for arm in arms {
            let name = camel(arm);
            if name == ILLEGAL || singles.contains(&name) {
                return Err(format!("{arm}: another arm has the name `{name}`"));
            }
            singles.push(name);
        }
        let mut pairs = Vec::new();
        for (one, other) in PAIRS {
            let at = |name: &str| {
                arms.iter()
                    .position(|arm| *arm == name)
                    .ok_or_else(|| format!("{name}: it is in a pair, and not an arm"))
            };
            let (first, second) = (at(one)?, at(other)?);
            if ends[first] != Ends::No || ends[second] == Ends::Alone {
                return Err(format!("{one} and {other}: they cannot be a pair"));
            }
            pairs.push(Pair { name: format!("{}And{}", singles[first], singles[second]), first, second });
        }
        Ok(Ops { singles, pairs })
    }

    /// Writes the type, and how instructions become pairs and pairs instructions.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str("\n/// The arms of `execute`.\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(u16)]\npub(crate) enum Op {\n");
        let _ = writeln!(out, "{ILLEGAL},");
        for name in self.singles.iter().chain(self.pairs.iter().map(|p| &p.name)) {
            let _ = writeln!(out, "{name},");
        }
        out.push_str("}\n\n/// The arms by their number, but for those of pairs.\n#[cfg(feature = \"jit\")]\npub(crate) const OPS: &[Op] = &[\n");
        let _ = writeln!(out, "Op::{ILLEGAL},");
        for name in &self.singles {
            let _ = writeln!(out, "Op::{name},");
        }
        out.push_str("];\n\n/// The arm of two that follow each other, if they have one.\npub(crate) fn pair(first: Op, second: Op) -> Option<Op> {\nSome(match (first, second) {\n");
        for Pair { name, first, second } in &self.pairs {
            let _ = writeln!(out, "(Op::{}, Op::{}) => Op::{name},", self.singles[*first], self.singles[*second]);
        }
        out.push_str("_ => return None,\n})\n}\n\n/// The arm of the first of a pair by itself; others are their own.\npub(crate) fn single(op: Op) -> Op {\nmatch op {\n");
        for Pair { name, first, .. } in &self.pairs {
            let _ = writeln!(out, "Op::{name} => Op::{},", self.singles[*first]);
        }
        out.push_str("op => op,\n}\n}\n");
    }
}
