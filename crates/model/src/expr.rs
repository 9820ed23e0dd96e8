//! Integer expressions over fields and the gen, with every conversion written out.
//!
//! A front end knows its language's arithmetic (isaspec's is C's: `int` literals, 64-bit fields, truncating division);
//! it inserts [`Node::Cast`]s and types every operator, so that an evaluator needs no rules of its own: it computes in
//! the type of the node, wrapping. All nodes are total but for division and remainder by zero, which give 0 here and
//! are reported by the front end where the divisor is constant.

use isaglot_source::Span;
use serde::{Deserialize, Serialize};

use crate::ids::FeatureId;
use crate::names::Name;

/// An integer type: two's complement, wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IntType {
    /// Width in bits, 1 to [`limits::MAX_EXPR_BITS`](crate::limits::MAX_EXPR_BITS).
    pub bits: u32,
    /// Whether the top bit counts negative.
    pub signed: bool,
}

impl IntType {
    /// C's `int`.
    pub const I32: IntType = IntType { bits: 32, signed: true };
    /// C's `unsigned`.
    pub const U32: IntType = IntType { bits: 32, signed: false };
    /// `int64_t`.
    pub const I64: IntType = IntType { bits: 64, signed: true };
    /// `uint64_t`.
    pub const U64: IntType = IntType { bits: 64, signed: false };

    /// The value that this type holds for these 64 bits: cut to the width, then sign- or zero-extended.
    pub fn wrap(self, value: u64) -> u64 {
        let unused = 64 - self.bits.clamp(1, 64);
        if self.signed { ((value << unused) as i64 >> unused) as u64 } else { value << unused >> unused }
    }
}

/// A node of an expression, by its place in [`Expr::nodes`]. Operands come before the nodes that use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// One operation. The value of a node is held in 64 bits, extended by the rule of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    /// A constant, already wrapped to its type.
    Const(u64, IntType),
    /// The value of a field, zero-extended (whatever its type), of [`IntType::I64`]; 0 if nothing defines it.
    Field(Name),
    /// The gen that is decoded for, of [`IntType::U32`].
    Gen,
    /// Whether a feature is on: 0 or 1 of [`IntType::I32`].
    Feature(FeatureId),
    /// An operator with one operand; both have this type (`LogicalNot` reads the operand's own and gives `I32`).
    Unary(UnaryOp, IntType, NodeId),
    /// An operator with two operands of this type. Comparisons and logical operators give `I32`; a shift's right
    /// operand has its own type.
    Binary(BinaryOp, IntType, NodeId, NodeId),
    /// `condition ? then : otherwise`; both arms have this type.
    Select(IntType, NodeId, NodeId, NodeId),
    /// The operand wrapped to this type.
    Cast(IntType, NodeId),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `~x`
    Not,
    /// `!x`: 1 if x is 0, else 0.
    LogicalNot,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, truncating; 0 if the divisor is 0.
    Div,
    /// `%`, sign of the dividend; 0 if the divisor is 0.
    Rem,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`; the amount is taken modulo the width.
    Shl,
    /// `>>`, arithmetic for a signed type; the amount is taken modulo the width.
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`, by the type's signedness.
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`: both operands are always evaluated, which nothing can observe.
    LogicalAnd,
    /// `||`
    LogicalOr,
}

/// A whole expression; its value is that of the last node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expr {
    /// The name given by the description, or a made-up one for an expression written in place.
    pub name: String,
    /// At least one node, operands first, the root last.
    pub nodes: Vec<Node>,
    /// The fields that occur, each once, in the order in which they are fetched (isaspec: sorted by name).
    pub fields: Vec<Name>,
    /// The text as written.
    pub text: String,
    /// Where it stands.
    #[serde(skip)]
    pub span: Span,
}

impl Expr {
    /// The type of a node's value.
    pub fn node_type(&self, id: NodeId) -> IntType {
        match self.nodes[id.0 as usize] {
            Node::Const(_, t) | Node::Select(t, ..) | Node::Cast(t, _) => t,
            Node::Field(_) => IntType::I64,
            Node::Gen => IntType::U32,
            Node::Feature(_) | Node::Unary(UnaryOp::LogicalNot, ..) => IntType::I32,
            Node::Unary(_, t, _) => t,
            Node::Binary(op, t, ..) => match op {
                BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => IntType::I32,
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr => IntType::I32,
                _ => t,
            },
        }
    }

    /// The value, with fields from `field`, the gen, and features from `feature`: the definition that every compiled
    /// form must agree with. The result is 64 bits, extended by the root's type.
    pub fn evaluate(
        &self,
        generation: u32,
        field: &mut dyn FnMut(Name) -> u64,
        feature: &dyn Fn(FeatureId) -> bool,
    ) -> u64 {
        let mut values: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let get = |id: NodeId| values[id.0 as usize];
            let value = match *node {
                Node::Const(v, _) => v,
                Node::Field(name) => field(name),
                Node::Gen => u64::from(generation),
                Node::Feature(f) => u64::from(feature(f)),
                Node::Unary(op, t, x) => op.apply(t, get(x)),
                Node::Binary(op, t, x, y) => op.apply(t, get(x), get(y)),
                Node::Select(_, c, x, y) => get(if get(c) != 0 { x } else { y }),
                Node::Cast(t, x) => t.wrap(get(x)),
            };
            values.push(value);
        }
        values.last().copied().unwrap_or(0)
    }
}

impl UnaryOp {
    /// Applies it to a value of type `t`.
    pub fn apply(self, t: IntType, x: u64) -> u64 {
        match self {
            UnaryOp::Negate => t.wrap(x.wrapping_neg()),
            UnaryOp::Not => t.wrap(!x),
            UnaryOp::LogicalNot => u64::from(x == 0),
        }
    }
}

impl BinaryOp {
    /// Applies it to two values of type `t`.
    pub fn apply(self, t: IntType, x: u64, y: u64) -> u64 {
        let (sx, sy) = (x as i64, y as i64);
        let less = if t.signed { sx < sy } else { x < y };
        let amount = (y % u64::from(t.bits.max(1))) as u32;
        let value = match self {
            BinaryOp::Add => x.wrapping_add(y),
            BinaryOp::Sub => x.wrapping_sub(y),
            BinaryOp::Mul => x.wrapping_mul(y),
            BinaryOp::Div | BinaryOp::Rem if y == 0 => 0,
            BinaryOp::Div if t.signed => sx.wrapping_div(sy) as u64,
            BinaryOp::Div => x / y,
            BinaryOp::Rem if t.signed => sx.wrapping_rem(sy) as u64,
            BinaryOp::Rem => x % y,
            BinaryOp::And => x & y,
            BinaryOp::Or => x | y,
            BinaryOp::Xor => x ^ y,
            BinaryOp::Shl => x << amount,
            BinaryOp::Shr if t.signed => (sx >> amount) as u64,
            BinaryOp::Shr => x >> amount,
            BinaryOp::Eq => return u64::from(x == y),
            BinaryOp::Ne => return u64::from(x != y),
            BinaryOp::Lt => return u64::from(less),
            BinaryOp::Le => return u64::from(less || x == y),
            BinaryOp::Gt => return u64::from(!less && x != y),
            BinaryOp::Ge => return u64::from(!less),
            BinaryOp::LogicalAnd => return u64::from(x != 0 && y != 0),
            BinaryOp::LogicalOr => return u64::from(x != 0 || y != 0),
        };
        t.wrap(value)
    }
}
