//! The texts of values that were written once and come again: they are copied instead of being made anew.
//!
//! A value comes again as a field of other records, and as a part of larger values: a loop that was written out while an
//! argument was free is a tree on paper and a graph in memory, whose text is hundreds of times longer than the graph.
//!
//! The text of a value is kept when it is written for the second time, if it is short and there is room. A long text is
//! put together from the texts of its parts.

use crate::value::Val;

/// Bytes of texts that are kept.
const MAX_KEPT: usize = 1 << 25;

/// Texts longer than this are not kept.
const MAX_TEXT: usize = 1 << 12;

/// The value was not written yet.
const NEW: u32 = 0;

/// The value was written once.
const SEEN: u32 = u32::MAX;

/// Texts of values, for one form of output.
#[derive(Debug)]
pub(crate) struct Texts {
    /// By the numbers of values: where the text begins among those that are kept, and its length there; [`NEW`] or [`SEEN`] if
    /// it is not there. (Pairs, since the system hands out zeros for nothing.)
    known: Vec<(u32, u32)>,
    kept: Vec<u8>,
}

impl Texts {
    /// Room for so many values.
    pub(crate) fn new(values: usize) -> Texts {
        Texts { known: vec![(0, NEW); values], kept: Vec::new() }
    }

    /// Adds the text of a value if it is kept; says whether it was.
    #[inline]
    pub(crate) fn copy(&self, v: Val, out: &mut Vec<u8>) -> bool {
        let Some(&(start, len)) = self.known.get(v.index()) else { return false };
        if len == NEW || len == SEEN {
            return false;
        }
        match self.kept.get(start as usize..start as usize + len as usize) {
            Some(text) => out.extend_from_slice(text),
            None => return false,
        }
        true
    }

    /// Takes note of the text of a value that was written just now, and is not kept.
    #[inline]
    pub(crate) fn note(&mut self, v: Val, text: &[u8]) {
        let Some(slot) = self.known.get_mut(v.index()) else { return };
        if slot.1 == NEW {
            slot.1 = SEEN;
        } else if !text.is_empty() && text.len() <= MAX_TEXT && self.kept.len() < MAX_KEPT {
            *slot = (self.kept.len() as u32, text.len() as u32);
            self.kept.extend_from_slice(text);
        }
    }
}
