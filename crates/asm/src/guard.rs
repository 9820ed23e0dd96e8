//! Guards that are decided without evaluating an expression.
//!
//! The problem: which alias applies is a chain of guards, tried one after the other for every word. The
//! method: a guard that only says what some bits are, or are not, or that they are the same as others, is compared as
//! it stands; one that depends on few bits is a table of its values.
//!
//! Example: the alias `mv` of `addi` has the guard `IMM == 0 && RS1 != 0`. Its first half is a mask and a value over the
//! bits of `IMM` (`Known`), its second half is the mask of `RS1` with a value that must not be there (`Term::Not`). The
//! guard `RD == RS1` compares two gathered values (`Term::Same`). The guard `SIZE * COUNT < 5` over 6 bits is a table of 64
//! bits, looked up by the value of these 6 bits.

use isaglot_bits::{BitRange, Word, limbs};
use isaglot_codec::{Graph, Operation, ValueId};
use isaglot_invariant::Impossible as _;
use isaglot_model::BinaryOp;

use crate::limits::{MAX_GUARD_DEPTH, TEST_BITS, TEST_RUNS};
use crate::operand::Gather;

/// A guard in a form that is decided at once.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// The guard itself.
    pub(crate) value: ValueId,
    how: How,
}

/// How a guard is decided.
#[derive(Clone, Debug)]
enum How {
    /// It holds where these bits have these values.
    Bits(Known),
    /// And where all of this holds.
    All(Known, Vec<Term>),
    /// By a table.
    Table(Box<Table>),
}

/// Bits of the first two limbs, and their values.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    care: [u64; 2],
    want: [u64; 2],
}

/// What else a guard may say of the bits of a word.
#[derive(Clone, Debug)]
enum Term {
    /// These bits do not have these values.
    Not(Known),
    /// Two values are the same, or are not.
    Same { x: Gather, y: Gather, same: bool },
}

impl Known {
    #[inline]
    fn holds(&self, word: &[u64]) -> bool {
        let first = limbs::limb(word, 0) & self.care[0] == self.want[0];
        first && (self.care[1] == 0 || limbs::limb(word, 1) & self.care[1] == self.want[1])
    }

    /// Adds that a value is this; `None` if it cannot be, which a mask cannot say.
    fn add(&mut self, gather: &Gather, value: u64) -> Option<()> {
        // Bits of the value that no part covers must be those of the constant: `left` is 0 at the end.
        let mut left = value ^ gather.constant;
        for part in &gather.parts {
            let bits = (left >> part.up) & part.mask;
            left &= !(part.mask << part.up);
            let (care, want) = (self.care.get_mut(part.limb as usize)?, self.want.get_mut(part.limb as usize)?);
            let (at, bits) = (part.mask << part.shift, bits << part.shift);
            if *care & at & (*want ^ bits) != 0 {
                return None;
            }
            *care |= at;
            *want |= bits;
        }
        (left == 0).then_some(())
    }
}

impl Term {
    #[inline]
    fn holds(&self, word: &[u64]) -> bool {
        match self {
            Term::Not(known) => !known.holds(word),
            Term::Same { x, y, same } => (x.get(word) == y.get(word)) == *same,
        }
    }
}

/// The values of a guard by those of the bits that it depends on.
#[derive(Clone, Debug)]
struct Table {
    /// Where the bits are, lowest first.
    runs: [Bits; TEST_RUNS],
    /// How many runs there are.
    used: usize,
    /// By the value of those bits: whether the guard holds.
    holds: [u64; 1 << (TEST_BITS - 6)],
}

/// Neighbouring bits of a limb.
#[derive(Clone, Copy, Debug, Default)]
struct Bits {
    limb: u32,
    shift: u32,
    width: u32,
}

impl Test {
    /// Of a value that is a guard; `None` if it has to be evaluated.
    pub(crate) fn new(graph: &Graph, value: ValueId) -> Option<Test> {
        let (mut known, mut terms) = (Known::default(), Vec::new());
        if compare(graph, value, &mut known, &mut terms, 0).is_some() {
            return Some(Test { value, how: if terms.is_empty() { How::Bits(known) } else { How::All(known, terms) } });
        }
        Some(Test { value, how: How::Table(Box::new(Table::new(graph, value)?)) })
    }

