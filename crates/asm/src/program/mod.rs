//! Display programs: the text of an instruction as straight steps over its bits.
//!
//! The problem: the exact way to print asks, for every reference, which case applies and what a name means there. The
//! method: per leaf, on first use, templates are compiled with everything known ahead of time resolved: constant guards
//! decided, names bound to bits, sub-encodings specialised for where they stand and which parameters they get. Blocks of
//! steps are shared, so an operand that means the same in a hundred instructions is compiled once.
//!
//! Invariant: a program that runs to its end gives exactly the text of the exact engine for a word without errors.
//! Whatever may be an error, or cannot be said ahead of time, is the step [`PrintOp::Bail`]: the line is then printed by the
//! exact engine from its start.
//!
//! # Example
//!
//! An instruction `add` prints by the template `{NAME}{SAT} {DST}, {SRC}`. `SAT` is bit 31 and prints `(sat)` or nothing,
//! `DST` is bits 7:0 and prints the name of a register. `SRC` is bits 15:8 and is decided in a space of two encodings: the
//! one with bit 15 at 0 prints bits 14:8 as a register, the other prints `#` and bits 14:8 as a number. The program:
//!
//! ```text
//! block 3:  Text "add"; Scalar(bit 31, SAT); Text " "; Scalar(bits 7:0, DST); Text ", "; Sub(0)
//! sub 0:    bits 15:8, decided in SRC's space: leaf 0 is block 1, leaf 1 is block 2
//! block 1:  Scalar(bits 14:8, register)
//! block 2:  Text "#"; Scalar(bits 14:8, number)
//! ```
//!
//! Blocks 1 and 2 are those of every instruction whose `SRC` lies in bits 15:8. If `add` had a second case with the guard
//! `SRC.IMM && SAT` and a text of its own, block 3 would be one `Test` with a block for either outcome.
//!
//! Phases: `compile` makes the blocks above from templates; `segment` replaces steps by [`PrintOp::Cached`] and
//! [`PrintOp::Operand`] for an engine to run.

mod compile;
mod segment;

use isaglot_bits::Word;
use isaglot_codec::{Compiler, Graph, Match, Plan, Tree, ValueId};
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{EncodingId, Field, SpaceId};
use rustc_hash::FxHashMap;

use self::compile::SubKey;
use self::segment::Level;
use crate::guard::Test;
use crate::limits::{MAX_BLOCK_DEPTH, MAX_BLOCKS};
use crate::operand::{BitOperand, Span};

/// A list of steps, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId(pub u32);

/// One step of a display program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrintOp {
    /// Copy bytes of [`Programs::bytes`].
    Text {
        /// The first.
        from: u32,
        /// How many.
        len: u32,
    },
    /// Pad with spaces to a column.
    Align(u32),
    /// Print a value in the way of a field.
    Scalar {
        /// The value.
        value: ValueId,
        /// The way: a number for [`Programs::way`].
        field: u32,
    },
    /// Print a code address.
    Branch {
        /// The value.
        value: ValueId,
        /// The way: a number for [`Programs::way`].
        field: u32,
    },
    /// Let the embedding program print a value.
    Custom {
        /// The value.
        value: ValueId,
        /// What the program is told: a number for [`Programs::reference`].
        reference: u32,
    },
    /// One block or the other.
    If {
        /// What decides.
        guard: ValueId,
        /// Where it is not 0.
        then: BlockId,
        /// Where it is 0.
        other: BlockId,
    },
    /// The same, where the guard is in a table of its values.
    Test {
        /// The table; [`Programs::guard`] gives the guard.
        test: u32,
        /// Where it holds.
        then: BlockId,
        /// Where it does not.
        other: BlockId,
    },
    /// The block of the leaf that a value is: a number for [`Programs::sub_encoding`].
    Sub(u32),
    /// The exact engine has to print this line if the value is not this.
    Expect {
        /// The value.
        value: ValueId,
        /// What it should be.
        want: u64,
    },
    /// The exact engine has to print this line.
    Bail,
    /// The text of a block that depends on few bits: only in programs that an engine runs.
    Cached(u32),
    /// An operand that is bits of the word: only in programs that an engine runs.
    Operand(u32),
}

/// A sub-encoding in its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sub {
    /// The bits.
    pub value: ValueId,
    /// How many they are.
    pub width: u32,
    /// Where they are decided.
    pub space: SpaceId,
    /// By the rank of the encoding in its space: its block and the bits that it does not care for.
    pub leaves: Vec<(BlockId, u64)>,
}

/// A block whose text is a function of the bits `masks` in the two limbs `limbs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Segment {
    pub(crate) limbs: [u32; 2],
    pub(crate) masks: [u64; 2],
    pub(crate) block: BlockId,
}

/// What is known about a block.
#[derive(Clone, Debug)]
struct Block {
    from: u32,
    to: u32,
    /// The bits that its text depends on.
    reads: Word,
    /// Whether its text is a function of those bits alone.
    pure: bool,
    depth: usize,
}

