//! The syntax tree: what was written, with a span on everything, before names and widths mean anything.

use isaglot_source::Span;

/// A parsed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    pub(crate) statements: Vec<Stmt>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ident {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stmt {
    /// `let NAME [: WIDTH] = EXPR;`
    Let { name: Ident, width: Option<Expr>, value: Expr },
    /// `PLACE = EXPR;`
    Assign { place: Expr, value: Expr },
    /// `if (COND) { … } else { … }`
    If { condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// `trap(CAUSE, …);`
    Trap { cause: Ident, args: Vec<Expr> },
    /// `NAME(…);`
    Call { name: Ident, args: Vec<Expr> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExprKind {
    /// A number; its width comes from its surroundings.
    Number(u128),
    Name(String),
    /// `#NAME`: the number of the register that an operand names.
    NumberOf(String),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(Ident, Vec<Expr>),
    /// `X[i]`: a bit of a value, or a register of a file, or memory.
    Index(Box<Expr>, Box<Expr>),
    /// `X[high:low]`
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `{a, b}`, most significant first.
    Concat(Vec<Expr>),
}
