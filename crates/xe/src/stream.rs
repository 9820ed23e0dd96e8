//! A binary as a program: words cut out of the bytes, decoded, with branch targets and blocks.
//!
//! A bad word is reported and kept as data; decoding goes on after it, so all problems of a file are found.

use isaglot_codec::{Match, Values};

use crate::decode::BadWord;
use crate::inst::{Form, Inst, XeOperandKind};
use crate::isa::Xe;
use crate::text::Findings;

/// What stands at a place of the program.
#[derive(Clone, Copy, Debug)]
pub enum StreamItem {
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
    pub item: StreamItem,
}

/// A word before it is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawWord {
    /// Offset in bytes.
    pub pc: u32,
    /// The bytes: 16, or 8 in the low half if `short`.
    pub word: u128,
    /// The short form of 8 bytes.
    pub short: bool,
}

impl RawWord {
    /// Size in bytes.
    pub fn size(self) -> u32 {
        if self.short { 8 } else { 16 }
    }

    /// The word at an offset; `None` if the bytes hold no whole one there.
    pub(crate) fn at(bytes: &[u8], pc: usize) -> Option<RawWord> {
        let rest = bytes.get(pc..)?;
        let first = u32::from_le_bytes(rest.get(..4)?.try_into().ok()?);
        let short = first & SHORT != 0;
        let word = if short {
            u64::from_le_bytes(rest.get(..8)?.try_into().ok()?).into()
        } else {
            u128::from_le_bytes(rest.get(..16)?.try_into().ok()?)
        };
        Some(RawWord { pc: pc as u32, word, short })
    }
}

impl Entry {
    /// Size in bytes.
    pub fn size(&self) -> u32 {
        self.raw().size()
    }

    /// The word and its place.
    pub fn raw(&self) -> RawWord {
        RawWord { pc: self.pc, word: self.word, short: self.short }
    }

