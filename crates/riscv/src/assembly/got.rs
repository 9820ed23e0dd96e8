//! The table of addresses that position-independent code reads (GOT), and thread-local symbols.
//!
//! `la a0, x` under `.option pic` loads the address of `x` from the table, because another file may define `x`. Here no other
//! file does, so the table is finished when the program is: it becomes the section `.got` of the program.
//!
//! The entries are in the order in which GNU's linker puts them, so that code is equal byte by byte: an empty word, the
//! symbols of the file as they are defined in it, then global symbols in the order of that linker's hash table.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_source::Span;

use super::Binding;
use super::expand::Expander;
use crate::Xlen;

/// The place that thread-local offsets are counted from; the general assembler knows it.
const THREAD: &str = ".$thread";

/// What is added to offsets in the table that the function for thread-local addresses takes.
const DYNAMIC_BIAS: u32 = 0x800;

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// The address.
    Address,
    /// The number of the module, which is 1, and the offset in it, for `__tls_get_addr`.
    ModuleAndOffset,
    /// The offset from the thread pointer.
    Offset,
}

/// An entry that code refers to.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    symbol: String,
    holds: Holds,
    span: Span,
}

/// The number of lists of that hash table at first. It grows when 3 of 4 are used, which takes more symbols in one table of
/// addresses than a program has.
const LISTS: u32 = 4051;

/// The hash of a name in that table.
fn hash(name: &str) -> u32 {
    let mix = |hash: u32, value: u32| {
        let hash = hash.wrapping_add(value.wrapping_add(value << 17));
        hash ^ hash >> 2
    };
    let all = name.bytes().fold(0, |hash, byte| mix(hash, u32::from(byte)));
    mix(all, name.len() as u32)
}

/// The lines of the rewritten program on which these symbols are defined.
fn defined(program: &[u8], symbols: &BTreeSet<&[u8]>) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for (line, number) in program.split(|&byte| byte == b'\n').zip(0..) {
        let end = line.iter().position(|byte| matches!(byte, b':' | b' ')).unwrap_or(line.len());
        let (name, rest) = line.split_at(end);
        if (rest == b":" || rest.starts_with(b" = ")) && symbols.contains(name) {
            found.entry(String::from_utf8_lossy(name).into_owned()).or_insert(number);
        }
    }
    found
}

impl Expander<'_> {
    /// The label of the entry for a symbol.
    pub(super) fn entry(&mut self, symbol: &str, holds: Holds, span: Span) -> String {
        let known = self.entries.iter().position(|entry| entry.symbol == symbol && entry.holds == holds);
        let at = known.unwrap_or_else(|| {
            self.entries.push(Entry { symbol: symbol.to_owned(), holds, span });
            self.entries.len() - 1
        });
        format!(".$got{at}")
    }

    /// The table itself; it comes after everything else.
    pub(super) fn table(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        let Some(first) = entries.first() else { return };
        let (word, bytes) = if self.target.xlen == Xlen::Rv64 { (".dword", 8) } else { (".word", 4) };
        self.emit(".section .got,\"aw\"", first.span);
        self.emit(&format!(".align {bytes}"), first.span);
        self.emit(&format!("{word} 0"), first.span);
        let bindings = &self.made.attributes.bindings;
        let is_global = |entry: &Entry| bindings.get(&entry.symbol).is_some_and(|b| *b != Binding::Local);
        let mut order: Vec<(usize, &Entry)> = entries.iter().enumerate().collect();
        let local: BTreeSet<&[u8]> =
            entries.iter().filter(|entry| !is_global(entry)).map(|entry| entry.symbol.as_bytes()).collect();
        let defined = defined(&self.made.text, &local);
        order.sort_by_key(|(at, entry)| match is_global(entry) {
            true => (1, hash(&entry.symbol) % LISTS, entry.holds == Holds::Offset, *at),
            false => (0, defined.get(&entry.symbol).copied().unwrap_or(u32::MAX), entry.holds == Holds::Offset, *at),
        });
        for (at, Entry { symbol, holds, span }) in order {
            self.emit(&format!(".$got{at}:"), *span);
            match holds {
                Holds::Address => self.emit(&format!("{word} {symbol}"), *span),
                Holds::Offset => self.emit(&format!("{word} {symbol} - {THREAD}"), *span),
                Holds::ModuleAndOffset => {
                    self.emit(&format!("{word} 1, {symbol} - {THREAD} - {DYNAMIC_BIAS:#x}"), *span);
                }
            }
        }
    }
}

/// The offset of a thread-local symbol from the thread pointer, as an expression.
pub(super) fn thread_offset(symbol: &str) -> String {
    format!("({symbol}) - {THREAD}")
}
