//! A binary as a program: words cut out of the bytes, decoded, with branch targets and blocks.
//!
//! A bad word is reported and kept as data; decoding goes on behind it, so all problems of a file are found.

use isaglot_codec::Values;

use crate::decode::BadWord;
use crate::inst::{Form, Inst, Kind};
use crate::isa::Xe;

/// What stands at a place of the program.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// An instruction.
    Inst(Inst),
    /// A word that is none.
    Bad(BadWord),
}

/// An instruction, or a word that is none, with its place.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Offset in bytes.
    pub pc: u32,
    /// The bytes: 16, or 8 in the low half if `short`.
    pub word: u128,
    /// The short form of 8 bytes.
    pub short: bool,
    /// What it is.
    pub item: Item,
}

impl Entry {
    /// Size in bytes.
    pub fn size(&self) -> u32 {
        if self.short { 8 } else { 16 }
    }

    /// The instruction, if it is one.
    pub fn inst(&self) -> Option<&Inst> {
        match &self.item {
            Item::Inst(i) => Some(i),
            Item::Bad(_) => None,
        }
    }
}

/// A decoded binary.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Instructions in order.
    pub entries: Vec<Entry>,
    /// Offsets at which blocks start, ascending; may include the end of the program.
    pub starts: Vec<u32>,
    /// Offset behind the last whole instruction.
    pub end: u32,
    /// Bytes behind it that are no whole instruction.
    pub tail: u32,
    /// Further offsets that branches name, which are no starts of instructions of this program.
    pub outside: Vec<i64>,
}

/// The bit of the first dword that says the word is short.
const SHORT: u32 = 1 << 29;

impl Xe {
    /// Decodes a whole binary. Offsets above 4 GiB are not reached.
    pub fn program(&mut self, bytes: &[u8]) -> Program {
        let mut program = Program::default();
        program.entries.reserve(bytes.len() / 12);
        let mut values = Values::default();
        let mut at = 0;
        while let Some((word, size)) = next(bytes.get(at..).unwrap_or(&[])) {
            let short = size == 8;
            let decoded =
                if short { self.decode_short(word as u64, &mut values) } else { self.decode(word, &mut values) };
            let item = decoded.map_or_else(Item::Bad, Item::Inst);
            program.entries.push(Entry { pc: at as u32, word, short, item });
            at += size;
        }
        program.end = at as u32;
        program.tail = (bytes.len() - at) as u32;
        self.find_blocks(&mut program);
        program
    }

    /// Offset 0, every branch target, and what follows a branch or the end of the thread.
    pub(crate) fn find_blocks(&self, program: &mut Program) {
        let mut starts = vec![0];
        for entry in &program.entries {
            let Some(i) = entry.inst() else { continue };
            if !i.form.branches() && !i.opts.eot {
                continue;
            }
            starts.push(entry.pc + entry.size());
            for operand in i.sources().iter().filter(|o| o.kind == Kind::Label) {
                let target = self.target(i, entry.pc, operand.imm);
                match u32::try_from(target) {
                    Ok(t) if t <= program.end && program.at(t).is_some() => starts.push(t),
                    _ => program.outside.push(target),
                }
            }
        }
        if program.entries.is_empty() {
            starts.clear();
        }
        starts.sort_unstable();
        starts.dedup();
        program.starts = starts;
        program.outside.sort_unstable();
        program.outside.dedup();
    }

    /// The offset that a branch names.
    pub(crate) fn target(&self, i: &Inst, pc: u32, imm: u64) -> i64 {
        let base = if i.form == Form::Call && self.op(i.op).name == "calla" { 0 } else { i64::from(pc) };
        base.wrapping_add(imm as i64)
    }
}

impl Program {
    /// The index of the instruction at an offset; the end of the program is the index behind the last.
    pub fn at(&self, pc: u32) -> Option<usize> {
        if pc == self.end {
            return Some(self.entries.len());
        }
        self.entries.binary_search_by_key(&pc, |e| e.pc).ok()
    }
}

/// The first word of some bytes, and its size; `None` if they hold no whole one.
fn next(bytes: &[u8]) -> Option<(u128, usize)> {
    let first = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    if first & SHORT != 0 {
        let word = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
        return Some((word.into(), 8));
    }
    Some((u128::from_le_bytes(bytes.get(..16)?.try_into().ok()?), 16))
}
