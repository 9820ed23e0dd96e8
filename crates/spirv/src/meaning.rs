//! Enumerants that no operand takes by name: scopes, memory semantics and some flags are given by the id of a constant.
//!
//! The grammar has their names nevertheless. So the assembler can say which constant a name stands for, and the
//! disassembler what a constant means where it is used.

use crate::grammar::Grammar;
use crate::grammar::rows::{FIRST_ENUM, GroupRow, ID_SCOPE, ID_SEMANTICS, MASK};

/// The kinds of enumerants that ids of an operand kind stand for.
fn groups(kind: u8) -> &'static [&'static str] {
    match kind {
        ID_SCOPE => &["Scope"],
        ID_SEMANTICS => &["MemorySemantics"],
        _ => &["KernelEnqueueFlags", "KernelProfilingInfo", "RayFlags"],
    }
}

/// The kinds of this name, and the operand kind of each.
fn named<'g>(grammar: Grammar<'g>, name: &'static str) -> impl Iterator<Item = (u8, &'g GroupRow)> {
    let kinds = grammar.kinds().iter().enumerate();
    kinds.filter(move |(_, g)| grammar.str(g.name) == name).map(|(i, g)| (FIRST_ENUM.wrapping_add(i as u8), g))
}

/// The number that a name, or several with `|`, stands for where an id of this kind is due.
pub(crate) fn number(grammar: Grammar<'_>, kind: u8, word: &[u8]) -> Option<u32> {
    let all = groups(kind).iter().flat_map(|name| named(grammar, name));
    let mut values = all.filter_map(|(kind, _)| {
        let parts = word.split(|&b| b == b'|').map(|name| grammar.enumerant(kind, name));
        parts.map(|row| row.map(|row| row.value)).try_fold(0, |all, value| value.map(|value| all | value))
    });
    values.next()
}

/// The names of a number where it is given by an id of this kind; `None` if ids of this kind have no names.
pub(crate) fn names(grammar: Grammar<'_>, kind: u8, value: u32) -> Option<String> {
    if kind != ID_SCOPE && kind != ID_SEMANTICS {
        return None;
    }
    let (_, group) = groups(kind).iter().find_map(|name| named(grammar, name).next())?;
    let name = |value: u32| grammar.member(group, value).map(|row| grammar.str(row.name));
    if group.flags & MASK == 0 || value == 0 {
        return Some(name(value).map_or_else(|| value.to_string(), str::to_owned));
    }
    let bits = (0..32).map(|i| 1 << i).filter(|bit| value & bit != 0);
    let bits: Vec<String> = bits.map(|bit| name(bit).map_or_else(|| format!("{bit:#x}"), str::to_owned)).collect();
    Some(bits.join("|"))
}
