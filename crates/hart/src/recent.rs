//! The last instructions of a run: where the last blocks began, and how many of their instructions ran.

use isaglot_invariant::Impossible as _;

/// Blocks that are remembered; a power of two.
const KEPT: usize = 16;

/// A ring of the last blocks. It is written after each block, so what is written has one index.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    starts: [u64; KEPT],
    counts: [u32; KEPT],
    next: usize,
}

impl Recent {
    pub(crate) fn new() -> Recent {
        Recent { starts: [0; KEPT], counts: [0; KEPT], next: 0 }
    }

    /// So many instructions ran from there on.
    #[inline(always)]
    pub(crate) fn push(&mut self, start: u64, count: u64) {
        let at = self.next % KEPT;
        (self.starts[at], self.counts[at]) = (start, count as u32);
        self.next = at + 1;
    }

    /// What ran is not known any more.
    #[cfg(feature = "jit")]
    pub(crate) fn forget(&mut self) {
        *self = Recent::new();
    }

    /// The blocks, the oldest first.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = (u64, u32)> {
        let blocks = (0..KEPT).map(|at| self.next.wrapping_add(at) % KEPT);
        blocks.map(|at| (self.starts.get(at).copied().or_impossible(0), self.counts.get(at).copied().or_impossible(0)))
    }
}
