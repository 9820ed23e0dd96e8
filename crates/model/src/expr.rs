//! Integer expressions over fields and the gen, with every conversion written out.
//!
//! A front end knows its language's arithmetic (isaspec's is C's: `int` literals, 64-bit fields, truncating division);
//! it inserts [`Node::Cast`]s and types every operator, so that an evaluator needs no rules of its own: it computes in
//! the type of the node, wrapping. All nodes are total but for division and remainder by zero, which give 0 here and
//! are reported by the front end where the divisor is constant.

use std::convert::Infallible;

use isaglot_invariant::Impossible as _;
use isaglot_source::Span;

use crate::ids::FeatureId;
use crate::names::Name;

/// An integer type: two's complement, wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
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
    #[inline]
    pub fn wrap(self, value: u64) -> u64 {
        let unused = 64 - self.bits.clamp(1, 64);
        if self.signed { ((value << unused) as i64 >> unused) as u64 } else { value << unused >> unused }
    }
}

/// A node of an expression, by its place in [`Expr::nodes`]. Operands come before the nodes that use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct NodeId(pub u32);

/// One operation. The value of a node is held in 64 bits, extended by the rule of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `~x`
    Not,
    /// `!x`: 1 if x is 0, else 0.
    LogicalNot,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
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
    #[cfg_attr(feature = "compiled", serde(skip))]
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

    /// Computes the value with the operations of `algebra`. This is the only place that runs through the nodes.
    ///
    /// The top of `stack` must hold the values of [`Expr::fields`], in that order. They are popped.
    ///
    /// # Errors
    /// Those of `algebra`. What is left on `stack` above the values of fields is then unspecified.
    #[inline]
    pub fn compute<A: Algebra>(&self, algebra: &mut A, stack: &mut Vec<A::Value>) -> Result<A::Value, A::Stop> {
        let first = stack.len();
        let base = first - self.fields.len();
        for node in &self.nodes {
            let get = |id: NodeId| stack[first + id.0 as usize];
            let value = match *node {
                Node::Const(value, _) => algebra.constant(value)?,
                Node::Field(name) => {
                    let place = self.fields.iter().position(|&field| field == name);
                    stack[base + place.or_impossible(0)]
                }
                Node::Gen => algebra.generation()?,
                Node::Feature(feature) => algebra.feature(feature)?,
                Node::Unary(op, ty, x) => algebra.unary(op, ty, get(x))?,
                Node::Binary(op, ty, x, y) => algebra.binary(op, ty, get(x), get(y))?,
                Node::Select(_, condition, x, y) => algebra.select(get(condition), get(x), get(y))?,
                Node::Cast(ty, x) => algebra.cast(ty, get(x))?,
            };
            stack.push(value);
        }
        let value = stack[stack.len() - 1];
        stack.truncate(base);
        Ok(value)
    }

    /// The value, with fields from `field`: 64 bits, extended by the root's type.
    pub fn evaluate(&self, mut numbers: Numbers<'_>, field: &mut dyn FnMut(Name) -> u64) -> u64 {
        let mut stack: Vec<u64> = self.fields.iter().map(|&name| field(name)).collect();
        let Ok(value) = self.compute(&mut numbers, &mut stack);
        value
    }
}

/// The operations of expressions over one kind of value: numbers, nodes of a graph, decision diagrams.
///
/// Each must agree with the operation on numbers: a value stands for a number of 64 bits, extended by the rule of its
/// type.
pub trait Algebra {
    /// A value. It stands for 64 bits.
    type Value: Copy;
    /// Why an operation gives no value; [`Infallible`] if it always does.
    type Stop;

    /// A number.
    fn constant(&mut self, value: u64) -> Result<Self::Value, Self::Stop>;

    /// The gen that is decoded for.
    fn generation(&mut self) -> Result<Self::Value, Self::Stop>;

    /// 1 if a feature is on, else 0.
    fn feature(&mut self, feature: FeatureId) -> Result<Self::Value, Self::Stop>;

    /// [`UnaryOp::apply`].
    fn unary(&mut self, op: UnaryOp, ty: IntType, x: Self::Value) -> Result<Self::Value, Self::Stop>;

    /// [`BinaryOp::apply`].
    fn binary(&mut self, op: BinaryOp, ty: IntType, x: Self::Value, y: Self::Value) -> Result<Self::Value, Self::Stop>;

    /// `x` where `condition` is not 0, else `y`.
    fn select(&mut self, condition: Self::Value, x: Self::Value, y: Self::Value) -> Result<Self::Value, Self::Stop>;

    /// [`IntType::wrap`].
    fn cast(&mut self, ty: IntType, x: Self::Value) -> Result<Self::Value, Self::Stop>;
}

/// Plain numbers: the definition that every other [`Algebra`] must agree with.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'f> {
    /// The gen.
    pub generation: u32,
    /// Whether each feature is on, by its id; those beyond the end are off.
    pub features: &'f [bool],
}

impl Algebra for Numbers<'_> {
    type Value = u64;
    type Stop = Infallible;

    #[inline]
    fn constant(&mut self, value: u64) -> Result<u64, Infallible> {
        Ok(value)
    }

    #[inline]
    fn generation(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from(self.generation))
    }

    #[inline]
    fn feature(&mut self, feature: FeatureId) -> Result<u64, Infallible> {
        Ok(u64::from(self.features.get(feature.index()).copied().unwrap_or(false)))
    }

    #[inline]
    fn unary(&mut self, op: UnaryOp, ty: IntType, x: u64) -> Result<u64, Infallible> {
        Ok(op.apply(ty, x))
    }

    #[inline]
    fn binary(&mut self, op: BinaryOp, ty: IntType, x: u64, y: u64) -> Result<u64, Infallible> {
        Ok(op.apply(ty, x, y))
    }

    #[inline]
    fn select(&mut self, condition: u64, x: u64, y: u64) -> Result<u64, Infallible> {
        Ok(if condition != 0 { x } else { y })
    }

    #[inline]
    fn cast(&mut self, ty: IntType, x: u64) -> Result<u64, Infallible> {
        Ok(ty.wrap(x))
    }
}

impl UnaryOp {
    /// Applies it to a value of type `t`.
    #[inline]
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
    #[inline]
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

    /// The same for each two of two lists of numbers, of 64 bits with a sign: the operator is looked at once for all. As many are worked out as the
    /// shortest of the three lists has.
    pub fn apply_each(self, x: &[u64], y: &[u64], out: &mut [u64]) {
        // A constant operator is applied in each arm, so that each is a loop of its own.
        macro_rules! each {
            ($($op:ident)*) => {
                match self {
                    $(BinaryOp::$op => {
                        let operands = x.iter().zip(y);
                        out.iter_mut().zip(operands).for_each(|(out, (x, y))| *out = BinaryOp::$op.apply(IntType::I64, *x, *y));
                    })*
                }
            };
        }
        each!(Add Sub Mul Div Rem And Or Xor Shl Shr Eq Ne Lt Le Gt Ge LogicalAnd LogicalOr);
    }
}