/// The compiled programs of one plan.
#[derive(Debug)]
pub struct Programs<'p, 'a> {
    pub(crate) compiler: Compiler<'p, 'a>,
    ops: Vec<PrintOp>,
    blocks: Vec<Block>,
    known: FxHashMap<Vec<PrintOp>, BlockId>,
    pub(crate) subs: Vec<Sub>,
    known_subs: FxHashMap<Sub, u32>,
    pub(crate) segments: Vec<Segment>,
    known_segments: FxHashMap<BlockId, u32>,
    segmented: FxHashMap<(BlockId, Level), BlockId>,
    pub(crate) text: Vec<u8>,
    texts: FxHashMap<Vec<u8>, u32>,
    /// A field for each type and width that occurs.
    pub(crate) fields: Vec<&'a Field>,
    /// By address, as a number: a pointer would tie the program to its thread.
    field_ids: FxHashMap<usize, u32>,
    pub(crate) references: Vec<&'a str>,
    /// The rank of each encoding in its space.
    ranks: Vec<u32>,
    /// The block of each encoding as an instruction, and whether it has don't-care bits.
    roots: Vec<Option<(BlockId, bool)>>,
    shared_subs: FxHashMap<SubKey, Option<u32>>,
    pub(crate) tests: Vec<Test>,
    pub(crate) operands: Vec<BitOperand>,
    known_operands: FxHashMap<(ValueId, u32, Span), Option<u32>>,
    /// By block: see [`Programs::is_quick`].
    quick: FxHashMap<BlockId, bool>,
    known_tests: FxHashMap<ValueId, Option<u32>>,
    /// Whether code addresses may print as labels.
    labels: bool,
    /// Whether custom texts depend on nothing but their value, and whether that is settled.
    custom: (bool, bool),
    /// Whether instructions of a few simple steps are printed step by step.
    direct: bool,
    tree: &'p Tree,
    /// The trees of the spaces that fields are decided in.
    trees: Vec<Option<&'p Tree>>,
}

