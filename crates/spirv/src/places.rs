//! Places for the ids of a module, so that what is known about them lies in plain vectors whose size is in proportion to
//! the module, however its ids are spread.
//!
//! A module whose bound fits its size gets a place for every id below the bound: the id itself. Ids beyond that (all, if
//! the bound is too large) are collected by one walk over the module, and only when one of them is met that is defined,
//! named or decorated: a bit for each id that is not too far out with a count for every 64, and a sorted list of the
//! absurd ones.

use std::cell::OnceCell;

use crate::grammar::rows::{HAS_RESULT, HAS_TYPE};
use crate::grammar::{Grammar, opcode};
use crate::instructions::Instructions;
use crate::limits::{DENSE_IDS, WORDS_PER_ID};

/// Bits for ids per word of the module: a quarter of its size.
const BITS_PER_WORD: usize = 8;

/// See the module.
#[derive(Debug)]
pub(crate) struct Places<'m> {
    words: &'m [u32],
    grammar: Grammar<'m>,
    /// Ids below are their own places.
    dense: usize,
    rest: OnceCell<Rest>,
}

/// The other ids.
#[derive(Debug, Default)]
struct Rest {
    bits: Vec<u64>,
    /// For each limb of `bits`: how many are set in those before.
    before: Vec<u32>,
    /// Ids past the bits, sorted.
    far: Vec<u32>,
    /// How many ids there are.
    count: usize,
}

impl<'m> Places<'m> {
    pub(crate) fn new(words: &'m [u32], grammar: Grammar<'m>) -> Places<'m> {
        let bound = words.get(3).copied().unwrap_or(0) as usize;
        let fits = bound <= words.len() / WORDS_PER_ID + DENSE_IDS;
        Places { words, grammar, dense: if fits { bound } else { 0 }, rest: OnceCell::new() }
    }

    /// Places that ids have so far.
    pub(crate) fn len(&self) -> usize {
        self.dense + self.rest.get().map_or(0, |rest| rest.count)
    }

    /// The place of an id that has been given one.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<usize> {
        if (id as usize) < self.dense { Some(id as usize) } else { self.rest.get()?.find(id).map(|n| self.dense + n) }
    }

    /// The place of an id that the module defines, names or decorates.
    #[inline]
    pub(crate) fn give(&self, id: u32) -> Option<usize> {
        if (id as usize) < self.dense { Some(id as usize) } else { self.give_far(id) }
    }

    #[inline(never)]
    fn give_far(&self, id: u32) -> Option<usize> {
        let rest = self.rest.get_or_init(|| Rest::new(self.words, self.grammar, self.dense));
        rest.find(id).map(|n| self.dense + n)
    }
}

/// The id that an instruction defines, names or decorates.
fn subject(grammar: Grammar<'_>, opcode: u16, words: &[u32]) -> Option<u32> {
    match (opcode, words) {
        (opcode::OpName | opcode::OpDecorate, [_, target, ..]) => Some(*target),
        _ => {
            let flags = grammar.op(opcode)?.flags;
            let at = if flags & HAS_TYPE != 0 { 2 } else { 1 };
            // One that is too short still keeps a number from being a name.
            words.get(at).or(words.get(1)).copied().filter(|_| flags & HAS_RESULT != 0)
        }
    }
}

impl Rest {
    #[cold]
    fn new(words: &[u32], grammar: Grammar<'_>, dense: usize) -> Rest {
        let limit = BITS_PER_WORD * words.len();
        let mut rest = Rest { bits: vec![0; limit.div_ceil(64)], ..Rest::default() };
        for i in Instructions::new(words) {
            let Some(id) = subject(grammar, i.opcode, i.words).filter(|&id| id as usize >= dense) else { continue };
            match rest.bits.get_mut(id as usize / 64) {
                Some(limb) => *limb |= 1 << (id % 64),
                None => rest.far.push(id),
            }
        }
        rest.far.sort_unstable();
        rest.far.dedup();
        rest.far.shrink_to_fit();
        let mut near = 0;
        rest.before.reserve_exact(rest.bits.len());
        for limb in &rest.bits {
            rest.before.push(near);
            near += limb.count_ones();
        }
        rest.count = near as usize + rest.far.len();
        rest
    }

    fn find(&self, id: u32) -> Option<usize> {
        let at = id as usize / 64;
        match self.bits.get(at) {
            Some(limb) if limb >> (id % 64) & 1 == 0 => None,
            Some(limb) => {
                let below = limb & ((1 << (id % 64)) - 1);
                self.before.get(at).map(|before| *before as usize + below.count_ones() as usize)
            }
            None => self.far.binary_search(&id).ok().map(|n| self.count - self.far.len() + n),
        }
    }
}

/// A number for each id; 0 where none was set.
#[derive(Debug)]
pub(crate) struct Facts<'m, 'p> {
    places: &'p Places<'m>,
    values: Vec<u32>,
}

impl<'m, 'p> Facts<'m, 'p> {
    pub(crate) fn new(places: &'p Places<'m>) -> Facts<'m, 'p> {
        Facts { places, values: vec![0; places.len()] }
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> u32 {
        self.places.get(id).and_then(|at| self.values.get(at)).copied().unwrap_or(0)
    }

    /// Sets the number of an id that the module defines, names or decorates.
    #[inline]
    pub(crate) fn set(&mut self, id: u32, value: u32) {
        let Some(at) = self.places.give(id) else { return };
        if at >= self.values.len() {
            let wanted = self.places.len();
            self.values.reserve_exact(wanted.saturating_sub(self.values.len()));
            self.values.resize(wanted, 0);
        }
        if let Some(slot) = self.values.get_mut(at) {
            *slot = value;
        }
    }
}