    /// The instruction, if it is one.
    pub fn inst(&self) -> Option<&Inst> {
        match &self.item {
            StreamItem::Inst(i) => Some(i),
            StreamItem::Bad(_) => None,
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
    /// Offset after the last whole instruction.
    pub end: u32,
    /// Bytes after it that are less than an instruction.
    pub tail: u32,
    /// Further offsets that branches name, at which no instruction of this program starts.
    pub outside: Vec<i64>,
}

/// The bit of the first dword that says the word is short.
const SHORT: u32 = 1 << 29;

impl<'d> Xe<'d> {
    /// Decodes a whole binary. Offsets above 4 GiB are not reached.
    pub fn program(&mut self, bytes: &[u8]) -> Program {
        let mut program = Program::default();
        program.entries.reserve(bytes.len() / 12);
        let mut values = Values::default();
        let mut at = 0;
        while let Some(raw) = RawWord::at(bytes, at) {
            let item = self.decode_raw(raw, &mut values).map_or_else(StreamItem::Bad, StreamItem::Inst);
            let RawWord { pc, word, short } = raw;
            program.entries.push(Entry { pc, word, short, item });
            at += raw.size() as usize;
        }
        program.end = at as u32;
        program.tail = (bytes.len() - at) as u32;
        self.find_blocks(&mut program);
        program
    }

    /// Decodes a word of either form.
    pub(crate) fn decode_raw(&mut self, raw: RawWord, values: &mut Values) -> Result<Inst, BadWord> {
        if raw.short { self.decode_short(raw.word as u64, values) } else { self.decode(raw.word, values) }
    }

    /// Offset 0, every branch target, and what follows a branch or the end of the thread.
    pub(crate) fn find_blocks(&self, program: &mut Program) {
        let mut starts = Starts::default();
        for entry in &program.entries {
            if let Some(i) = entry.inst() {
                self.add_starts(i, entry.raw(), &mut starts);
            }
        }
        for target in starts.targets {
            match u32::try_from(target) {
                Ok(t) if t <= program.end && program.at(t).is_some() => starts.known.push(t),
                _ => program.outside.push(target),
            }
        }
        program.starts = if program.entries.is_empty() { Vec::new() } else { sorted(starts.known) };
        program.outside.sort_unstable();
        program.outside.dedup();
    }

    /// Adds the blocks that an instruction makes begin.
    fn add_starts(&self, i: &Inst, raw: RawWord, starts: &mut Starts) {
        if !i.form.branches() && !i.opts.eot {
            return;
        }
        starts.known.push(raw.pc + raw.size());
        let labels = i.sources().iter().filter(|o| o.kind == XeOperandKind::Label);
        starts.targets.extend(labels.map(|o| self.target(i, raw.pc, o.imm)));
    }

    /// What [`Xe::program`] finds of blocks, without keeping the instructions: only what may end a block is decoded.
    pub(crate) fn outline(&mut self, bytes: &[u8]) -> Outline {
        let mut starts = Starts::default();
        let mut values = Values::default();
        let mut at = 0;
        while let Some(raw) = RawWord::at(bytes, at) {
            at += raw.size() as usize;
            if self.may_end_block(raw)
                && let Ok(i) = self.decode_raw(raw, &mut values)
            {
                self.add_starts(&i, raw, &mut starts);
            }
        }
        let end = at as u32;
        if end == 0 {
            starts.known.clear();
        }
        let targets = starts.targets.iter().filter_map(|t| u32::try_from(*t).ok()).filter(|t| *t <= end);
        starts.known.extend(targets);
        Outline { starts: sorted(starts.known), end, tail: (bytes.len() - at) as u32 }
    }

    /// Whether a word may be a branch or the end of the thread.
    #[inline]
    fn may_end_block(&mut self, raw: RawWord) -> bool {
        if raw.short {
            return self.short_ends_block;
        }
        if !self.ends_block.get(usize::from(raw.word as u8)).copied().unwrap_or(true) {
            return false;
        }
        let Match::One(id) = self.flat.select(raw.word) else { return false };
        let Some(form) = self.op_of(id).map(|op| self.op(op).form) else { return false };
        form.branches()
            || (form == Form::Send && {
                let shape = self.flat.shape_of(id, raw.word);
                self.flat.field(shape, self.slots.eot, raw.word) != 0
            })
    }

    /// The offset that a branch names.
    pub(crate) fn target(&self, i: &Inst, pc: u32, imm: u64) -> i64 {
        let base = if i.form == Form::Call && self.op(i.op).name == "calla" { 0 } else { i64::from(pc) };
        base.wrapping_add(imm as i64)
    }
}

impl Program {
    /// What is wrong with it.
    pub fn findings(&self) -> Findings {
        let bad = self.entries.iter().filter_map(|e| match e.item {
            StreamItem::Bad(why) => Some((e.raw(), why)),
            StreamItem::Inst(_) => None,
        });
        Findings { bad: bad.collect(), end: self.end, tail: self.tail }
    }

    /// The index of the instruction at an offset; the end of the program is the index after the last.
    pub fn at(&self, pc: u32) -> Option<usize> {
        if pc == self.end {
            return Some(self.entries.len());
        }
        self.entries.binary_search_by_key(&pc, |e| e.pc).ok()
    }
}

/// Starts of blocks while they are looked for.
#[derive(Default)]
struct Starts {
    known: Vec<u32>,
    targets: Vec<i64>,
}

/// With offset 0, in order, each once.
fn sorted(mut starts: Vec<u32>) -> Vec<u32> {
    starts.push(0);
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// The blocks of a binary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// As [`Program::starts`], but an offset within an instruction may be among them, and 0 in an empty program.
    pub(crate) starts: Vec<u32>,
    /// As [`Program::end`].
    pub(crate) end: u32,
    /// As [`Program::tail`].
    pub(crate) tail: u32,
}
