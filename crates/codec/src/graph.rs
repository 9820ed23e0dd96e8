//! Values as a graph over the bits of the instruction word.
//!
//! Once it is known which definition of each name applies, everything that an expression computes is a function of the
//! instruction's own bits, wherever scopes and parameters lie in between. The graph holds those functions: each node
//! once, folded where it is constant, so that two leaves that mean the same share the same node, and what is built on
//! it. Evaluation is total, allocates nothing and looks nothing up.

use isaglot_bits::{Word, limbs};
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{Algebra, BinaryOp, FeatureId, IntType, Numbers, Piece, UnaryOp};
use rustc_hash::FxHashMap;

use crate::limits::MAX_GRAPH_DEPTH;

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(u32);

/// How a value comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A constant.
    Const(u64),
    /// Bits of one limb.
    Bits {
        /// Which limb.
        limb: u32,
        /// The lowest bit within it.
        shift: u8,
        /// How many, 1 to 64.
        width: u8,
    },
    /// Bits of two limbs.
    Across {
        /// The lowest bit of the word.
        lo: u32,
        /// How many, 2 to 64.
        width: u8,
    },
    /// As in the model.
    Unary(UnaryOp, IntType, ValueId),
    /// As in the model.
    Binary(BinaryOp, IntType, ValueId, ValueId),
    /// The second where the first is not 0, else the third.
    Select(ValueId, ValueId, ValueId),
    /// As in the model.
    Cast(IntType, ValueId),
}

use Operation as Op;

#[derive(Clone, Debug)]
struct Node {
    op: Op,
    /// No value is larger.
    max: u64,
    depth: u32,
    /// The bits of the instruction that it may depend on.
    reads: Word,
}

/// The exact engine has to say.
#[derive(Clone, Copy, Debug)]
pub struct Unsure;

/// Values over the bits of an instruction word of a stated width.
///
/// What would be nested too deeply to be evaluated on the stack is `Unsure`.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    known: FxHashMap<Op, ValueId>,
    width: u32,
    generation: u32,
    features: Vec<bool>,
}

