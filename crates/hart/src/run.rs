//! Blocks that run one after the other.
//!
//! The problem: a block has some ten instructions, so what is done between two blocks takes as long as the blocks. The method: the executor
//! asks [`Run::goes_on`] whether the block after the one it has done is there and allowed, and only if not goes back to the hart, which decodes
//! blocks, looks at interrupts and does what devices and debuggers want. The invariant: blocks before the one at hand are counted in the
//! machine, so that it has the right count whenever it is looked at; the one at hand the hart counts.

use crate::block::{Block, Blocks, Ins};
use crate::machine::Machine;

/// What is run now, and what may follow.
pub(crate) struct Run<'b> {
    /// Blocks that may follow.
    blocks: Option<&'b Blocks>,
    /// The block at hand.
    pub(crate) block: &'b Block,
    /// How many instructions are allowed.
    pub(crate) left: u64,
    /// How many of the block at hand ran, where the run has ended without a trap.
    pub(crate) ran: u64,
}

impl<'b> Run<'b> {
    /// A block and nothing after it.
    pub(crate) fn alone(block: &'b Block) -> Run<'b> {
        Run { blocks: None, block, left: block.code.len() as u64, ran: 0 }
    }

    /// A block that is allowed, and those after it.
    pub(crate) fn new(blocks: Option<&'b Blocks>, block: &'b Block, left: u64) -> Run<'b> {
        Run { blocks, block, left, ran: 0 }
    }

    #[inline(always)]
    pub(crate) fn code(&self) -> &'b [Ins] {
        &self.block.code
    }

    /// The address after the block at hand.
    #[inline(always)]
    pub(crate) fn end(&self) -> u64 {
        self.block.end
    }

    /// The address of the first of the instructions that are left of the block at hand.
    #[cold]
    #[inline(never)]
    pub(crate) fn place(&self, rest: &[Ins]) -> u64 {
        self.block.place(self.block.code.len() - rest.len())
    }

    /// The block at hand has ended, with these instructions left that did not run, and the program goes on at this address; gives whether
    /// another block is run there.
    #[inline(always)]
    pub(crate) fn goes_on(&mut self, machine: &mut Machine, rest: &[Ins], next: u64) -> bool {
        let ran = (self.block.code.len() - rest.len()) as u64;
        if let Some(blocks) = self.blocks {
            let block = blocks.at(next);
            let left = self.left.wrapping_sub(ran);
            if block.start == next && block.code.len() as u64 <= left && !machine.memory.attention {
                self.left = left;
                machine.csrs.retired = machine.csrs.retired.wrapping_add(ran);
                machine.recent.push(self.block.start, ran);
                self.block = block;
                return true;
            }
        }
        self.ran = ran;
        false
    }
}
