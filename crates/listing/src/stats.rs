//! What a program is made of: how often each mnemonic and each form of operands occurs.

use std::collections::BTreeMap;
use std::fmt::Write;

use isaglot_source::counted;
use serde::Serialize;

use crate::tree::{Elem, ListOperand, Listing};

/// What a program is made of.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// Its size.
    pub bytes: usize,
    /// The number of its instructions.
    pub instructions: u64,
    /// The number of its blocks.
    pub blocks: u64,
    /// How often each mnemonic occurs, the most frequent first; of equal ones in the order of their names.
    pub mnemonics: Vec<Count>,
    /// How often each mnemonic with its kinds of operands occurs, in the same order.
    pub forms: Vec<Count>,
}

/// How often something occurs.
#[derive(Clone, Debug, Serialize)]
pub struct Count {
    /// What it is called.
    pub name: String,
    /// How often it occurs.
    pub count: u64,
}

/// Counts what a program of `bytes` bytes is made of.
#[must_use]
pub fn stats(listing: &Listing<'_>, bytes: usize) -> Stats {
    let (mut mnemonics, mut forms) = (BTreeMap::<&str, u64>::new(), BTreeMap::<String, u64>::new());
    let (mut instructions, mut blocks) = (0_u64, 0_u64);
    for elem in &listing.elems {
        match elem {
            Elem::L(_) => blocks += 1,
            Elem::I(inst) => {
                instructions += 1;
                let op = if inst.op.is_empty() { "(no instruction)" } else { inst.op.as_ref() };
                *mnemonics.entry(op).or_default() += 1;
                let dst = inst.dst.iter().map(kind);
                let form: Vec<&str> = dst.chain(inst.srcs.iter().map(kind)).collect();
                *forms.entry(format!("{op} {}", form.join(" ")).trim_end().to_owned()).or_default() += 1;
            }
        }
    }
    let mnemonics = sorted(mnemonics.into_iter().map(|(name, count)| (name.to_owned(), count)));
    Stats { bytes, instructions, blocks, mnemonics, forms: sorted(forms.into_iter()) }
}

fn sorted(all: impl Iterator<Item = (String, u64)>) -> Vec<Count> {
    let mut all: Vec<Count> = all.map(|(name, count)| Count { name, count }).collect();
    all.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    all
}

/// The counts as a table.
#[must_use]
pub fn table(stats: &Stats) -> String {
    let numbers = [(stats.instructions, "instruction"), (stats.blocks, "block"), (stats.bytes as u64, "byte")];
    let mut out = numbers.map(|(n, what)| counted(n, what)).join(", ");
    out.push_str("\n\nmnemonics\n");
    counts(&stats.mnemonics, &mut out);
    out.push_str("\noperand forms\n");
    counts(&stats.forms, &mut out);
    out
}

fn counts(all: &[Count], out: &mut String) {
    let width = all.first().map_or(0, |first| first.count.to_string().len());
    for Count { name, count } in all {
        let _ = writeln!(out, "{count:>w$} {name}", w = width + 2);
    }
}

fn kind(operand: &ListOperand<'_>) -> &'static str {
    match operand {
        ListOperand::LB(_) => "label",
        ListOperand::IM(_) => "immediate",
        ListOperand::RD(_) => "register",
        ListOperand::RI(_) => "indirect",
        ListOperand::RM(_) => "macro",
        ListOperand::DA(_) => "data",
        ListOperand::AD(_) => "address",
    }
}
