//! Values as a graph: each once, simplified as it is made, so that what a text computes of constants is a constant.
//!
//! The operators are those of the semantics language, and so is their meaning: constants are folded by
//! [`BinaryOp::apply`].

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_semantics::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap;

/// A value of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub(crate) u32);

/// How a value is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A constant.
    Const(Word),
    /// The bits of a field of the instruction.
    Field(u32),
    /// The address of the instruction.
    Pc,
    /// An integer register by number, as it is after so many writes.
    Register(Id, u32),
    /// What a load or a call gave.
    Result(u32),
    /// An operator.
    Unary(UnaryOp, Id),
    /// An operator; the amount of a shift may have another width.
    Binary(BinaryOp, Id, Id),
    /// The second if the first is 1, else the third.
    Select(Id, Id, Id),
    /// Widened with zeros.
    ZeroExtend(Id),
    /// Widened with the sign.
    SignExtend(Id),
    /// The bits from this one on.
    Slice(Id, u32),
    /// The first above the second.
    Concat(Id, Id),
}

/// All values of one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// How each is made, its width, and the largest number that it can be, as far as that is easy to see.
    nodes: Vec<(Node, u32, u128)>,
    index: FxHashMap<(Node, u32), Id>,
}

impl Graph {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize].0
    }

    pub(crate) fn width(&self, id: Id) -> u32 {
        self.nodes[id.0 as usize].1
    }

    pub(crate) fn constant(&self, id: Id) -> Option<&Word> {
        match self.node(id) {
            Node::Const(w) => Some(w),
            _ => None,
        }
    }

    /// The truth value that a bit is known to be.
    pub(crate) fn truth(&self, id: Id) -> Option<bool> {
        self.constant(id).map(|w| !w.is_zero())
    }

    pub(crate) fn make(&mut self, node: Node, width: u32) -> Id {
        let key = (node, width);
        if let Some(&id) = self.index.get(&key) {
            return id;
        }
        let id = Id(self.nodes.len() as u32);
        let most = self.bound(&key.0, width);
        self.nodes.push((key.0.clone(), width, most));
        self.index.insert(key, id);
        id
    }

    pub(crate) fn word(&mut self, w: Word) -> Id {
        let width = w.width();
        self.make(Node::Const(w), width)
    }

    pub(crate) fn number(&mut self, value: u64, width: u32) -> Id {
        self.word(Word::from_u64(value, width))
    }

    pub(crate) fn bit(&mut self, truth: bool) -> Id {
        self.number(u64::from(truth), 1)
    }

    /// The largest number that a value can be.
    pub(crate) fn most(&self, id: Id) -> u128 {
        self.nodes[id.0 as usize].2
    }

    fn bound(&self, node: &Node, width: u32) -> u128 {
        let all = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let found = match *node {
            Node::Const(ref w) if width <= 128 => Some(w.low_u128()),
            Node::ZeroExtend(x) => Some(self.most(x)),
            Node::Select(_, x, y) => Some(self.most(x).max(self.most(y))),
            Node::Binary(BinaryOp::And, x, y) => Some(self.most(x).min(self.most(y))),
            Node::Binary(BinaryOp::Add, x, y) => self.most(x).checked_add(self.most(y)),
            Node::Binary(BinaryOp::Mul, x, y) => self.most(x).checked_mul(self.most(y)),
            _ => None,
        };
        // A sum or a product that may be cut can be anything.
        found.filter(|n| *n <= all).unwrap_or(all)
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, x: Id) -> Id {
        if let Some(w) = self.constant(x) {
            let value = op.apply(w);
            return self.word(value);
        }
        match (op, self.node(x)) {
            (UnaryOp::Not, Node::Unary(UnaryOp::Not, y)) => *y,
            _ => self.make(Node::Unary(op, x), self.width(x)),
        }
    }

    pub(crate) fn not(&mut self, x: Id) -> Id {
        self.unary(UnaryOp::Not, x)
    }

    fn is_not(&self, x: Id, y: Id) -> bool {
        matches!(*self.node(x), Node::Unary(UnaryOp::Not, inner) if inner == y)
    }

    /// An operator on two values of one width; the amount of a shift may have another one.
    pub(crate) fn binary(&mut self, op: BinaryOp, x: Id, y: Id) -> Id {
        use BinaryOp::{Add, And, Eq, LeS, LeU, LtS, LtU, Mul, Ne, Or, Shl, ShrS, ShrU, Sub, Xor};
        let width = self.width(x);
        if let (Some(a), Some(b)) = (self.constant(x), self.constant(y)) {
            let value = op.apply(a, b);
            return self.word(value);
        }
        if x == y {
            match op {
                And | Or => return x,
                Xor | Sub => return self.number(0, width),
                Eq | LeU | LeS => return self.bit(true),
                Ne | LtU | LtS => return self.bit(false),
                _ => {}
            }
        }
        if width == 1 && (self.is_not(x, y) || self.is_not(y, x)) {
            match op {
                And => return self.bit(false),
                Or => return self.bit(true),
                _ => {}
            }
        }
        // Constants come last.
        let commutes = matches!(op, Add | Mul | And | Or | Xor | Eq | Ne);
        let (x, y) = if commutes && self.constant(x).is_some() { (y, x) } else { (x, y) };
        if let Some(c) = self.constant(y).cloned() {
            let (zero, ones) = (c.is_zero(), c.is_ones());
            match op {
                _ if zero && matches!(op, Add | Sub | Or | Xor | Shl | ShrU | ShrS) => return x,
                And | Mul if zero => return y,
                Mul if c.to_u64() == Some(1) => return x,
                And if ones => return x,
                Or if ones => return y,
                Xor if ones => return self.not(x),
                Eq if width == 1 => return if zero { self.not(x) } else { x },
                Ne if width == 1 => return if zero { x } else { self.not(x) },
                Add | Sub => {
                    if let Some(sum) = self.sum(op, x, &c) {
                        return sum;
                    }
                }
                Shl | ShrU | ShrS => {
                    if let Some(moved) = self.shifted(op, x, &c) {
                        return moved;
                    }
                }
                _ => {}
            }
        }
        if op == Sub
            && let Some(c) = self.distance(x, y)
        {
            return self.word(c);
        }
        if op == LtU && width <= 128 && self.most(x) < self.least(y) {
            return self.bit(true);
        }
        if op == LeU && width <= 128 && self.most(x) <= self.least(y) {
            return self.bit(true);
        }
        self.make(Node::Binary(op, x, y), if op.is_comparison() { 1 } else { width })
    }

    fn least(&self, id: Id) -> u128 {
        self.constant(id).map_or(0, Word::low_u128)
    }

    /// A base, and the constant that is added to it.
    fn base(&self, id: Id) -> (Id, Word) {
        match *self.node(id) {
            Node::Binary(BinaryOp::Add, base, c) if self.constant(c).is_some() => {
                (base, self.constant(c).cloned().or_impossible(Word::zero(self.width(id))))
            }
            _ => (id, Word::zero(self.width(id))),
        }
    }

    /// `x - y`, where both are one base with constants added.
    fn distance(&self, x: Id, y: Id) -> Option<Word> {
        let ((bx, cx), (by, cy)) = (self.base(x), self.base(y));
        (bx == by).then(|| BinaryOp::Sub.apply(&cx, &cy))
    }

    fn sum(&mut self, op: BinaryOp, x: Id, c: &Word) -> Option<Id> {
        let added = if op == BinaryOp::Sub { UnaryOp::Negate.apply(c) } else { c.clone() };
        let (base, inner) = self.base(x);
        if base == x && op == BinaryOp::Add {
            return None;
        }
        let total = BinaryOp::Add.apply(&inner, &added);
        let total = self.word(total);
        Some(self.binary(BinaryOp::Add, base, total))
    }

    /// A shift whose amount may be wider than what is shifted, which the semantics language does not have.
    pub(crate) fn shift(&mut self, op: BinaryOp, x: Id, amount: Id) -> Id {
        let (width, wide) = (self.width(x), self.width(amount));
        if wide <= width || self.constant(amount).is_some() {
            return self.binary(op, x, amount);
        }
        let x = self.fit(x, wide, op == BinaryOp::ShrS);
        let moved = self.binary(op, x, amount);
        self.slice(moved, 0, width)
    }

    /// A shift by a constant as slices.
    fn shifted(&mut self, op: BinaryOp, x: Id, c: &Word) -> Option<Id> {
        let width = self.width(x);
        let by = c.to_u64().map_or(width, |n| n.min(u64::from(width)) as u32);
        if by >= width {
            let top = self.top(x);
            return Some(if op == BinaryOp::ShrS { self.sign_extend(top, width) } else { self.number(0, width) });
        }
        Some(match op {
            BinaryOp::Shl => {
                let (low, zeros) = (self.slice(x, 0, width - by), self.number(0, by));
                self.concat(low, zeros)
            }
            BinaryOp::ShrU => {
                let high = self.slice(x, by, width - by);
                self.zero_extend(high, width)
            }
            _ => {
                let high = self.slice(x, by, width - by);
                self.sign_extend(high, width)
            }
        })
    }

    pub(crate) fn select(&mut self, c: Id, x: Id, y: Id) -> Id {
        if x == y {
            return x;
        }
        if let Some(truth) = self.truth(c) {
            return if truth { x } else { y };
        }
        if let Node::Unary(UnaryOp::Not, inner) = *self.node(c) {
            return self.select(inner, y, x);
        }
        if self.width(x) == 1 {
            match (self.truth(x), self.truth(y)) {
                (Some(true), Some(false)) => return c,
                (Some(false), Some(true)) => return self.not(c),
                (Some(true), _) => return self.binary(BinaryOp::Or, c, y),
                (_, Some(false)) => return self.binary(BinaryOp::And, c, x),
                _ => {}
            }
        }
        // One more under a condition is a sum with the condition.
        let width = self.width(x);
        let one = Word::from_u64(1, width);
        if self.distance(x, y).is_some_and(|d| d == one)
            || self.constant(x) == Some(&one) && self.constant(y).is_some_and(Word::is_zero)
        {
            let more = self.zero_extend(c, width);
            return self.binary(BinaryOp::Add, y, more);
        }
        // So is a product without carries, bit by bit: `c ? y ^ t : y` is `y ^ (c ? t : 0)`.
        let toggled = match *self.node(x) {
            Node::Binary(BinaryOp::Xor, a, t) if a == y => Some(t),
            Node::Binary(BinaryOp::Xor, t, a) if a == y => Some(t),
            _ => None,
        };
        if let Some(t) = toggled {
            let nothing = self.number(0, width);
            let part = self.select(c, t, nothing);
            return self.binary(BinaryOp::Xor, y, part);
        }
        self.make(Node::Select(c, x, y), width)
    }

    /// What a node is made of.
    pub(crate) fn parts(&self, id: Id) -> Vec<Id> {
        match *self.node(id) {
            Node::Const(_) | Node::Field(_) | Node::Pc | Node::Result(_) => Vec::new(),
            Node::Register(x, _)
            | Node::Unary(_, x)
            | Node::ZeroExtend(x)
            | Node::SignExtend(x)
            | Node::Slice(x, _) => {
                vec![x]
            }
            Node::Binary(_, x, y) | Node::Concat(x, y) => vec![x, y],
            Node::Select(x, y, z) => vec![x, y, z],
        }
    }
}
