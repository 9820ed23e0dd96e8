//! Tokens.

use crate::names::Sym;
use crate::ops::{BinOp, TernOp, UnOp};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tok {
    Eof,
    /// An error was reported.
    Error,
    Minus,
    Plus,
    LSquare,
    RSquare,
    LBrace,
    RBrace,
    LParen,
    RParen,
    Less,
    Greater,
    Colon,
    Semi,
    Comma,
    Dot,
    DotDotDot,
    Equal,
    Question,
    Paste,
    Id,
    Str,
    Code,
    VarName,
    Int,
    BinaryInt,
    Bang(Bang),
    Assert,
    Bit,
    Bits,
    Class,
    CodeType,
    Dag,
    Def,
    Defm,
    Defset,
    Deftype,
    Defvar,
    Dump,
    Else,
    False,
    Field,
    Foreach,
    If,
    In,
    Include,
    IntType,
    Let,
    List,
    MultiClass,
    StringType,
    Then,
    True,
}

/// An operator that is written with `!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bang {
    Unary(UnOp),
    Binary(BinOp),
    Ternary(TernOp),
    Cond,
    Exists,
    Foldl,
    IsA,
    Switch,
}

/// The operators that are not an operation on values, and older spellings.
const OTHERS: [(&str, Bang); 7] = [
    ("!cond", Bang::Cond),
    ("!exists", Bang::Exists),
    ("!foldl", Bang::Foldl),
    ("!getop", Bang::Unary(UnOp::GetDagOp)),
    ("!isa", Bang::IsA),
    ("!setop", Bang::Binary(BinOp::SetDagOp)),
    ("!switch", Bang::Switch),
];

/// The operators that are newer than LLVM 19.
const NEWER: [Bang; 8] = [
    Bang::Unary(UnOp::GetDagOpName),
    Bang::Unary(UnOp::Initialized),
    Bang::Unary(UnOp::Instances),
    Bang::Unary(UnOp::ListFlatten),
    Bang::Binary(BinOp::Match),
    Bang::Binary(BinOp::SetDagOpName),
    Bang::Ternary(TernOp::Sort),
    Bang::Switch,
];

impl Bang {
    /// All of them by name, which is without the `!`.
    pub(crate) fn all() -> impl Iterator<Item = (&'static str, Bang)> {
        let unary = UnOp::ALL.iter().map(|&(op, name)| (name, Bang::Unary(op)));
        let binary = BinOp::ALL.iter().map(|&(op, name)| (name, Bang::Binary(op)));
        let ternary = TernOp::ALL.iter().map(|&(op, name)| (name, Bang::Ternary(op)));
        let all = unary.chain(binary).chain(ternary).chain(OTHERS);
        all.filter_map(|(name, bang)| Some((name.strip_prefix('!')?, bang)))
    }

    /// Whether this is a spelling that the newest language has no more.
    pub(crate) fn is_gone(word: &[u8]) -> bool {
        matches!(word, b"getop" | b"setop")
    }

    pub(crate) fn is_newer(self) -> bool {
        NEWER.contains(&self)
    }
}

/// Words that are not identifiers. [`crate::names::Names`] has them at its beginning, in this order.
pub(crate) const KEYWORDS: [(&str, Tok); 26] = [
    ("assert", Tok::Assert),
    ("bit", Tok::Bit),
    ("bits", Tok::Bits),
    ("class", Tok::Class),
    ("code", Tok::CodeType),
    ("dag", Tok::Dag),
    ("def", Tok::Def),
    ("defm", Tok::Defm),
    ("defset", Tok::Defset),
    ("deftype", Tok::Deftype),
    ("defvar", Tok::Defvar),
    ("dump", Tok::Dump),
    ("else", Tok::Else),
    ("false", Tok::False),
    ("field", Tok::Field),
    ("foreach", Tok::Foreach),
    ("if", Tok::If),
    ("in", Tok::In),
    ("include", Tok::Include),
    ("int", Tok::IntType),
    ("let", Tok::Let),
    ("list", Tok::List),
    ("multiclass", Tok::MultiClass),
    ("string", Tok::StringType),
    ("then", Tok::Then),
    ("true", Tok::True),
];

/// The word that a name is, if it is not an identifier.
#[inline]
pub(crate) fn keyword(name: Sym) -> Option<Tok> {
    KEYWORDS.get(name.index().wrapping_sub(Sym::FIRST_KEYWORD.index())).map(|known| known.1)
}

/// What else a token says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenValue {
    /// Text of an identifier, string, code block or variable name.
    pub(crate) text: Sym,
    /// Number.
    pub(crate) int: i64,
    /// Digits of a binary number.
    pub(crate) digits: u32,
}
