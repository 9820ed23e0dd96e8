//! Pre-decoded instructions, and the blocks of them that run without looking left or right.

use isaglot_invariant::{Impossible as _, impossible};

use crate::cause::Fault;
#[cfg(feature = "jit")]
use crate::generated::table::OPS;
use crate::generated::table::{Op, single};
use crate::limits::BLOCKS;
use crate::watch::Before;

/// A register number that nothing reads: where writes to the zero register go.
const SINK: u64 = 32;

/// Where a block has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Not here.
    No,
    /// After this instruction.
    After,
    /// After it where it jumps; it may not.
    Branch,
    /// Before it and after it: it asks for things that are kept per block.
    Alone,
}

/// A pre-decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ins {
    /// Values that were known when it was decoded, packed.
    pub(crate) imm: u64,
    /// What to do.
    pub(crate) op: Op,
    /// Register numbers.
    slot: [u8; 4],
    /// Bytes from the start of its block.
    pub(crate) at: u16,
}

/// A pre-decoded instruction at the start of a block.
pub(crate) fn ins(op: Op, slot: [u64; 4], imm: u64) -> Ins {
    Ins { imm, op, slot: slot.map(|number| number as u8), at: 0 }
}

/// The number of a register that is written.
pub(crate) fn out(number: u64) -> u64 {
    if number == 0 { SINK } else { number }
}

#[cfg(feature = "jit")]
impl Ins {
    /// As two numbers, but for its place in a block.
    pub(crate) fn parts(&self) -> [u64; 2] {
        [self.imm, u64::from(u32::from_le_bytes(self.slot)) << 16 | u64::from(self.op as u16)]
    }

    /// From what [`Ins::parts`] gives.
    pub(crate) fn from_parts([imm, rest]: [u64; 2]) -> Ins {
        let op = OPS.get(usize::from(rest as u16)).copied().or_impossible(Op::Illegal);
        Ins { imm, op, slot: ((rest >> 16) as u32).to_le_bytes(), at: 0 }
    }
}

impl Ins {
    /// As it is run by itself, if it is the first of a pair.
    pub(crate) fn single(&self) -> Ins {
        Ins { op: single(self.op), ..*self }
    }

    /// Its first register.
    #[inline(always)]
    pub(crate) fn a(&self) -> usize {
        usize::from(self.slot[0])
    }
    /// Its second register.
    #[inline(always)]
    pub(crate) fn b(&self) -> usize {
        usize::from(self.slot[1])
    }
    /// Its third register.
    #[inline(always)]
    pub(crate) fn c(&self) -> usize {
        usize::from(self.slot[2])
    }
    /// Its fourth register.
    #[inline(always)]
    pub(crate) fn d(&self) -> usize {
        usize::from(self.slot[3])
    }
}

/// What an instruction does outside may trap there.
pub(crate) trait At {
    /// Says which instruction it was.
    fn at(self, i: &Ins) -> Self;
}

impl<T> At for Result<T, Fault> {
    #[inline(always)]
    fn at(self, i: &Ins) -> Self {
        self.map_err(|fault| fault.at(i.at))
    }
}

/// Instructions in a row.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The address of the first; odd if there is no block.
    pub(crate) start: u64,
    /// The address after the last.
    pub(crate) end: u64,
    /// Of these all but the last go on to the next one, unless a branch jumps.
    pub(crate) code: Box<[Ins]>,
}

impl Block {
    /// None.
    fn none() -> Block {
        Block { start: 1, end: 0, code: Box::default() }
    }

    /// The address of an instruction by its number, or the one after the last.
    pub(crate) fn place(&self, number: usize) -> u64 {
        self.code.get(number).map_or(self.end, |i| self.start.wrapping_add(u64::from(i.at)))
    }

    /// The number of the instruction that begins so many bytes after the first.
    pub(crate) fn number(&self, at: u16) -> usize {
        self.code.iter().position(|i| i.at == at).or_impossible(0)
    }

    /// Some of its instructions, by number, each as it is run by itself. They keep their distances from the start.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> Block {
        let end = self.place(range.end);
        let code = self.code.get(range).or_impossible(&[]).iter().map(Ins::single).collect();
        Block { start: self.start, end, code }
    }

    /// The place before the instruction that begins so many bytes after the first.
    pub(crate) fn before(&self, at: u16) -> Before {
        let count = self.number(at);
        Before { start: self.start, count: count as u64, pc: self.place(count) }
    }

    /// The registers of the instruction of a block that has only one.
    pub(crate) fn alone(&self) -> Option<[usize; 2]> {
        match &*self.code {
            [one] => Some([one.a(), one.b()]),
            _ => None,
        }
    }
}

/// The blocks that were decoded, by their start.
#[derive(Clone, Debug)]
pub(crate) struct Blocks(Box<[Block; BLOCKS]>);

impl Blocks {
    pub(crate) fn new() -> Blocks {
        match vec![Block::none(); BLOCKS].into_boxed_slice().try_into() {
            Ok(all) => Blocks(all),
            Err(_) => impossible(Blocks(Box::new(std::array::from_fn(|_| Block::none())))),
        }
    }

    /// The place of the block that starts here.
    #[inline(always)]
    pub(crate) fn at(&self, pc: u64) -> &Block {
        &self.0[(pc >> 1) as usize % BLOCKS]
    }

    /// The same, to decode one there.
    #[inline(always)]
    pub(crate) fn place(&mut self, pc: u64) -> &mut Block {
        &mut self.0[(pc >> 1) as usize % BLOCKS]
    }

    pub(crate) fn clear(&mut self) {
        for block in self.0.iter_mut() {
            block.start = 1;
        }
    }
}
