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

/// Words that are not identifiers.
pub(crate) fn keyword(word: &[u8]) -> Option<Tok> {
    Some(match word {
        b"assert" => Tok::Assert,
        b"bit" => Tok::Bit,
        b"bits" => Tok::Bits,
        b"class" => Tok::Class,
        b"code" => Tok::CodeType,
        b"dag" => Tok::Dag,
        b"def" => Tok::Def,
        b"defm" => Tok::Defm,
        b"defset" => Tok::Defset,
        b"deftype" => Tok::Deftype,
        b"defvar" => Tok::Defvar,
        b"dump" => Tok::Dump,
        b"else" => Tok::Else,
        b"false" => Tok::False,
        b"field" => Tok::Field,
        b"foreach" => Tok::Foreach,
        b"if" => Tok::If,
        b"in" => Tok::In,
        b"include" => Tok::Include,
        b"int" => Tok::IntType,
        b"let" => Tok::Let,
        b"list" => Tok::List,
        b"multiclass" => Tok::MultiClass,
        b"string" => Tok::StringType,
        b"then" => Tok::Then,
        b"true" => Tok::True,
        _ => return None,
    })
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
