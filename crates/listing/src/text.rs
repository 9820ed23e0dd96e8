//! A listing for people: offset, bytes and text in columns; blocks with where control comes from and goes to; after each
//! instruction what defines its sources, what uses its results, and how many bytes are live before it.

use std::fmt::Write;

use crate::tree::{Elem, Inst, Label, ListOperand, Listing};

/// The column in which remarks begin, at least.
const REMARKS: usize = 40;

/// How colours are written; empty texts for none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Colours {
    /// Names of blocks.
    pub label: &'static str,
    /// Mnemonics.
    pub mnemonic: &'static str,
    /// Offsets, bytes and remarks.
    pub dim: &'static str,
    /// Back to the ordinary.
    pub reset: &'static str,
}

/// The colours of a terminal.
pub const TERMINAL: Colours = Colours { label: "\x1b[36m", mnemonic: "\x1b[1m", dim: "\x1b[2m", reset: "\x1b[0m" };

/// The whole listing.
#[must_use]
pub fn text(listing: &Listing<'_>, colours: Colours) -> String {
    let symbols: Vec<(u32, &str)> = listing
        .elems
        .iter()
        .filter_map(|e| match e {
            Elem::L(label) => Some((label.id, label.symbol.as_ref())),
            Elem::I(_) => None,
        })
        .collect();
    let bits = |e: &Elem<'_>| match e {
        Elem::I(inst) => inst.encoding.as_ref().map_or(0, |b| b.len()),
        Elem::L(_) => 0,
    };
    let columns = Columns {
        bits: listing.elems.iter().map(bits).max().unwrap_or(0),
        numbers: listing.elems.len().to_string().len(),
    };
    let mut out = String::new();
    for (at, elem) in listing.elems.iter().enumerate() {
        match elem {
            Elem::L(label) => {
                if at > 0 {
                    out.push('\n');
                }
                block(label, &symbols, colours, &mut out);
            }
            Elem::I(inst) => instruction(inst, &columns, colours, &mut out),
        }
    }
    out
}

struct Columns {
    bits: usize,
    numbers: usize,
}

fn block(label: &Label<'_>, symbols: &[(u32, &str)], colours: Colours, out: &mut String) {
    let name =
        |id: &u32| symbols.binary_search_by_key(id, |s| s.0).map_or("?", |at| symbols.get(at).map_or("?", |s| s.1));
    let list = |ids: &[u32]| ids.iter().map(name).collect::<Vec<_>>().join(" ");
    let mut remarks = Vec::new();
    if !label.preds.is_empty() {
        remarks.push(format!("from {}", list(&label.preds)));
    }
    if !label.succs.is_empty() {
        remarks.push(format!("to {}", list(&label.succs)));
    }
    if let Some(function) = &label.function {
        for (what, set) in
            [("uses", &function.used), ("defines", &function.defined), ("preserves", &function.preserved)]
        {
            if !set.is_empty() {
                remarks.push(format!("{what} {}", set.join(" ")));
            }
        }
    }
    let Colours { label: colour, dim, reset, .. } = colours;
    let _ = write!(out, "{colour}{}:{reset}", label.symbol);
    if !remarks.is_empty() {
        let pad = REMARKS.saturating_sub(label.symbol.len() + 1).max(1);
        let _ = write!(out, "{:pad$}{dim}; {}{reset}", "", remarks.join(", "));
    }
    out.push('\n');
}

fn instruction(inst: &Inst<'_>, columns: &Columns, colours: Colours, out: &mut String) {
    let Colours { mnemonic, dim, reset, .. } = colours;
    let mut front = format!("{:>w$} ", inst.id, w = columns.numbers);
    if let Some(pc) = inst.pc {
        let _ = write!(front, "{pc:>6x}: ");
    }
    if let Some(bits) = &inst.encoding {
        let _ = write!(front, "{bits:<w$} ", w = columns.bits);
    }
    let shown = inst.comment.as_deref().unwrap_or(&inst.op);
    let (op, rest) = shown.split_at(shown.find(char::is_whitespace).unwrap_or(shown.len()));
    let _ = write!(out, "{dim}{front}{reset}  {mnemonic}{op}{reset}{rest}");
    let remarks = remarks(inst);
    if !remarks.is_empty() {
        let pad = REMARKS.saturating_sub(shown.chars().count()).max(1);
        let _ = write!(out, "{:pad$}{dim}; {}{reset}", "", remarks.join(", "));
    }
    out.push('\n');
}

fn remarks(inst: &Inst<'_>) -> Vec<String> {
    let list = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let mut all = Vec::new();
    let flag = inst.freg.as_ref().map_or("flag", |flag| &flag.rn);
    if let Some(pred) = inst.pred.as_ref().filter(|pred| !pred.defs.is_empty()) {
        all.push(format!("{flag} <- {}", list(&pred.defs)));
    }
    for source in &inst.srcs {
        let (name, defs) = match source {
            ListOperand::RD(o) => (&o.reg.rn, &o.defs),
            ListOperand::RI(o) => (&o.areg.rn, &o.defs),
            ListOperand::RM(o) => (&o.reg.rn, &o.defs),
            ListOperand::DA(o) => (&o.reg.rn, &o.defs),
            ListOperand::AD(o) => (&o.areg.rn, &o.adefs),
            ListOperand::LB(_) | ListOperand::IM(_) => continue,
        };
        if !defs.is_empty() {
            all.push(format!("{name} <- {}", list(defs)));
        }
    }
    if let Some(ListOperand::RI(o)) = &inst.dst
        && !o.defs.is_empty()
    {
        all.push(format!("{} <- {}", o.areg.rn, list(&o.defs)));
    }
    if let Some(implicit) = &inst.implicit {
        if !implicit.defs.is_empty() {
            all.push(format!("implied <- {}", list(&implicit.defs)));
        }
        if !implicit.uses.is_empty() {
            all.push(format!("implied -> {}", list(&implicit.uses)));
        }
    }
    let made = match &inst.dst {
        Some(ListOperand::RD(o)) => Some((&o.reg.rn, &o.uses)),
        Some(ListOperand::RM(o)) => Some((&o.reg.rn, &o.uses)),
        _ => None,
    };
    if let Some((name, uses)) = made.filter(|(_, uses)| !uses.is_empty()) {
        all.push(format!("{name} -> {}", list(uses)));
    }
    if let Some(fm) = inst.fm.as_ref().filter(|fm| !fm.uses.is_empty()) {
        all.push(format!("{flag} -> {}", list(&fm.uses)));
    }
    if let Some(live) = &inst.live_totals {
        let some = live.0.iter().filter(|(_, bytes)| *bytes > 0);
        let parts: Vec<String> = some.map(|(file, bytes)| format!("{file} {bytes}")).collect();
        if !parts.is_empty() {
            all.push(format!("live {}", parts.join(" ")));
        }
    }
    all
}
