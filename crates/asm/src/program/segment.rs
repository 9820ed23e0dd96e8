//! Steps gathered to segments, whose finished texts an engine keeps.
//!
//! The problem: running every step of a line costs more than copying its text, but a table from whole words to texts
//! would never be hit. The method: the block of an instruction is cut into runs of steps that together depend on few bits
//! ([`SEGMENT_BITS`]); the text of such a run is kept by the values of these bits alone.
//!
//! Example: the steps `"add"`, `(sat)` by bit 31, `.f` or `.h` by bit 30, `" "`, register by bits 7:0 become
//! `Cached(0)` for the first three, which has four texts in all, and `Operand` for the last two: a register is printed
//! by a shift and a copy, so keeping its text would save nothing, and its separator `" "` is laid out with its names.

use isaglot_bits::Word;
use isaglot_codec::ValueId;
use isaglot_invariant::impossible;

use super::{BlockId, PrintOp, Programs, Segment, put};
use crate::limits::{MAX_DIRECT, MAX_SEPARATOR, OPERAND_BITS, PART_BITS, SEGMENT_BITS};
use crate::operand::{BitOperand, Span};

/// How many bits the text of a segment may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Level {
    /// A step of its own.
    step: u32,
    /// Steps gathered.
    together: u32,
}

/// Segments of an instruction.
const OUTER: Level = Level { step: OPERAND_BITS, together: SEGMENT_BITS };

/// Segments of segments.
const INNER: Level = Level { step: PART_BITS, together: PART_BITS };

impl Programs<'_, '_> {
    /// The block with the same text that is run: in segments whose texts are kept, or as it is.
    pub(super) fn finished(&mut self, block: BlockId) -> BlockId {
        let is_simple = |op: &PrintOp| matches!(op, PrintOp::Text { .. } | PrintOp::Scalar { .. } | PrintOp::Align(_));
        let steps = self.steps(block);
        let simple = self.direct && steps.len() <= MAX_DIRECT && steps.iter().all(is_simple);
        if simple { block } else { self.segmented(block, OUTER) }
    }

    /// The block with the same text in which steps are gathered to segments that depend on few bits.
    pub(super) fn segmented(&mut self, block: BlockId, level: Level) -> BlockId {
        if let Some(&done) = self.segmented.get(&(block, level)) {
            return done;
        }
        let mut ops: Vec<PrintOp> = Vec::new();
        let mut group: Vec<PrintOp> = Vec::new();
        let mut reads = Word::zero(self.compiler.plan().isa().format().max_bits);
        for op in self.steps(block).to_vec() {
            if let PrintOp::Scalar { value, field } = op
                && self.operand(value, field, (0, 0)).is_some()
            {
                // A separator goes with the operand after it.
                let before = match group.last() {
                    Some(&PrintOp::Text { from, len }) if len <= MAX_SEPARATOR => Some((from, len)),
                    _ => None,
                };
                if before.is_some() {
                    group.pop();
                }
                self.flush(&mut group, &mut ops, level);
                let Some(operand) = self.operand(value, field, before.unwrap_or((0, 0))) else {
                    return impossible(Self::BAIL);
                };
                reads = Word::zero(reads.width());
                ops.push(PrintOp::Operand(operand));
                continue;
            }
            let (bits, pure, ..) = self.effect(op);
            let both = reads.or(&bits);
            // A choice between texts is made each time; what it leads to is kept.
            let is_choice = matches!(op, PrintOp::If { .. } | PrintOp::Test { .. });
            let most = if is_choice { level.together } else { level.step };
            let alone = pure && fits(&bits, most) && !(is_choice && self.is_quick(op));
            if alone && fits(&both, level.together) {
                group.push(op);
                reads = both;
                continue;
            }
            self.flush(&mut group, &mut ops, level);
            reads = Word::zero(reads.width());
            if alone {
                group.push(op);
                reads = bits;
            } else {
                ops.push(self.with_segmented_blocks(op, level));
            }
        }
        self.flush(&mut group, &mut ops, level);
        let done = self.block(ops);
        self.segmented.insert((block, level), done);
        done
    }

