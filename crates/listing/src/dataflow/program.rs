//! The program that dataflow sees: blocks of instructions, and for each operand the bytes that it touches.
//!
//! It is built front to back: [`Program::run`] and [`Program::operand`] for each operand, then
//! [`Program::instruction`], then [`Program::block`]; each call takes what was added since the last.

use std::ops::Range;

use crate::limits::MAX_UNIVERSE_BYTES;

/// A register file, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId(pub u32);

/// An operand, by number in the program.
pub type OperandId = u32;

/// `count` pieces of `len` bytes, `stride` bytes apart, the first at `start` (in the universe of all files).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// First byte.
    pub start: u32,
    /// Bytes of a piece.
    pub len: u32,
    /// Bytes from piece to piece.
    pub stride: u32,
    /// Pieces.
    pub count: u32,
}

impl Run {
    /// Every byte, pieces in order; bytes of overlapping pieces repeat.
    pub fn bytes(self) -> impl Iterator<Item = u32> {
        (0..self.count).flat_map(move |i| {
            let start = self.start + i * self.stride;
            start..start + self.len
        })
    }
}

/// What an operand does with its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads them.
    Read,
    /// Writes them.
    Write,
    /// Reads them as the instruction's predicate; at most one operand of an instruction.
    Predicate,
}

/// Whether the instruction acts where the predicate is true, or where it is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarity {
    /// Where it is true.
    Normal,
    /// Where it is false.
    Inverted,
}

/// An operand: a role, and the end of its runs in [`Program::runs`]; they begin where those of the one before end.
#[derive(Clone, Debug)]
pub(super) struct FlowOperand {
    role: Role,
    end: u32,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    /// Its operands.
    pub operands: Range<OperandId>,
    /// Whether writes happen only under the predicate operand, and how.
    pub predicated: Option<Polarity>,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its instructions; may be empty.
    pub insts: Range<u32>,
    /// Blocks to which control may go within the same call.
    pub succs: Vec<u32>,
    /// What its last instruction does beside that.
    pub link: Link,
}

/// How a block leaves its function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// It does not.
    #[default]
    None,
    /// It calls the function that begins with this block; what comes back from there goes on in the next block.
    Call(u32),
    /// It goes back to where the function was called, all of it.
    Return,
    /// It goes back too, but channels that wait further down in the same function go on in the next block. Where no other
    /// way through the function leads to that block, there are none.
    ReturnSome,
}

/// The whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// First byte of each file, and after the last one the size of the universe.
    pub(super) bases: Vec<u32>,
    pub(super) runs: Vec<Run>,
    pub(super) operands: Vec<FlowOperand>,
    pub(super) insts: Vec<Inst>,
    pub(super) blocks: Vec<Block>,
    open_runs: u32,
    open_operands: u32,
    open_insts: u32,
    open_link: Link,
}

impl Program {
    /// A program without instructions over register files of these sizes in bytes. Files beyond
    /// [`MAX_UNIVERSE_BYTES`] together are cut off.
    pub fn new(files: &[u32]) -> Program {
        let mut bases = vec![0u32];
        for &bytes in files {
            let end = bases.last().copied().unwrap_or(0).saturating_add(bytes).min(MAX_UNIVERSE_BYTES);
            bases.push(end);
        }
        Program {
            bases,
            runs: Vec::new(),
            operands: Vec::new(),
            insts: Vec::new(),
            blocks: Vec::new(),
            open_runs: 0,
            open_operands: 0,
            open_insts: 0,
            open_link: Link::None,
        }
    }

    /// Number of register files.
    pub fn file_count(&self) -> usize {
        self.bases.len() - 1
    }

    /// The bytes of an operand, in the universe of all files; ascending, each once.
    pub fn bytes(&self, operand: OperandId) -> Vec<u32> {
        let mut bytes: Vec<u32> = self.runs_of(operand).iter().flat_map(|run| run.bytes()).collect();
        bytes.sort_unstable();
        bytes.dedup();
        bytes
    }

    /// The register file of a byte of the universe, and the byte in it.
    pub fn place(&self, byte: u32) -> (FileId, u32) {
        let file = self.bases.partition_point(|base| *base <= byte).saturating_sub(1);
        (FileId(file as u32), byte - self.bases[file])
    }

    /// Number of instructions so far.
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    /// Number of operands so far, and so the number of the next one.
    pub fn operand_count(&self) -> OperandId {
        self.operands.len() as u32
    }

