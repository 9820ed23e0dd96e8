//! Blocks that run one after the other.
//!
//! The problem: a block has some five instructions, so what is done between two blocks takes as long as the blocks. The method: the executor
//! asks [`Run::goes_on`] whether the block after the one it has done is there and allowed, and only if not goes back to the hart, which decodes
//! blocks, looks at interrupts and does what devices and debuggers want. The invariant: blocks before the one at hand are counted in the
//! machine, so that it has the right count whenever it is looked at.

use crate::block::{Block, Blocks, Ins};
use crate::machine::Machine;

/// What is run now, and what may follow.
pub(crate) struct Run<'b> {
    /// Blocks that may follow. Without them the caller counts what ran.
    blocks: Option<&'b Blocks>,
    /// The first address of the block at hand.
    pub(crate) start: u64,
    code: &'b [Ins],
    end: u64,
    /// How many instructions are allowed.
    pub(crate) left: u64,
    /// Bits that are 0 in an address to which a program may jump.
    misaligned: u64,
}

impl<'b> Run<'b> {
    /// Some code and nothing after it.
    pub(crate) fn alone(start: u64, code: &'b [Ins], end: u64) -> Run<'b> {
        Run { blocks: None, start, code, end, left: code.len() as u64, misaligned: 0 }
    }

    /// A block that is allowed, and those after it.
    pub(crate) fn new(blocks: Option<&'b Blocks>, block: &'b Block, left: u64, misaligned: u64) -> Run<'b> {
        Run { blocks, start: block.start, code: &block.code, end: block.end, left, misaligned }
    }

    #[inline(always)]
    pub(crate) fn code(&self) -> &'b [Ins] {
        self.code
    }

    #[inline(always)]
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The block at hand has ended, and the program goes on at this address; gives whether another block is run there.
    #[inline(always)]
    pub(crate) fn goes_on(&mut self, machine: &mut Machine, next: u64) -> bool {
        let Some(blocks) = self.blocks else { return false };
        let block = blocks.at(next);
        let count = self.code.len() as u64;
        let goes_on = block.start == next
            && block.code.len() as u64 <= self.left.wrapping_sub(count)
            && !machine.memory.attention;
        if goes_on || next & self.misaligned == 0 {
            self.left = self.left.wrapping_sub(count);
            machine.csrs.retired = machine.csrs.retired.wrapping_add(count);
            machine.recent.push(self.start, count);
        }
        if goes_on {
            (self.start, self.code, self.end) = (block.start, &block.code, block.end);
        }
        goes_on
    }

    /// How many instructions of the block at hand ran that are not counted, where it has ended and the program goes on at `next`.
    pub(crate) fn uncounted(&self, next: Option<u64>) -> u64 {
        match next {
            Some(next) if self.blocks.is_some() && next & self.misaligned == 0 => 0,
            _ => self.code.len() as u64,
        }
    }
}
