//! Instructions that were decoded, by their addresses.
//!
//! A page of addresses has a table with a place for each byte; the page of the last instruction is tried first. A store to code takes
//! the instructions away that it may have changed; what they had decoded to is given back when the whole is thrown away.

use rustc_hash::FxHashMap;

use crate::decode::Operation;
use crate::limits::{MAX_DECODED, MAX_OPERATIONS};
use crate::narrow::{Op, stores};

/// Addresses of a table.
const PAGE: u64 = 1 << 12;

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    /// The address after it.
    pub(crate) next: u64,
    /// Its operations among all.
    pub(crate) operations: (usize, usize),
    pub(crate) form: Form,
}

/// How it is run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// By these operations over numbers, from one to another, which store something or not.
    Narrow(usize, usize, bool),
    /// By the interpreter.
    Texts,
}

#[derive(Debug, Default)]
pub(crate) struct Cache {
    pages: FxHashMap<u64, usize>,
    /// Numbers of instructions, each plus 1; 0 for none.
    tables: Vec<Box<[u32; PAGE as usize]>>,
    /// The page of the last instruction, plus 1, and its table.
    recent: (u64, usize),
    decoded: Vec<Decoded>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) ops: Vec<Op>,
    /// The most bytes that an instruction has.
    longest: u64,
}

impl Cache {
    /// The number of the instruction at an address.
    #[inline]
    pub(crate) fn find(&mut self, pc: u64) -> Option<usize> {
        let page = pc / PAGE;
        if self.recent.0 != page + 1 {
            self.recent = (page + 1, *self.pages.get(&page)?);
        }
        let number = self.tables[self.recent.1][(pc % PAGE) as usize];
        (number as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn at(&self, number: usize) -> Decoded {
        self.decoded[number]
    }

    /// Keeps an instruction; gives its number.
    pub(crate) fn put(&mut self, pc: u64, next: u64, operations: Vec<Operation>, ops: Option<Vec<Op>>) -> usize {
        let more = ops.as_ref().map_or(0, Vec::len);
        if self.decoded.len() >= MAX_DECODED
            || self.operations.len() + operations.len() > MAX_OPERATIONS
            || self.ops.len() + more > MAX_OPERATIONS
        {
            *self = Cache { longest: self.longest, ..Cache::default() };
        }
        let first = self.operations.len();
        self.operations.extend(operations);
        let form = ops.map_or(Form::Texts, |ops| {
            let from = self.ops.len();
            let stores = stores(&ops);
            self.ops.extend(ops);
            Form::Narrow(from, self.ops.len(), stores)
        });
        self.longest = self.longest.max(next.wrapping_sub(pc));
        self.decoded.push(Decoded { next, operations: (first, self.operations.len()), form });
        let tables = &mut self.tables;
        let table = *self.pages.entry(pc / PAGE).or_insert_with(|| {
            tables.push(Box::new([0; PAGE as usize]));
            tables.len() - 1
        });
        self.tables[table][(pc % PAGE) as usize] = self.decoded.len() as u32;
        self.decoded.len() - 1
    }

    /// Forgets the instructions of which a byte lies between these addresses.
    #[cold]
    pub(crate) fn forget(&mut self, (first, last): (u64, u64)) {
        let first = first.saturating_sub(self.longest);
        let pages: Vec<(u64, usize)> = self.pages.iter().map(|(&page, &table)| (page, table)).collect();
        for (page, table) in pages.into_iter().filter(|&(page, _)| page >= first / PAGE && page <= last / PAGE) {
            let from = first.saturating_sub(page * PAGE).min(PAGE) as usize;
            let to = (last - page * PAGE + 1).min(PAGE) as usize;
            if let Some(places) = self.tables[table].get_mut(from..to) {
                places.fill(0);
            }
        }
    }
}