impl<'p, 'a> Programs<'p, 'a> {
    /// None yet; with `labels`, code addresses are steps of their own.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>, labels: bool) -> Self {
        let isa = plan.isa();
        let mut ranks = vec![0; isa.encodings().len()];
        for space in isa.spaces() {
            for (rank, id) in space.encodings.iter().enumerate() {
                if let Some(place) = ranks.get_mut(id.index()) {
                    *place = rank as u32;
                }
            }
        }
        let mut programs = Self {
            compiler: Compiler::new(plan),
            ops: Vec::new(),
            blocks: Vec::new(),
            known: FxHashMap::default(),
            subs: Vec::new(),
            known_subs: FxHashMap::default(),
            segments: Vec::new(),
            known_segments: FxHashMap::default(),
            segmented: FxHashMap::default(),
            text: Vec::new(),
            texts: FxHashMap::default(),
            fields: Vec::new(),
            field_ids: FxHashMap::default(),
            references: Vec::new(),
            ranks,
            roots: vec![None; isa.encodings().len()],
            shared_subs: FxHashMap::default(),
            tests: Vec::new(),
            operands: Vec::new(),
            known_operands: FxHashMap::default(),
            quick: FxHashMap::default(),
            known_tests: FxHashMap::default(),
            labels,
            custom: (false, false),
            direct: false,
            tree: plan.tree(isa.root()),
            trees: vec![None; isa.spaces().len()],
        };
        programs.block(vec![PrintOp::Bail]);
        programs
    }

    /// The block that only gives up.
    const BAIL: BlockId = BlockId(0);

    /// The block of an instruction's encoding, compiled on first use, and whether it has don't-care bits.
    #[inline]
    pub(crate) fn root(&mut self, encoding: EncodingId) -> (BlockId, bool) {
        match self.roots.get(encoding.index()) {
            Some(Some(root)) => *root,
            _ => self.compile_root(encoding),
        }
    }

    /// Says whether the texts of custom fields may be kept; counts only before the first instruction is compiled.
    pub(crate) fn keep_custom(&mut self, keep: bool) {
        if !self.custom.1 {
            self.custom = (keep, true);
        }
    }

    /// Says that texts of simple instructions are not worth keeping.
    pub(crate) fn print_simple_directly(&mut self) {
        self.direct = true;
    }

    /// The values that steps name.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.compiler.graph
    }

    /// The bits that a step depends on, and whether its text is a function of them alone.
    #[must_use]
    pub fn depends(&self, op: PrintOp) -> (Word, bool) {
        let (bits, pure, ..) = self.effect(op);
        (bits, pure)
    }

    /// What decides an [`PrintOp::Test`].
    ///
    /// # Panics
    /// For a number that no step has; so do the functions below.
    #[must_use]
    pub fn guard(&self, test: u32) -> ValueId {
        self.tests[test as usize].value
    }

    /// A sub-encoding.
    #[must_use]
    pub fn sub_encoding(&self, sub: u32) -> &Sub {
        &self.subs[sub as usize]
    }

    /// A field for each way of printing: its type and width say how.
    #[must_use]
    pub fn way(&self, field: u32) -> &'a Field {
        self.fields[field as usize]
    }

    /// A reference as written in a template.
    #[must_use]
    pub fn reference(&self, reference: u32) -> &'a str {
        self.references[reference as usize]
    }

    /// The bytes of a text.
    #[must_use]
    pub fn bytes(&self, from: u32, len: u32) -> &[u8] {
        self.text.get(from as usize..(from + len) as usize).or_impossible(&[])
    }

    /// The place of an encoding in its space.
    #[must_use]
    pub fn rank(&self, encoding: EncodingId) -> u32 {
        self.ranks.get(encoding.index()).copied().or_impossible(0)
    }

    /// The steps of a block.
    #[inline]
    #[must_use]
    pub fn steps(&self, block: BlockId) -> &[PrintOp] {
        match self.blocks.get(block.0 as usize) {
            Some(block) => self.ops.get(block.from as usize..block.to as usize).or_impossible(&[]),
            None => impossible(&[]),
        }
    }

    /// What is known about a block.
    fn info(&self, block: BlockId) -> &Block {
        &self.blocks[block.0 as usize]
    }

    /// The block with these steps.
    pub(crate) fn block(&mut self, ops: Vec<PrintOp>) -> BlockId {
        if let Some(&block) = self.known.get(&ops) {
            return block;
        }
        // Worked out once, when the block is new.
        let mut reads = Word::zero(self.compiler.plan().isa().format().max_bits);
        let (mut pure, mut depth) = (true, 0);
        for &op in &ops {
            let (bits, is_pure, inner) = self.effect(op);
            reads = reads.or(&bits);
            pure &= is_pure;
            depth = depth.max(inner + 1);
        }
        if depth > MAX_BLOCK_DEPTH || self.blocks.len() >= MAX_BLOCKS {
            return Self::BAIL;
        }
        let from = self.ops.len() as u32;
        self.ops.extend_from_slice(&ops);
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block { from, to: self.ops.len() as u32, reads, pure, depth });
        self.known.insert(ops, id);
        id
    }

    /// The bits that a step depends on, whether its text is a function of them alone, and how deep its blocks are.
    fn effect(&self, op: PrintOp) -> (Word, bool, usize) {
        let graph = &self.compiler.graph;
        let none = || Word::zero(self.compiler.plan().isa().format().max_bits);
        match op {
            PrintOp::Text { .. } | PrintOp::Bail => (none(), true, 0),
            // How many blanks it prints depends on the text before it.
            PrintOp::Align(_) => (none(), false, 0),
            PrintOp::Scalar { value, .. } | PrintOp::Expect { value, .. } => (graph.reads(value).clone(), true, 0),
            // Where it leads depends on where it stands.
            PrintOp::Branch { value, .. } => (graph.reads(value).clone(), false, 0),
            PrintOp::Custom { value, .. } => (graph.reads(value).clone(), self.custom.0, 0),
            PrintOp::Test { test, then, other } => {
                let guard = self.tests[test as usize].value;
                self.effect(PrintOp::If { guard, then, other })
            }
            PrintOp::If { guard, then, other } => {
                let (then, other) = (self.info(then), self.info(other));
                let reads = graph.reads(guard).or(&then.reads).or(&other.reads);
                (reads, then.pure && other.pure, then.depth.max(other.depth))
            }
            PrintOp::Sub(sub) => {
                let sub = &self.subs[sub as usize];
                let mut whole = (graph.reads(sub.value).clone(), true, 0);
                for &(block, _) in &sub.leaves {
                    let block = self.info(block);
                    whole.0 = whole.0.or(&block.reads);
                    whole.1 &= block.pure;
                    whole.2 = whole.2.max(block.depth);
                }
                whole
            }
            PrintOp::Operand(operand) => (graph.reads(self.operands[operand as usize].value).clone(), true, 0),
            PrintOp::Cached(segment) => {
                let block = self.info(self.segments[segment as usize].block);
                (block.reads.clone(), true, block.depth)
            }
        }
    }

    /// The block of the leaf that the value of a sub-encoded field is; `None` if the exact engine has to say.
    pub(crate) fn leaf_of(&self, sub: u32, word: &[u64]) -> Option<BlockId> {
        let sub = self.subs.get(sub as usize)?;
        let value = self.compiler.graph.evaluate(sub.value, word);
        let tree = self.trees.get(sub.space.index())?;
        let Match::One(id) = (*tree)?.select(&[value], sub.width) else { return None };
        let rank = self.ranks.get(id.index())?;
        let &(block, dont_care) = sub.leaves.get(*rank as usize)?;
        (value & dont_care == 0).then_some(block)
    }

    /// What an instruction word is.
    #[inline]
    pub(crate) fn select(&self, word: &[u64], width: u32) -> Match {
        self.tree.select(word, width)
    }
}

/// The place of a text in a pool that has each once.
fn put(pool: &mut Vec<u8>, known: &mut FxHashMap<Vec<u8>, u32>, text: &[u8]) -> (u32, u32) {
    let from = match known.get(text) {
        Some(&from) => from,
        None => {
            let from = pool.len() as u32;
            pool.extend_from_slice(text);
            known.insert(text.to_vec(), from);
            from
        }
    };
    (from, text.len() as u32)
}
