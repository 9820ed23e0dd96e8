//! The last instructions of a run: where the last blocks began, and how many of their instructions ran.

use isaglot_invariant::Impossible as _;

/// Blocks that are remembered; a power of two.
const KEPT: usize = 16;

/// A ring of the last blocks.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    blocks: [(u64, u32); KEPT],
    next: usize,
}

impl Recent {
    pub(crate) fn new() -> Recent {
        Recent { blocks: [(0, 0); KEPT], next: 0 }
    }

    /// So many instructions ran from there on.
    #[inline(always)]
    pub(crate) fn push(&mut self, start: u64, count: u64) {
        self.blocks[self.next % KEPT] = (start, count as u32);
        self.next = self.next.wrapping_add(1);
    }

    /// What ran is not known any more.
    #[cfg(feature = "jit")]
    pub(crate) fn forget(&mut self) {
        *self = Recent::new();
    }

    /// The blocks, the oldest first.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = (u64, u32)> {
        (0..KEPT).map(|at| self.blocks.get(self.next.wrapping_add(at) % KEPT).copied().or_impossible((0, 0)))
    }
}
