//! The syntax tree of IDL: what was written, with a place on everything that a message may be about.

use isaglot_source::Span;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// How wide an integer literal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralWidth {
    /// It says so: `8'hff`.
    Bits(u32),
    /// As a register of the machine: `'13`, `MXLEN'1`.
    Mxlen,
    /// As wide as the value needs: `13`.
    Needed,
}

/// An integer literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Its width.
    pub width: LiteralWidth,
    /// It has the suffix or the radix letter of signed numbers.
    pub signed: bool,
    /// Its value; undefined bits are 0.
    pub value: u128,
    /// Some of its digits are `x`.
    pub undefined: bool,
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Op {
    Mul,
    Div,
    Rem,
    WideMul,
    Add,
    Sub,
    WideAdd,
    WideSub,
    Shl,
    Shr,
    ShrArithmetic,
    WideShl,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    AndAlso,
    OrElse,
}

/// An operator before a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Prefix {
    Negate,
    Complement,
    Not,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// An integer.
    Number(Literal),
    /// A text.
    Text(String),
    /// `true`, `false`.
    Truth(bool),
    /// A variable, a constant, a field of the instruction, a parameter.
    Name(String),
    /// `$pc`, the address of the instruction.
    Pc,
    /// `$encoding`, the word of the instruction.
    Encoding,
    /// `E::Member`
    Member(Ident, Ident),
    /// `-a`
    Unary(Prefix, Box<Expr>),
    /// `a + b`
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `a[h:l]`
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a.field`
    Field(Box<Expr>, Ident),
    /// `a.f(…)`: a function of a register of the machine.
    Method(Box<Expr>, Ident, Vec<Expr>),
    /// `CSR[name]`
    Csr(Ident),
    /// `f<n>(…)`
    Call(Ident, Vec<Expr>, Vec<Expr>),
    /// `$signed(…)`, with the name without its `$`.
    Builtin(Ident, Vec<Expr>),
    /// `{a, b}`
    Concat(Vec<Expr>),
    /// `{n{a}}`
    Repeat(Box<Expr>, Box<Expr>),
    /// `-` where a function returns several values: nothing that anybody may use.
    Anything,
    /// `[a, b]`, the elements of an array.
    Array(Vec<Expr>),
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where it is.
    pub span: Span,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// `Bits<N>`
    Bits(Box<Expr>),
    /// `XReg`
    XReg,
    /// `U32`, `U64`
    Unsigned(u32),
    /// `Boolean`
    Boolean,
    /// `String`
    Text,
    /// An enum, a bitfield or a struct.
    Named(String),
}

/// A name that is declared, with the length of the array that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name.
    pub name: Ident,
    /// The length.
    pub length: Option<Expr>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `TYPE a, b;`, `TYPE a = e;`
    Declare(Type, Vec<Declared>, Option<Expr>),
    /// `place = e;`
    Assign(Expr, Expr),
    /// `(a, -, b) = f(…);`
    Unpack(Vec<Option<Expr>>, Expr),
    /// `f(…);`
    Call(Expr),
    /// `i++;`, `i--;`
    Step(Expr, bool),
    /// `if (c) { … } else if (d) { … } else { … }`
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    /// `for (…; c; …) { … }`
    For(Box<Stmt>, Expr, Box<Stmt>, Vec<Stmt>),
    /// `return e, f;`
    Return(Vec<Expr>),
    /// A simple statement before `if e;`.
    Guarded(Box<Stmt>, Expr),
}

/// What can stand in a file of declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// `include "file"`
    Include(Ident),
    /// A constant or a variable.
    Global(Type, Declared, Option<Expr>),
    /// `enum E { … }`; a generated one has no members here.
    Enum {
        /// Its name.
        name: Ident,
        /// Its members, with what is written after them.
        members: Vec<(Ident, Option<Literal>)>,
        /// The members are given elsewhere.
        generated: bool,
    },
    /// `bitfield (N) B { F h-l … }`
    Bitfield {
        /// Its name.
        name: Ident,
        /// Its width.
        width: Expr,
        /// Its fields: name, high bit, low bit.
        fields: Vec<(Ident, u32, u32)>,
    },
    /// `struct S { … }`
    Struct {
        /// Its name.
        name: Ident,
        /// Its fields.
        fields: Vec<(Type, Declared)>,
    },
    /// A function.
    Function(Function),
    /// `fetch { … }`
    Fetch(Vec<Stmt>),
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, with the `?` if it has one.
    pub name: Ident,
    /// What stands between `<` and `>` in a call.
    pub templates: Vec<(Type, Ident)>,
    /// What it gives.
    pub returns: Vec<Type>,
    /// What stands in the parentheses of a call.
    pub arguments: Vec<(Type, Ident)>,
    /// What it does; a builtin or generated one says nothing.
    pub body: Option<Vec<Stmt>>,
}
