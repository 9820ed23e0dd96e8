//! The last instructions of a run: where the last blocks began, and how many of their instructions ran.

use isaglot_invariant::Impossible as _;

use crate::hart::Hart;

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
    fn all(&self) -> impl DoubleEndedIterator<Item = (u64, u32)> {
        (0..KEPT).map(|at| self.blocks.get(self.next.wrapping_add(at) % KEPT).copied().or_impossible((0, 0)))
    }
}

impl Hart<'_> {
    /// The addresses of the last instructions that ran, at most so many, the oldest first. An instruction that trapped is
    /// among them. What is no longer in memory as it was is left out.
    pub fn last(&mut self, most: usize) -> Vec<u64> {
        let blocks: Vec<(u64, u32)> = self.machine.recent.all().collect();
        let mut all = Vec::new();
        for (start, count) in blocks {
            let mut pc = start;
            for _ in 0..count {
                let Some((_, length)) = self.fetch(pc) else { break };
                all.push(pc);
                pc = pc.wrapping_add(length);
            }
        }
        all.split_off(all.len().saturating_sub(most))
    }
}
