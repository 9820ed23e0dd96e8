//! The blocks of a module: what stands outside functions, the head of each function, and what each label begins.
//!
//! Twelve bytes are kept of a block, and eight of an edge: a module may be little but labels and branches.

use isaglot_invariant::Impossible as _;

use super::rows::Rows;
use crate::flow::exits;
use crate::grammar::opcode;
use crate::instructions::{Instruction, Instructions};

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Instructions outside functions.
    Module,
    /// `OpFunction` and its parameters.
    Head,
    /// From a label on.
    Body,
}

/// A block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// The id of its function or label; 0 for none.
    pub(super) id: u32,
    /// The word index of its first instruction.
    pub(super) start: u32,
    /// Number of its first instruction, and above [`PART`] what it is.
    row: u32,
}

/// Where a block's part begins in `row`: a module has fewer than `1 << PART` instructions.
const PART: u32 = 30;

impl Block {
    fn new(part: Part, id: u32, start: usize, row: usize) -> Block {
        Block { id, start: start as u32, row: row as u32 | (part as u32) << PART }
    }

    pub(super) fn part(&self) -> Part {
        match self.row >> PART {
            0 => Part::Module,
            1 => Part::Head,
            _ => Part::Body,
        }
    }

    /// Number of its first instruction.
    pub(super) fn row(&self) -> u32 {
        self.row & ((1 << PART) - 1)
    }
}

/// All blocks, in the order of the module, and the edges between them.
#[derive(Debug)]
pub(super) struct Blocks<'w> {
    words: &'w [u32],
    pub(super) all: Vec<Block>,
    /// Id and number of each block that has an id, sorted.
    places: Vec<(u32, u32)>,
    /// The numbers of the heads, rising.
    pub(super) heads: Vec<u32>,
    /// From and to, sorted.
    succs: Vec<(u32, u32)>,
    /// To and from, sorted.
    preds: Vec<(u32, u32)>,
}

/// The second numbers of the pairs that begin with `n`, in sorted pairs.
fn of(pairs: &[(u32, u32)], n: u32) -> impl Iterator<Item = u32> {
    let from = pairs.partition_point(|pair| pair.0 < n);
    pairs.get(from..).or_impossible(&[]).iter().take_while(move |pair| pair.0 == n).map(|pair| pair.1)
}

impl<'w> Blocks<'w> {
    pub(super) fn new(words: &'w [u32], rows: &mut Rows<'_>) -> Blocks<'w> {
        let count =
            Instructions::new(words).filter(|i| matches!(i.opcode, opcode::OpFunction | opcode::OpLabel)).count();
        let mut all: Vec<Block> = Vec::new();
        all.reserve_exact(count + 1);
        let mut inside = false;
        for (row, i) in Instructions::new(words).enumerate() {
            inside |= i.opcode == opcode::OpFunction;
            let part = match i.opcode {
                opcode::OpFunction => Some(Part::Head),
                opcode::OpLabel if inside => Some(Part::Body),
                _ if !inside && all.last().is_none_or(|b| b.part() != Part::Module) => Some(Part::Module),
                _ => None,
            };
            if let Some(part) = part {
                let id = if part == Part::Module { 0 } else { rows.row(i.offset).result };
                all.push(Block::new(part, id, i.offset, row));
            }
            inside &= i.opcode != opcode::OpFunctionEnd;
        }
        let numbered = || (0u32..).zip(&all);
        let mut places = Vec::new();
        places.reserve_exact(all.iter().filter(|b| b.id != 0).count());
        places.extend(numbered().filter(|(_, b)| b.id != 0).map(|(n, b)| (b.id, n)));
        places.sort_unstable();
        let heads = numbered().filter(|(_, b)| b.part() == Part::Head).map(|(n, _)| n).collect();
        let mut blocks = Blocks { words, all, places, heads, succs: Vec::new(), preds: Vec::new() };
        blocks.link(&|selector| rows.label_words(selector));
        blocks
    }

    fn link(&mut self, label_words: &dyn Fn(u32) -> usize) {
        let mut targets = Vec::new();
        for n in 0..self.all.len() as u32 {
            let Some(block) = self.all.get(n as usize) else { continue };
            targets.clear();
            match block.part() {
                Part::Module => {}
                // The first block of a function follows its head.
                Part::Head => {
                    targets.extend(self.all.get(n as usize + 1).filter(|b| b.part() == Part::Body).map(|_| n + 1));
                }
                Part::Body => {
                    // Debug lines end nothing.
                    let line = |i: &Instruction<'_>| {
                        matches!(i.opcode, opcode::OpLine | opcode::OpNoLine | opcode::OpFunctionEnd)
                    };
                    let exits = exits(self.instructions(n).filter(|i| !line(i)), label_words);
                    targets.extend(exits.branch.targets().filter_map(|label| self.label(n, label)));
                    targets.sort_unstable();
                    targets.dedup();
                }
            }
            self.succs.extend(targets.iter().map(|&to| (n, to)));
        }
        self.succs.shrink_to_fit();
        self.preds.reserve_exact(self.succs.len());
        self.preds.extend(self.succs.iter().map(|&(from, to)| (to, from)));
        self.preds.sort_unstable();
    }

    /// The block that a label begins in the function of block `n`; if several have the label, the last one.
    fn label(&self, n: u32, label: u32) -> Option<u32> {
        let next = self.heads.partition_point(|head| *head <= n);
        let head = *self.heads.get(next.checked_sub(1)?)?;
        let end = self.heads.get(next).copied().unwrap_or(u32::MAX);
        let found = self.places.partition_point(|place| *place < (label, end)).checked_sub(1)?;
        self.places.get(found).filter(|(id, at)| *id == label && *at > head).map(|(_, at)| *at)
    }

    /// The last block or function that an id is the name of.
    pub(super) fn place(&self, id: u32) -> Option<u32> {
        let found = self.places.partition_point(|place| place.0 <= id).checked_sub(1)?;
        self.places.get(found).filter(|place| place.0 == id).map(|place| place.1)
    }

    /// The instructions of a block.
    pub(super) fn instructions(&self, n: u32) -> impl Iterator<Item = Instruction<'w>> + use<'w> {
        let start = |n: usize| self.all.get(n).map(|block| block.start as usize);
        let end = start(n as usize + 1).unwrap_or(self.words.len());
        let from = start(n as usize).unwrap_or(end);
        Instructions::from(self.words, from).take_while(move |i| i.offset < end)
    }

    /// Whether a block's last instruction is the `OpFunctionEnd` of its function.
    pub(super) fn ends_function(&self, n: u32) -> bool {
        let inside = self.all.get(n as usize).is_some_and(|block| block.part() != Part::Module);
        inside && self.instructions(n).last().is_some_and(|i| i.opcode == opcode::OpFunctionEnd)
    }

    /// Blocks to which control goes, rising.
    pub(super) fn succs(&self, n: u32) -> impl Iterator<Item = u32> {
        of(&self.succs, n)
    }

    /// Blocks from which it comes, rising.
    pub(super) fn preds(&self, n: u32) -> impl Iterator<Item = u32> {
        of(&self.preds, n)
    }
}