impl Graph {
    /// An empty graph over words of `width` bits, for the gen and the features of these numbers.
    #[must_use]
    pub fn new(width: u32, numbers: Numbers<'_>) -> Self {
        let (generation, features) = (numbers.generation, numbers.features.to_vec());
        Self { nodes: Vec::new(), known: FxHashMap::default(), width, generation, features }
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn node(&self, id: ValueId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    fn add(&mut self, op: Op, max: u64, reads: Word, depth: u32) -> Result<ValueId, Unsure> {
        if let Some(&id) = self.known.get(&op) {
            return Ok(id);
        }
        if depth > MAX_GRAPH_DEPTH {
            return Err(Unsure);
        }
        let id = ValueId(self.nodes.len() as u32);
        self.nodes.push(Node { op, max, depth, reads });
        self.known.insert(op, id);
        Ok(id)
    }

    /// The constant that a value is, if it is one.
    #[must_use]
    pub fn as_const(&self, id: ValueId) -> Option<u64> {
        match self.node(id).op {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    /// How a value comes about.
    ///
    /// # Panics
    /// For an id of another graph.
    #[must_use]
    pub fn operation(&self, id: ValueId) -> Operation {
        self.node(id).op
    }

    /// The bits of the instruction that a value may depend on.
    #[must_use]
    pub fn reads(&self, id: ValueId) -> &Word {
        &self.node(id).reads
    }

    /// An upper bound of a value.
    #[must_use]
    pub fn max(&self, id: ValueId) -> u64 {
        self.node(id).max
    }

    /// The value of pieces of the instruction word, the most significant first: at most 64 bits.
    ///
    /// # Errors
    /// For more bits.
    pub fn pieces(&mut self, pieces: &[Piece]) -> Result<ValueId, Unsure> {
        let total: u32 = pieces.iter().map(|piece| piece.width()).sum();
        if total > 64 {
            return Err(Unsure);
        }
        let mut at = total;
        let mut whole = None;
        for piece in pieces {
            at -= piece.width();
            let part = match *piece {
                Piece::Bits(range) => self.bits(range.lo, range.width)?,
                Piece::Implied { width, value } => self.constant(value & limbs::mask(width))?,
            };
            let amount = self.constant(u64::from(at))?;
            let shifted = if at == 0 { part } else { self.binary(BinaryOp::Shl, IntType::U64, part, amount)? };
            whole = Some(match whole {
                None => shifted,
                Some(high) => self.binary(BinaryOp::Or, IntType::U64, high, shifted)?,
            });
        }
        whole.map_or_else(|| self.constant(0), Ok)
    }

    fn bits(&mut self, lo: u32, width: u32) -> Result<ValueId, Unsure> {
        if width == 0 {
            return self.constant(0);
        }
        let reads = Word::mask(isaglot_bits::BitRange::new(lo, width), self.width);
        let op = if lo % 64 + width <= 64 {
            Op::Bits { limb: lo / 64, shift: (lo % 64) as u8, width: width as u8 }
        } else {
            Op::Across { lo, width: width as u8 }
        };
        self.add(op, limbs::mask(width), reads, 0)
    }

    /// The value for the instruction word with these limbs.
    #[must_use]
    pub fn evaluate(&self, id: ValueId, word: &[u64]) -> u64 {
        let Some(node) = self.nodes.get(id.0 as usize) else { return impossible(0) };
        match node.op {
            Op::Const(value) => value,
            Op::Bits { limb, shift, width } => {
                (limbs::limb(word, limb as usize) >> shift) & limbs::mask(u32::from(width))
            }
            Op::Across { lo, width } => limbs::extract(word, lo, u32::from(width)),
            Op::Unary(op, ty, x) => op.apply(ty, self.evaluate(x, word)),
            Op::Binary(BinaryOp::LogicalAnd, _, x, y) => {
                u64::from(self.evaluate(x, word) != 0 && self.evaluate(y, word) != 0)
            }
            Op::Binary(BinaryOp::LogicalOr, _, x, y) => {
                u64::from(self.evaluate(x, word) != 0 || self.evaluate(y, word) != 0)
            }
            Op::Binary(BinaryOp::Eq, _, x, y) => u64::from(self.evaluate(x, word) == self.evaluate(y, word)),
            Op::Binary(BinaryOp::Ne, _, x, y) => u64::from(self.evaluate(x, word) != self.evaluate(y, word)),
            Op::Binary(op, ty, x, y) => op.apply(ty, self.evaluate(x, word), self.evaluate(y, word)),
            Op::Select(condition, x, y) => self.evaluate(if self.evaluate(condition, word) != 0 { x } else { y }, word),
            Op::Cast(ty, x) => ty.wrap(self.evaluate(x, word)),
        }
    }
}

impl Algebra for Graph {
    type Value = ValueId;
    type Stop = Unsure;

    fn constant(&mut self, value: u64) -> Result<ValueId, Unsure> {
        self.add(Op::Const(value), value, Word::zero(self.width), 0)
    }

    fn generation(&mut self) -> Result<ValueId, Unsure> {
        self.constant(u64::from(self.generation))
    }

    fn feature(&mut self, feature: FeatureId) -> Result<ValueId, Unsure> {
        self.constant(u64::from(self.features.get(feature.index()).copied().or_impossible(false)))
    }

    fn unary(&mut self, op: UnaryOp, ty: IntType, x: ValueId) -> Result<ValueId, Unsure> {
        if let Some(x) = self.as_const(x) {
            return self.constant(op.apply(ty, x));
        }
        let max = if op == UnaryOp::LogicalNot { 1 } else { u64::MAX };
        let (reads, depth) = (self.reads(x).clone(), self.node(x).depth + 1);
        self.add(Op::Unary(op, ty, x), max, reads, depth)
    }

    fn binary(&mut self, op: BinaryOp, ty: IntType, x: ValueId, y: ValueId) -> Result<ValueId, Unsure> {
        let (cx, cy) = (self.as_const(x), self.as_const(y));
        if let (Some(x), Some(y)) = (cx, cy) {
            return self.constant(op.apply(ty, x, y));
        }
        let decided = match (op, cx, cy) {
            (BinaryOp::And | BinaryOp::LogicalAnd | BinaryOp::Mul, Some(0), _)
            | (BinaryOp::And | BinaryOp::LogicalAnd | BinaryOp::Mul, _, Some(0)) => Some(0),
            (BinaryOp::LogicalOr, Some(c), _) | (BinaryOp::LogicalOr, _, Some(c)) if c != 0 => Some(1),
            _ => None,
        };
        if let Some(value) = decided {
            return self.constant(value);
        }
        let max = match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 1,
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => 1,
            BinaryOp::And => self.max(x).min(self.max(y)),
            _ => u64::MAX,
        };
        let reads = self.reads(x).or(self.reads(y));
        let depth = self.node(x).depth.max(self.node(y).depth) + 1;
        self.add(Op::Binary(op, ty, x, y), max, reads, depth)
    }

    fn select(&mut self, condition: ValueId, x: ValueId, y: ValueId) -> Result<ValueId, Unsure> {
        if let Some(value) = self.as_const(condition) {
            return Ok(if value != 0 { x } else { y });
        }
        if x == y {
            return Ok(x);
        }
        let reads = self.reads(condition).or(self.reads(x)).or(self.reads(y));
        let depth = [condition, x, y].map(|id| self.node(id).depth).into_iter().max().or_impossible(0) + 1;
        self.add(Op::Select(condition, x, y), self.max(x).max(self.max(y)), reads, depth)
    }

    fn cast(&mut self, ty: IntType, x: ValueId) -> Result<ValueId, Unsure> {
        let largest = if ty.signed { limbs::mask(ty.bits.saturating_sub(1)) } else { limbs::mask(ty.bits) };
        if self.max(x) <= largest || ty.bits >= 64 {
            return Ok(x);
        }
        if let Some(x) = self.as_const(x) {
            return self.constant(ty.wrap(x));
        }
        let (reads, depth) = (self.reads(x).clone(), self.node(x).depth + 1);
        let max = if ty.signed { u64::MAX } else { largest };
        self.add(Op::Cast(ty, x), max, reads, depth)
    }
}
