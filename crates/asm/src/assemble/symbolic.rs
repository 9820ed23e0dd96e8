//! Values as functions of the bits of the instruction, so that a text can be read backwards into bits.
//!
//! The problem: a field is bits of a word inside a word, or an expression over such fields; guards are expressions too.
//! To assemble, one needs the opposite direction: which bits make this value. The method: every value becomes a node in
//! an arena ([`Terms`]) over the bits of the *outermost* word. Nodes are folded while they are made. A node whose every
//! bit is constant, a bit of the word, or the opposite of one is kept as just that list ([`Node::Linear`]), and can be
//! assigned to; shifts, masks, or, disjoint additions, multiplication by powers of two and comparisons of single bits
//! keep a value in that form. What remains is an operator node, to be evaluated once its bits are known.
//!
//! Invariant: equal nodes have equal numbers, so that "the same condition" is a comparison of numbers.

use isaglot_model::{BinaryOp, IntType, UnaryOp};
use rustc_hash::FxHashMap;

use super::limits::MAX_TERMS;

/// One bit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bit {
    /// A constant.
    Const(bool),
    /// This bit of the instruction.
    Of(u32),
    /// The opposite of this bit of the instruction.
    Not(u32),
}

/// Bits of a value, least significant first; what is beyond the end is 0.
pub(super) type Bits = Vec<Bit>;

/// A node of [`Terms`], by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Term(pub(super) u32);

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// Bits, without constant zeros at the top. Constants are of this kind.
    Linear(Bits),
    /// An operator with one operand.
    Unary(UnaryOp, IntType, Term),
    /// An operator with two.
    Binary(BinaryOp, IntType, Term, Term),
    /// A choice.
    Select(Term, Term, Term),
    /// The operand wrapped to a type.
    Cast(IntType, Term),
    /// Something that is not followed any further.
    Unknown,
}

/// The arena of one program.
#[derive(Debug, Default)]
pub(super) struct Terms {
    nodes: Vec<Node>,
    known: FxHashMap<Node, Term>,
}

impl Terms {
    /// The node that a number stands for.
    pub(super) fn node(&self, term: Term) -> &Node {
        self.nodes.get(term.0 as usize).unwrap_or(&Node::Unknown)
    }

    fn make(&mut self, node: Node) -> Term {
        if let Some(&term) = self.known.get(&node) {
            return term;
        }
        let node = if self.nodes.len() >= MAX_TERMS { Node::Unknown } else { node };
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.known.insert(node, term);
        term
    }

    /// A value that is not followed any further.
    pub(super) fn unknown(&mut self) -> Term {
        self.make(Node::Unknown)
    }

    /// A constant.
    pub(super) fn constant(&mut self, value: u64) -> Term {
        self.linear((0..64).map(|i| Bit::Const(value >> i & 1 != 0)).collect())
    }

    /// A value made of these bits, of which the low 64 count.
    pub(super) fn linear(&mut self, mut bits: Bits) -> Term {
        bits.truncate(64);
        while bits.last() == Some(&Bit::Const(false)) {
            bits.pop();
        }
        self.make(Node::Linear(bits))
    }

    /// The bits, if the value is nothing but bits.
    pub(super) fn bits(&self, term: Term) -> Option<&[Bit]> {
        match self.node(term) {
            Node::Linear(bits) => Some(bits),
            _ => None,
        }
    }

    /// The value, if it is constant.
    pub(super) fn value(&self, term: Term) -> Option<u64> {
        let mut value = 0;
        for (i, bit) in self.bits(term)?.iter().enumerate() {
            match bit {
                Bit::Const(one) => value |= u64::from(*one) << i,
                _ => return None,
            }
        }
        Some(value)
    }

    /// The bits in the low `width` places.
    fn padded(&self, term: Term, width: u32) -> Option<Bits> {
        let mut bits = self.bits(term)?.to_vec();
        bits.resize(width.clamp(1, 64) as usize, Bit::Const(false));
        Some(bits)
    }

    /// A value wrapped to a type.
    pub(super) fn cast(&mut self, ty: IntType, x: Term) -> Term {
        if let Some(mut bits) = self.padded(x, ty.bits) {
            if ty.signed
                && let Some(&top) = bits.last()
            {
                bits.resize(64, top);
            }
            return self.linear(bits);
        }
        self.make(Node::Cast(ty, x))
    }

    /// A choice between two values.
    pub(super) fn select(&mut self, c: Term, x: Term, y: Term) -> Term {
        match self.value(c) {
            Some(0) => y,
            Some(_) => x,
            None if x == y => x,
            None => self.make(Node::Select(c, x, y)),
        }
    }

    /// An operator with one operand.
    pub(super) fn unary(&mut self, op: UnaryOp, ty: IntType, x: Term) -> Term {
        if let Some(value) = self.value(x) {
            return self.constant(op.apply(ty, value));
        }
        match op {
            UnaryOp::LogicalNot => {
                self.equals_constant(x, 0, false).unwrap_or_else(|| self.make(Node::Unary(op, ty, x)))
            }
            UnaryOp::Not if self.bits(x).is_some() => {
                let bits = self.padded(x, 64).unwrap_or_default().into_iter().map(opposite).collect();
                let flipped = self.linear(bits);
                self.cast(ty, flipped)
            }
            _ => self.make(Node::Unary(op, ty, x)),
        }
    }

    /// `x == value` (or its opposite) as one bit, if `x` has one open bit or disagrees in a constant one.
    fn equals_constant(&mut self, x: Term, value: u64, negated: bool) -> Option<Term> {
        let bits = self.padded(x, 64)?;
        let mut open = None;
        for (i, bit) in bits.into_iter().enumerate() {
            let wanted = value >> i & 1 != 0;
            match bit {
                Bit::Const(is) if is == wanted => {}
                Bit::Const(_) => return Some(self.constant(u64::from(negated))),
                _ if open.is_some() => return None,
                bit => open = Some(if wanted == negated { opposite(bit) } else { bit }),
            }
        }
        open.map(|bit| self.linear(vec![bit]))
    }

