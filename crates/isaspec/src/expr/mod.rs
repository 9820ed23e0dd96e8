//! The expression language of `<expr>`: C expressions over fields.
//!
//! The reference pastes an expression into a C function, each `{F}` replaced by a variable `int64_t F`. So the same is
//! done here: references are replaced in the text first (`pasted`), then C is parsed, typed by C's rules, and every
//! conversion becomes a node. What is found between the braces is fetched whether or not evaluation reaches it,
//! even inside a comment.
//!
//! An example: `{A} << 3 == 8u`, with the field `A`. Pasted it is `A << 3 == 8u`. A field is a signed number of 64 bits and 3 an
//! `int`, but the right operand of a shift keeps its type; `==` compares an `int64_t` with an `unsigned int`, so the latter is
//! converted to 64 bits:
//!
//! ```text
//! 0  Field(A)          i64
//! 1  Const(3)          i32
//! 2  Shl(i64, 0, 1)    i64
//! 3  Const(8)          i64     the constant, converted in place
//! 4  Eq(i64, 2, 3)     i32     0 or 1
//! ```
//!
//! Nodes lie in one vector, operands first: nothing here or later recurses over an expression except the parser, whose
//! depth is bounded by [`limits::MAX_EXPR_DEPTH`](crate::limits::MAX_EXPR_DEPTH).

mod ctype;
mod lex;
mod parse;
mod paste;

use isaglot_model::{BinaryOp, IntType, UnaryOp};
use isaglot_source::{Diagnostics, Span};

use crate::text::Text;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CExpr {
    /// Operands first, the root last; at least one.
    pub nodes: Vec<CNode>,
    /// The fields between braces, each once.
    pub fields: Vec<String>,
    /// The features that occur, each with its place (extension).
    pub features: Vec<(String, Span)>,
    /// The value, if it does not depend on anything.
    pub constant: Option<u64>,
}

/// A node and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CNode {
    /// What it does.
    pub op: COp,
    /// The type of its value.
    pub ty: IntType,
    /// The whole subexpression.
    pub span: Span,
}

/// An operation; operands are indices of earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum COp {
    /// A constant, wrapped to the node's type.
    Const(u64),
    /// A field, by its place in [`CExpr::fields`].
    Field(u32),
    /// `ISA_GPU_ID()`
    Gen,
    /// `ISA_FEATURE(name)` (extension), by its place in [`CExpr::features`].
    Feature(u32),
    /// A type conversion to the node's type.
    Cast(u32),
    /// One operand of this type.
    Unary(UnaryOp, IntType, u32),
    /// Two operands of this type; a shift's right operand has its own.
    Binary(BinaryOp, IntType, u32, u32),
    /// `a ? b : c`; both arms have the node's type.
    Select(u32, u32, u32),
}

impl COp {
    /// The nodes that it reads.
    pub fn operands(self) -> [Option<u32>; 3] {
        match self {
            COp::Const(_) | COp::Field(_) | COp::Feature(_) | COp::Gen => [None; 3],
            COp::Cast(x) | COp::Unary(_, _, x) => [Some(x), None, None],
            COp::Binary(_, _, x, y) => [Some(x), Some(y), None],
            COp::Select(c, x, y) => [Some(c), Some(x), Some(y)],
        }
    }

    /// The same operation on other nodes.
    fn with_operands(self, place: impl Fn(u32) -> u32) -> COp {
        match self {
            COp::Const(_) | COp::Field(_) | COp::Feature(_) | COp::Gen => self,
            COp::Cast(x) => COp::Cast(place(x)),
            COp::Unary(op, t, x) => COp::Unary(op, t, place(x)),
            COp::Binary(op, t, x, y) => COp::Binary(op, t, place(x), place(y)),
            COp::Select(c, x, y) => COp::Select(place(c), place(x), place(y)),
        }
    }
}

/// Parses an expression; problems are added to `out` and give `None`. `dialect` switches Isaglot's extensions on.
pub fn parse(text: &Text, dialect: bool, out: &mut Diagnostics) -> Option<CExpr> {
    let pasted = paste::paste(text, dialect, out)?;
    let mut parsed = parse::parse(&pasted, dialect, out)?;
    for field in parsed.fields.iter_mut().filter(|f| pasted.lifted.contains(f)) {
        field.remove(0);
    }
    Some(parsed)
}

/// Parses an expression without fields and gives its value as 64 bits.
pub(crate) fn constant(text: &Text, out: &mut Diagnostics) -> Option<u64> {
    parse::parse(&paste::plain(text), false, out)?.constant
}
