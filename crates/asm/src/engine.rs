//! Runs display programs.
//!
//! A step that is a segment prints text that depends on few bits of the instruction only; finished texts are kept in a
//! table, found by those bits. Operands recur, so nearly all segments are copies of 40 bytes or less.
//!
//! The table is two-way: a text may stand at its place or at the neighbouring one (the place with its lowest bit flipped).
//! A new text takes its first place, and what was there moves to the neighbour, whose text is forgotten. The table grows
//! by four as long as more texts were put in than it has places, up to 2 to the power of [`TABLE_BITS`].

use isaglot_codec::{Match, Plan};
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::EncodingId;

use crate::exact::{self, Line};
use crate::limits::{TABLE_BITS, TABLE_FIRST_BITS};
use crate::operand;
use crate::options::Hooks;
use crate::program::{BlockId, PrintOp, Programs};
use crate::value;

/// What became of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its text is appended; there are no errors.
    Printed,
    /// The word is not a valid instruction; there are no errors.
    NoMatch,
    /// Nothing is appended; the exact engine has to say.
    Undecided,
}

/// Bytes of text that an entry of the table holds: with the rest of the entry, one cache line.
const TEXT: usize = 40;

/// A finished text. An entry without one has a segment that does not exist.
#[derive(Clone, Copy, Debug)]
struct KeptText {
    bits: [u64; 2],
    segment: u32,
    len: u8,
    text: [u8; TEXT],
}

impl KeptText {
    #[inline]
    fn is(&self, segment: u32, bits: [u64; 2]) -> bool {
        self.segment == segment && self.bits[0] == bits[0] && self.bits[1] == bits[1]
    }

    /// Appends the text. A copy of constant size is a few moves; the rest is cut off again.
    #[inline]
    fn copy(&self, out: &mut Vec<u8>) {
        let end = out.len() + usize::from(self.len);
        out.extend_from_slice(&self.text);
        out.truncate(end);
    }
}

const EMPTY: KeptText = KeptText { bits: [0; 2], segment: u32::MAX, len: 0, text: [0; TEXT] };

/// The compiled programs of a plan with their finished texts.
#[derive(Debug)]
pub(crate) struct Engine<'p, 'a> {
    programs: Programs<'p, 'a>,
    table: Table,
}

/// Finished texts. It grows while it is too small for what it is asked for.
#[derive(Debug)]
struct Table {
    entries: Vec<KeptText>,
    bits: u32,
    /// Texts that were put in since it has this size.
    filled: usize,
}

impl Table {
    fn new(bits: u32) -> Self {
        Self { entries: vec![EMPTY; 1 << bits], bits, filled: 0 }
    }

    /// The first place for a text; the second is its neighbour.
    #[inline]
    fn place(&self, segment: u32, bits: [u64; 2]) -> usize {
        let mixed =
            (bits[0] ^ bits[1].rotate_left(29) ^ (u64::from(segment) << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - self.bits)) as usize
    }

    fn put(&mut self, segment: u32, bits: [u64; 2], text: &[u8]) {
        if text.len() > TEXT {
            return;
        }
        if self.filled > self.entries.len() && self.bits < TABLE_BITS {
            let old = std::mem::replace(self, Self::new((self.bits + 2).min(TABLE_BITS)));
            old.entries.iter().filter(|entry| entry.segment != u32::MAX).for_each(|entry| self.insert(*entry));
        }
        let mut entry = KeptText { bits, segment, len: text.len() as u8, text: [0; TEXT] };
        if let Some(place) = entry.text.get_mut(..text.len()) {
            place.copy_from_slice(text);
        }
        self.insert(entry);
    }

    /// The new one goes to its first place, what was there to its second.
    fn insert(&mut self, entry: KeptText) {
        self.filled += 1;
        let at = self.place(entry.segment, entry.bits);
        let Some(first) = self.entries.get_mut(at) else { return impossible(()) };
        let old = std::mem::replace(first, entry);
        if old.segment != u32::MAX
            && let Some(second) = self.entries.get_mut(at ^ 1)
        {
            *second = old;
        }
    }
}