    /// An operator with two operands.
    pub(super) fn binary(&mut self, op: BinaryOp, ty: IntType, x: Term, y: Term) -> Term {
        use BinaryOp::{Add, And, Eq, LogicalAnd, LogicalOr, Mul, Ne, Or, Shl, Shr, Sub, Xor};
        let (a, b) = (self.value(x), self.value(y));
        if let (Some(a), Some(b)) = (a, b) {
            return self.constant(op.apply(ty, a, b));
        }
        let folded = match (op, a, b) {
            (LogicalAnd, Some(0), _) | (LogicalAnd, _, Some(0)) => Some(self.constant(0)),
            (LogicalOr, Some(1..), _) | (LogicalOr, _, Some(1..)) => Some(self.constant(1)),
            (LogicalAnd, Some(_), _) | (LogicalOr, Some(0), _) => Some(self.truth(y)),
            (LogicalAnd, _, Some(_)) | (LogicalOr, _, Some(0)) => Some(self.truth(x)),
            (Eq | Ne, Some(v), _) => self.equals_constant(y, v, op == Ne),
            (Eq | Ne, _, Some(v)) => self.equals_constant(x, v, op == Ne),
            (Shl, _, Some(by)) => self.shifted(ty, x, i64::from(by as u32 % ty.bits.max(1))),
            (Shr, _, Some(by)) => self.shifted(ty, x, -i64::from(by as u32 % ty.bits.max(1))),
            (Mul, _, Some(by)) if by.is_power_of_two() => self.shifted(ty, x, i64::from(by.trailing_zeros())),
            (Mul, Some(by), _) if by.is_power_of_two() => self.shifted(ty, y, i64::from(by.trailing_zeros())),
            (And, ..) => self.merged(x, y, |p, q| match (p, q) {
                (Bit::Const(false), _) | (_, Bit::Const(false)) => Some(Bit::Const(false)),
                (Bit::Const(true), bit) | (bit, Bit::Const(true)) => Some(bit),
                _ => (p == q).then_some(p),
            }),
            (Or, ..) => self.merged(x, y, |p, q| match (p, q) {
                (Bit::Const(true), _) | (_, Bit::Const(true)) => Some(Bit::Const(true)),
                (Bit::Const(false), bit) | (bit, Bit::Const(false)) => Some(bit),
                _ => (p == q).then_some(p),
            }),
            (Xor, ..) => self.merged(x, y, |p, q| match (p, q) {
                (Bit::Const(false), bit) | (bit, Bit::Const(false)) => Some(bit),
                (Bit::Const(true), bit) | (bit, Bit::Const(true)) => Some(opposite(bit)),
                _ => None,
            }),
            (Sub, _, Some(0)) => Some(x),
            // Without a carry, adding is merging.
            (Add, ..) => self.merged(x, y, |p, q| match (p, q) {
                (Bit::Const(false), bit) | (bit, Bit::Const(false)) => Some(bit),
                _ => None,
            }),
            _ => None,
        };
        match folded {
            Some(term) if matches!(op, And | Or | Xor | Add | Sub) => self.cast(ty, term),
            Some(term) => term,
            None => self.make(Node::Binary(op, ty, x, y)),
        }
    }

    /// 1 if the value is not 0.
    fn truth(&mut self, x: Term) -> Term {
        if self.bits(x).is_some_and(|bits| bits.len() <= 1) || self.is_truth(x) {
            return x;
        }
        self.equals_constant(x, 0, true).unwrap_or_else(|| {
            let zero = self.constant(0);
            self.make(Node::Binary(BinaryOp::Ne, IntType::U64, x, zero))
        })
    }

    /// Whether the value can only be 0 or 1.
    pub(super) fn is_truth(&self, x: Term) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, LogicalAnd, LogicalOr, Lt, Ne};
        match self.node(x) {
            Node::Linear(bits) => bits.len() <= 1,
            Node::Unary(UnaryOp::LogicalNot, ..) => true,
            Node::Binary(op, ..) => matches!(op, Eq | Ne | Lt | Le | Gt | Ge | LogicalAnd | LogicalOr),
            _ => false,
        }
    }

    /// Shifted up by `by` places in a type, or down where `by` is negative.
    fn shifted(&mut self, ty: IntType, x: Term, by: i64) -> Option<Term> {
        let bits = self.padded(x, 64)?;
        let fill = if ty.signed { bits.last().copied() } else { None }.unwrap_or(Bit::Const(false));
        let at = |i: i64| match usize::try_from(i) {
            Ok(i) => bits.get(i).copied().unwrap_or(fill),
            Err(_) => Bit::Const(false),
        };
        let moved = (0..64).map(|i| at(i - by)).collect();
        let moved = self.linear(moved);
        Some(self.cast(ty, moved))
    }

    fn merged(&mut self, x: Term, y: Term, one: impl Fn(Bit, Bit) -> Option<Bit>) -> Option<Term> {
        let (p, q) = (self.padded(x, 64)?, self.padded(y, 64)?);
        let bits: Option<Bits> = p.into_iter().zip(q).map(|(p, q)| one(p, q)).collect();
        bits.map(|bits| self.linear(bits))
    }
}

/// The opposite of a bit.
pub(super) fn opposite(bit: Bit) -> Bit {
    match bit {
        Bit::Const(one) => Bit::Const(!one),
        Bit::Of(n) => Bit::Not(n),
        Bit::Not(n) => Bit::Of(n),
    }
}