    /// The step with its blocks replaced by segmented ones.
    fn with_segmented_blocks(&mut self, op: PrintOp, level: Level) -> PrintOp {
        match op {
            PrintOp::If { guard, then, other } => {
                PrintOp::If { guard, then: self.segmented(then, level), other: self.segmented(other, level) }
            }
            PrintOp::Test { test, then, other } => {
                PrintOp::Test { test, then: self.segmented(then, level), other: self.segmented(other, level) }
            }
            PrintOp::Sub(sub) => {
                let mut sub = self.subs[sub as usize].clone();
                for (block, _) in &mut sub.leaves {
                    *block = self.segmented(*block, level);
                }
                self.subs.push(sub);
                PrintOp::Sub(self.subs.len() as u32 - 1)
            }
            other => other,
        }
    }

    /// Whether a step is made of texts, operands and choices that are soon made: then keeping its text saves nothing.
    fn is_quick(&mut self, op: PrintOp) -> bool {
        match op {
            PrintOp::Text { .. } => true,
            PrintOp::Scalar { value, field } => self.operand(value, field, (0, 0)).is_some(),
            PrintOp::Test { then, other, .. } => [then, other].into_iter().all(|block| {
                if let Some(&known) = self.quick.get(&block) {
                    return known;
                }
                let quick = self.steps(block).to_vec().into_iter().all(|op| self.is_quick(op));
                self.quick.insert(block, quick);
                quick
            }),
            _ => false,
        }
    }

    /// Ends a group: as a segment where that saves work, else as it is.
    fn flush(&mut self, group: &mut Vec<PrintOp>, ops: &mut Vec<PrintOp>, level: Level) {
        let steps = std::mem::take(group);
        let text_only = steps.iter().all(|op| matches!(op, PrintOp::Text { .. } | PrintOp::Bail));
        if text_only {
            ops.extend(steps);
            return;
        }
        let block = self.block(steps);
        let id = match self.known_segments.get(&block) {
            Some(&id) => id,
            None => {
                let reads = self.info(block).reads.clone();
                let (limbs, masks) = halves(&reads);
                // A text that is not there yet is put together from smaller ones.
                let parts =
                    if level == OUTER && !fits(&reads, INNER.step) { self.segmented(block, INNER) } else { block };
                self.segments.push(Segment { limbs, masks, block: parts });
                self.known_segments.insert(block, self.segments.len() as u32 - 1);
                self.segments.len() as u32 - 1
            }
        };
        ops.push(PrintOp::Cached(id));
    }

    /// The operand that a step prints, if that is bits of the word and nothing else.
    fn operand(&mut self, value: ValueId, field: u32, before: Span) -> Option<u32> {
        if let Some(&known) = self.known_operands.get(&(value, field, before)) {
            return known;
        }
        let way = self.fields[field as usize];
        let isa = self.compiler.plan().isa();
        let first = self.bytes(before.0, before.1).to_vec();
        let mut text = |text: &[u8]| put(&mut self.text, &mut self.texts, &[&first, text].concat());
        let made = BitOperand::new(isa, &self.compiler.graph, (value, field), &way.ty, way.width, before, &mut text);
        let id = made.map(|operand| {
            self.operands.push(operand);
            self.operands.len() as u32 - 1
        });
        self.known_operands.insert((value, field, before), id);
        id
    }
}

/// Whether a segment may depend on these bits: few, in at most two limbs.
fn fits(reads: &Word, most: u32) -> bool {
    reads.count_ones() <= most && reads.limbs().iter().filter(|&&limb| limb != 0).count() <= 2
}

/// The at most two limbs with bits, and the bits.
fn halves(reads: &Word) -> ([u32; 2], [u64; 2]) {
    let mut used = reads.limbs().iter().enumerate().filter(|(_, limb)| **limb != 0);
    let mut next = || used.next().map_or((0, 0), |(at, &limb)| (at as u32, limb));
    let (first, second) = (next(), next());
    ([first.0, second.0], [first.1, second.1])
}
