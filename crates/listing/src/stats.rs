//! What a program is made of: how often each mnemonic and each form of operands occurs.

use std::collections::BTreeMap;
use std::fmt::Write;

use isaglot_source::counted;

use crate::tree::{Elem, ListOperand, Listing};

/// The counts as a table, the most frequent first; of equal ones in the order of their names.
#[must_use]
pub fn table(listing: &Listing<'_>, bytes: usize) -> String {
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
    let numbers = [(instructions, "instruction"), (blocks, "block"), (bytes as u64, "byte")];
    let mut out = numbers.map(|(n, what)| counted(n, what)).join(", ");
    out.push_str("\n\nmnemonics\n");
    counts(mnemonics.into_iter().map(|(n, c)| (n.to_owned(), c)), &mut out);
    out.push_str("\noperand forms\n");
    counts(forms.into_iter(), &mut out);
    out
}

fn counts(all: impl Iterator<Item = (String, u64)>, out: &mut String) {
    let mut all: Vec<(String, u64)> = all.collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let width = all.first().map_or(0, |first| first.1.to_string().len());
    for (name, count) in all {
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