    /// Whether the guard holds for a word.
    #[inline]
    pub(crate) fn holds(&self, word: &[u64]) -> bool {
        match &self.how {
            How::Bits(known) => known.holds(word),
            How::All(known, terms) => known.holds(word) && terms.iter().all(|term| term.holds(word)),
            How::Table(table) => table.holds(word),
        }
    }
}

/// Adds what a guard says; `None` if that is anything else.
fn compare(graph: &Graph, guard: ValueId, known: &mut Known, terms: &mut Vec<Term>, depth: usize) -> Option<()> {
    if depth > MAX_GUARD_DEPTH {
        return None;
    }
    let is_truth = |x| graph.max(x) <= 1;
    match graph.operation(guard) {
        Operation::Const(value) if value != 0 => {}
        Operation::Binary(BinaryOp::LogicalAnd, _, x, y) => {
            compare(graph, x, known, terms, depth + 1)?;
            compare(graph, y, known, terms, depth + 1)?;
        }
        Operation::Binary(BinaryOp::Ne, _, x, y) if graph.as_const(y) == Some(0) && is_truth(x) => {
            return compare(graph, x, known, terms, depth + 1).or_else(|| different(graph, x, y, terms));
        }
        Operation::Binary(BinaryOp::Ne, _, x, y) => different(graph, x, y, terms)?,
        Operation::Binary(BinaryOp::Eq, _, x, y) => match (graph.as_const(x), graph.as_const(y)) {
            (None, Some(value)) => known.add(&Gather::new(graph, x)?, value)?,
            (Some(value), None) => known.add(&Gather::new(graph, y)?, value)?,
            _ => terms.push(Term::Same { x: Gather::new(graph, x)?, y: Gather::new(graph, y)?, same: true }),
        },
        _ => return None,
    }
    Some(())
}

/// Adds that two values differ.
fn different(graph: &Graph, x: ValueId, y: ValueId, terms: &mut Vec<Term>) -> Option<()> {
    terms.push(match (graph.as_const(x), graph.as_const(y)) {
        (None, None) => Term::Same { x: Gather::new(graph, x)?, y: Gather::new(graph, y)?, same: false },
        (constant, other) => {
            let mut known = Known::default();
            let gather = Gather::new(graph, if constant.is_some() { y } else { x })?;
            known.add(&gather, constant.or(other)?)?;
            Term::Not(known)
        }
    });
    Some(())
}

impl Table {
    fn new(graph: &Graph, value: ValueId) -> Option<Table> {
        let reads = graph.reads(value);
        let mut found: Vec<BitRange> = Vec::new();
        for run in reads.runs() {
            // A run stays within a limb.
            let inner = (run.lo / 64 + 1) * 64;
            if run.end() > inner {
                found.push(BitRange::new(run.lo, inner - run.lo));
                found.push(BitRange::new(inner, run.end() - inner));
            } else {
                found.push(run);
            }
        }
        if reads.count_ones() > TEST_BITS || found.len() > TEST_RUNS {
            return None;
        }
        let holds = [0; 1 << (TEST_BITS - 6)];
        let mut table = Table { runs: [Bits::default(); TEST_RUNS], used: found.len(), holds };
        for (place, run) in table.runs.iter_mut().zip(&found) {
            *place = Bits { limb: run.lo / 64, shift: run.lo % 64, width: run.width };
        }
        for index in 0..1u64 << reads.count_ones() {
            let mut word = Word::zero(reads.width());
            let mut left = index;
            for run in found.iter().rev() {
                word.insert(run.lo, run.width, left);
                left >>= run.width;
            }
            if graph.evaluate(value, word.limbs()) != 0 {
                table.holds[(index >> 6) as usize] |= 1 << (index & 63);
            }
        }
        Some(table)
    }

    #[inline]
    fn holds(&self, word: &[u64]) -> bool {
        let mut index = 0;
        for run in self.runs.get(..self.used).or_impossible(&self.runs) {
            let bits = (limbs::limb(word, run.limb as usize) >> run.shift) & limbs::mask(run.width);
            // A later run comes below the earlier ones.
            index = (index << run.width) | bits;
        }
        self.holds.get((index >> 6) as usize).is_some_and(|bits| bits >> (index & 63) & 1 == 1)
    }
}