impl<'p, 'a> Engine<'p, 'a> {
    pub(crate) fn new(plan: &'p Plan<'a>, labels: bool) -> Self {
        Self { programs: Programs::new(plan, labels), table: Table::new(TABLE_FIRST_BITS) }
    }

    /// One that does not keep the texts of simple instructions: for words that come once.
    pub(crate) fn direct(plan: &'p Plan<'a>) -> Self {
        let mut engine = Self::new(plan, false);
        engine.programs.print_simple_directly();
        engine
    }

    /// Appends the text of an instruction word, given by its limbs. Lines of one engine must agree on whose texts.
    #[inline(always)]
    pub(crate) fn instruction(
        &mut self,
        word: &[u64],
        width: u32,
        hooks: &mut dyn Hooks,
        line: &mut Line<'_>,
    ) -> Outcome {
        let id = match self.programs.select(word, width) {
            Match::None => return Outcome::NoMatch,
            Match::Conflict(..) => return Outcome::Undecided,
            Match::One(id) => id,
        };
        let (block, has_dont_care) = self.programs.root(id);
        if has_dont_care {
            let dont_care = &self.programs.compiler.plan().isa()[id].dont_care;
            if dont_care.limbs().iter().zip(word).any(|(dont_care, limb)| dont_care & limb != 0) {
                return Outcome::Undecided;
            }
        }
        self.print(block, word, hooks, line)
    }

    #[inline]
    fn print(&mut self, block: BlockId, word: &[u64], hooks: &mut dyn Hooks, line: &mut Line<'_>) -> Outcome {
        let before = line.out.len();
        let mut run = Run { programs: &self.programs, table: &mut self.table, word, hooks };
        if run.block(block, line) {
            return Outcome::Printed;
        }
        line.out.truncate(before);
        Outcome::Undecided
    }

    /// What prints an instruction by an alias: a case of an encoding.
    pub(crate) fn alias(&mut self, encoding: EncodingId, case: usize) -> BlockId {
        self.programs.alias(encoding, case)
    }

    /// Appends the text of an instruction word by the alias of `encoding` that [`Engine::alias`] gave.
    pub(crate) fn alias_text(
        &mut self,
        encoding: EncodingId,
        block: BlockId,
        word: &[u64],
        width: u32,
        hooks: &mut dyn Hooks,
        line: &mut Line<'_>,
    ) -> Outcome {
        match self.programs.select(word, width) {
            Match::One(id) if id == encoding => self.print(block, word, hooks, line),
            Match::One(_) | Match::None => Outcome::NoMatch,
            Match::Conflict(..) => Outcome::Undecided,
        }
    }

    /// Says whether the texts of custom fields may be kept; counts only before the first instruction.
    pub(crate) fn keep_custom(&mut self, keep: bool) {
        self.programs.keep_custom(keep);
    }
}

/// What comes after a step.
enum NextStep {
    /// The next one.
    Done,
    /// A block.
    Into(BlockId),
    /// The exact engine.
    Bail,
}

/// One run of a program.
struct Run<'r, 'p, 'a> {
    programs: &'r Programs<'p, 'a>,
    table: &'r mut Table,
    word: &'r [u64],
    hooks: &'r mut dyn Hooks,
}

