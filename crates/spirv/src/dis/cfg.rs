//! The control flow of one function, for indentation by nesting and for order by flow.
//!
//! A block is kept as the place of its label alone: where it ends the next one begins, and where it goes is read
//! from its last instructions when that is needed ([`crate::flow`]). A branch to something else than a block gives no edge, so
//! that no input can break the walk.
//!
//! The levels of a loop, each block with what it adds to the level of the block that names it:
//!
//! ```text
//! head      OpLoopMerge %done %again; OpBranch %body
//!   body    +2: the body of a loop
//!  again    +1: the block that leads back
//! done      +0: where it ends
//! ```

use crate::flow::{Branch, exits};
use crate::instructions::{Instruction, Instructions};

/// Blocks held back, and what of their words was printed before them.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// The blocks in the order of the module.
    pub(crate) blocks: Vec<Block>,
    /// Where the last one ends.
    pub(crate) end: usize,
    /// Instructions among them that were printed already, by word index, rising.
    pub(crate) printed: Vec<u32>,
}

/// A block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// The word index of its label.
    start: u32,
    /// [`LEVELED`], [`REACHED`], and the nesting level.
    state: u32,
}

/// The level is final.
const LEVELED: u32 = 1 << 31;
/// The walk has been here.
const REACHED: u32 = 1 << 30;

/// Work to be done after what the block leads to.
const AFTER: u32 = 1 << 31;

impl Block {
    /// A block that begins with the label at this word.
    pub(crate) fn new(label: usize) -> Block {
        Block { start: label as u32, state: 0 }
    }

    /// Nesting level.
    pub(crate) fn level(&self) -> u32 {
        self.state & !(LEVELED | REACHED)
    }
}

impl Held {
    /// The instructions of a block, the label first.
    pub(crate) fn instructions<'w>(
        &self,
        block: usize,
        words: &'w [u32],
    ) -> impl Iterator<Item = Instruction<'w>> + use<'_, 'w> {
        let start = |n: usize| self.blocks.get(n).map(|block| block.start as usize);
        let end = start(block + 1).unwrap_or(self.end);
        let all = Instructions::from(words, start(block).unwrap_or(end));
        all.take_while(move |i| i.offset < end)
            .filter(|i| self.printed.is_empty() || self.printed.binary_search(&(i.offset as u32)).is_err())
    }

    /// Notes that an instruction among the blocks was printed.
    pub(crate) fn note(&mut self, at: usize) {
        if !self.blocks.is_empty() {
            self.printed.push(at as u32);
        }
    }

    /// Sets the levels and gives the order in which the blocks are to be shown if they are to follow the flow.
    /// `label_words` is how many words a case label of a switch on this selector takes.
    pub(crate) fn analyse(&mut self, words: &[u32], label_words: &dyn Fn(u32) -> usize) -> Vec<u32> {
        let label = |block: &Block| words.get(block.start as usize + 1).copied();
        let mut index = Vec::new();
        index.reserve_exact(self.blocks.len());
        index.extend(self.blocks.iter().zip(0u32..).filter_map(|(block, i)| Some((label(block)?, i))));
        // Of blocks with one label the first counts.
        index.sort_unstable();
        let find = |id: Option<u32>| {
            let id = id?;
            let at = index.partition_point(|&(label, _)| label < id);
            index.get(at).filter(|(label, _)| *label == id).map(|(_, i)| *i)
        };
        let mut finished: Vec<u32> = Vec::new();
        finished.reserve_exact(self.blocks.len());
        let mut work = vec![0u32];
        if let Some(first) = self.blocks.first_mut() {
            first.state |= LEVELED;
        }
        while let Some(i) = work.pop() {
            if i & AFTER != 0 {
                finished.push(i ^ AFTER);
                continue;
            }
            let Some(block) = self.blocks.get_mut(i as usize) else { continue };
            if block.state & REACHED != 0 {
                continue;
            }
            block.state |= REACHED;
            let level = block.level();
            let exits = exits(self.instructions(i as usize, words), label_words);
            let blocks = &mut self.blocks;
            let mut assign = |to: Option<u32>, add: u32| {
                if let Some(b) = find(to).and_then(|t| blocks.get_mut(t as usize))
                    && b.state & LEVELED == 0
                {
                    b.state |= LEVELED | (level + add).min(REACHED - 1);
                }
            };
            assign(exits.merge, 0);
            assign(exits.next_loop, 1);
            // A plain branch goes on at the same level, unless it leads into a loop.
            let same = matches!(exits.branch, Branch::To(_)) && exits.next_loop.is_none();
            let deeper = if same { 0 } else { 2 };
            exits.branch.targets().for_each(|target| assign(Some(target), deeper));
            work.push(i | AFTER);
            // One that was reached would only be passed over.
            let mut push = |to: Option<u32>| {
                let to = find(to).filter(|&t| blocks.get(t as usize).is_some_and(|b| b.state & REACHED == 0));
                work.extend(to);
            };
            exits.branch.targets().for_each(|target| push(Some(target)));
            push(exits.next_loop);
            push(exits.merge);
        }
        finished.reverse();
        finished.extend(self.blocks.iter().zip(0..).filter(|(b, _)| b.state & REACHED == 0).map(|(_, i)| i));
        finished
    }
}