    /// The instructions so far.
    pub fn insts(&self) -> &[Inst] {
        &self.insts
    }

    /// The file that a byte of the universe is in.
    pub fn file_of(&self, byte: u32) -> FileId {
        FileId(self.bases.partition_point(|base| *base <= byte).saturating_sub(1) as u32)
    }

    /// What an operand does, and the bytes that it does it with.
    pub fn operand_at(&self, id: OperandId) -> Option<(Role, &[Run])> {
        let operand = self.operands.get(id as usize)?;
        Some((operand.role, self.runs_of(id)))
    }

    /// What an operand that there is does.
    #[inline]
    pub(super) fn role(&self, id: OperandId) -> Role {
        self.operands[id as usize].role
    }

    /// The bytes of an operand; none if there is no such one.
    #[inline]
    pub(super) fn runs_of(&self, id: OperandId) -> &[Run] {
        let end = |id: usize| self.operands.get(id).map_or(0, |o| o.end as usize);
        let start = if id == 0 { 0 } else { end(id as usize - 1) };
        self.runs.get(start..end(id as usize)).unwrap_or(&[])
    }

    /// The instruction of each operand.
    pub(super) fn inst_of(&self) -> Vec<u32> {
        let mut all = vec![0; self.operands.len()];
        for (n, inst) in (0..).zip(&self.insts) {
            all[inst.operands.start as usize..inst.operands.end as usize].fill(n);
        }
        all
    }

    /// The blocks so far.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Adds bytes to the operand being described: `count` pieces of `len` bytes, `stride` apart, from byte `start` of
    /// the file. What lies after the end of the file is dropped.
    pub fn run(&mut self, file: FileId, start: u32, len: u32, stride: u32, count: u32) {
        let index = file.0 as usize;
        let (Some(&base), Some(&end)) = (self.bases.get(index), self.bases.get(index + 1)) else { return };
        let size = end - base;
        if start >= size || len == 0 || count == 0 {
            return;
        }
        let (len, stride, count) = match count {
            1 => (len, len, 1),
            _ if stride == 0 => (len, len, 1),
            // Neighbouring or overlapping pieces are one.
            _ if stride <= len => {
                let whole = u64::from(stride) * u64::from(count - 1) + u64::from(len);
                let whole = u32::try_from(whole).unwrap_or(u32::MAX);
                (whole, whole, 1)
            }
            _ => (len, stride, count),
        };
        let room = size - start;
        if len > room {
            self.push(Run { start: base + start, len: room, stride: room, count: 1 });
            return;
        }
        // The last piece that fits starts at or before `room - len`.
        let fitting = (room - len) / stride.max(1) + 1;
        self.push(Run { start: base + start, len, stride, count: count.min(fitting) });
    }

    fn push(&mut self, run: Run) {
        if let Some(last) = self.runs.get_mut(self.open_runs as usize..).and_then(<[Run]>::last_mut)
            && last.count == 1
            && run.count == 1
            && last.start + last.len == run.start
        {
            last.len += run.len;
            last.stride = last.len;
            return;
        }
        self.runs.push(run);
    }

    /// Ends the operand whose bytes were added since the last one.
    pub fn operand(&mut self, role: Role) -> OperandId {
        let end = self.runs.len() as u32;
        self.operands.push(FlowOperand { role, end });
        self.open_runs = end;
        self.operands.len() as u32 - 1
    }

    /// Ends the instruction whose operands were added since the last one. `predicated` counts only together with an
    /// operand of [`Role::Predicate`].
    pub fn instruction(&mut self, predicated: Option<Polarity>) -> u32 {
        let end = self.operands.len() as u32;
        self.insts.push(Inst { operands: self.open_operands..end, predicated });
        self.open_operands = end;
        self.insts.len() as u32 - 1
    }

    /// Says how the block that is being described leaves its function.
    pub fn link(&mut self, link: Link) {
        self.open_link = link;
    }

    /// Ends the block whose instructions were added since the last one. `succs` may name blocks that are yet to come.
    pub fn block(&mut self, succs: Vec<u32>) -> u32 {
        let end = self.insts.len() as u32;
        self.blocks.push(Block { insts: self.open_insts..end, succs, link: std::mem::take(&mut self.open_link) });
        self.open_insts = end;
        self.blocks.len() as u32 - 1
    }
}