impl Run<'_, '_, '_> {
    /// Runs a block; `false` if the exact engine has to print the line. Blocks nest no deeper than when compiled.
    fn block(&mut self, block: BlockId, line: &mut Line<'_>) -> bool {
        let programs = self.programs;
        let mut steps = programs.steps(block);
        while let Some((op, rest)) = steps.split_first() {
            steps = rest;
            // A block that a step leads to; where it is the last step, it takes over.
            let next = match *op {
                PrintOp::Cached(segment) => {
                    if !self.cached(segment, line) {
                        return false;
                    }
                    continue;
                }
                PrintOp::Text { from, len } => {
                    operand::copy(&programs.text, from, len, line.out);
                    continue;
                }
                PrintOp::Operand(number) => {
                    let Some(operand) = programs.operands.get(number as usize) else { return impossible(false) };
                    if !operand.print(self.word, &programs.text, line.out) {
                        self.step(PrintOp::Scalar { value: operand.value, field: operand.field }, line);
                    }
                    continue;
                }
                PrintOp::Test { test, then, other } => match programs.tests.get(test as usize) {
                    Some(test) => {
                        if test.holds(self.word) {
                            then
                        } else {
                            other
                        }
                    }
                    None => return impossible(false),
                },
                rare => match self.step(rare, line) {
                    NextStep::Done => continue,
                    NextStep::Into(block) => block,
                    NextStep::Bail => return false,
                },
            };
            if steps.is_empty() {
                steps = programs.steps(next);
            } else if !self.block(next, line) {
                return false;
            }
        }
        true
    }

    /// A step that is not on the usual way. Apart, so that the usual way needs few registers.
    #[inline(never)]
    fn step(&mut self, op: PrintOp, line: &mut Line<'_>) -> NextStep {
        let programs = self.programs;
        let graph = &programs.compiler.graph;
        let isa = programs.compiler.plan().isa();
        match op {
            PrintOp::Align(column) => line.align(column),
            PrintOp::Scalar { value, field } => {
                let Some(field) = programs.fields.get(field as usize) else { return impossible(NextStep::Bail) };
                value::print(isa, field, graph.evaluate(value, self.word), line.compat, line.out);
            }
            PrintOp::Branch { value, field } => {
                let Some(field) = programs.fields.get(field as usize) else { return impossible(NextStep::Bail) };
                let value = graph.evaluate(value, self.word);
                if !exact::branch(field, value, line) {
                    value::print(isa, field, value, line.compat, line.out);
                }
            }
            PrintOp::Custom { value, reference } => {
                let Some(reference) = programs.references.get(reference as usize) else {
                    return impossible(NextStep::Bail);
                };
                self.hooks.custom(reference, graph.evaluate(value, self.word), line.out);
            }
            PrintOp::Expect { value, want } if graph.evaluate(value, self.word) == want => {}
            PrintOp::If { guard, then, other } => {
                return NextStep::Into(if graph.evaluate(guard, self.word) != 0 { then } else { other });
            }
            PrintOp::Sub(sub) => return programs.leaf_of(sub, self.word).map_or(NextStep::Bail, NextStep::Into),
            PrintOp::Cached(_)
            | PrintOp::Operand(_)
            | PrintOp::Text { .. }
            | PrintOp::Test { .. }
            | PrintOp::Expect { .. }
            | PrintOp::Bail => {
                return NextStep::Bail;
            }
        }
        NextStep::Done
    }

    #[inline]
    fn cached(&mut self, number: u32, line: &mut Line<'_>) -> bool {
        let Some(segment) = self.programs.segments.get(number as usize) else { return impossible(false) };
        let limb = |at: u32| self.word.get(at as usize).copied().unwrap_or(0);
        let bits = [limb(segment.limbs[0]) & segment.masks[0], limb(segment.limbs[1]) & segment.masks[1]];
        let at = self.table.place(number, bits);
        // An entry has two places.
        let entries = &self.table.entries;
        if let Some(entry) = entries.get(at)
            && entry.is(number, bits)
        {
            entry.copy(line.out);
            return true;
        }
        if let Some(entry) = entries.get(at ^ 1)
            && entry.is(number, bits)
        {
            entry.copy(line.out);
            return true;
        }
        self.fill(number, segment.block, bits, line)
    }

    #[inline(never)]
    fn fill(&mut self, segment: u32, block: BlockId, bits: [u64; 2], line: &mut Line<'_>) -> bool {
        let from = line.out.len();
        if !self.block(block, line) {
            return false;
        }
        self.table.put(segment, bits, line.out.get(from..).or_impossible(&[]));
        true
    }
}
