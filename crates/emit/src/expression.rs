//! Expressions of generated Rust, with parentheses only where the language asks for them.

use std::fmt;

/// How tightly the outermost operator of an expression binds, the loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binds {
    /// `if` or a block: never an operand as it stands.
    Block,
    Compare,
    Or,
    Xor,
    And,
    Shift,
    Sum,
    Cast,
    Unary,
    Call,
}

impl Binds {
    fn tighter(self) -> Binds {
        use Binds::{And, Block, Call, Cast, Compare, Or, Shift, Sum, Unary, Xor};
        match self {
            Block => Compare,
            Compare => Or,
            Or => Xor,
            Xor => And,
            And => Shift,
            Shift => Sum,
            Sum => Cast,
            Cast => Unary,
            Unary | Call => Call,
        }
    }
}

/// An expression of an integer type.
#[derive(Clone, Debug)]
pub struct Expr {
    text: String,
    binds: Binds,
    bits: u32,
    signed: bool,
    /// What it is, if it is a literal.
    literal: Option<u128>,
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Expr {
    /// A name, a call or the like, of the unsigned type with so many bits.
    pub fn new(text: impl Into<String>, bits: u32) -> Expr {
        Expr::of(text.into(), Binds::Call, bits)
    }

    pub(crate) fn of(text: String, binds: Binds, bits: u32) -> Expr {
        Expr { text, binds, bits, signed: false, literal: None }
    }

    pub(crate) fn literal(value: u128, bits: u32) -> Expr {
        let text = digits(value, bits, &format!("_u{bits}"));
        let binds = if text.starts_with('!') { Binds::Unary } else { Binds::Call };
        Expr { literal: Some(value), ..Expr::of(text, binds, bits) }
    }

    /// The bits of its type.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    pub(crate) fn is_literal(&self) -> bool {
        self.literal.is_some()
    }

    /// As an unsigned number of so many bits.
    pub fn cast(self, bits: u32) -> Expr {
        match self.literal {
            _ if !self.signed && self.bits == bits => self,
            Some(value) if !self.signed => Expr::literal(value & ones(bits), bits),
            _ => self.cast_to(false, bits),
        }
    }

    pub(crate) fn signed(self, bits: u32) -> Expr {
        if self.signed && self.bits == bits { self } else { self.cast_to(true, bits) }
    }

    fn cast_to(self, signed: bool, bits: u32) -> Expr {
        let letter = if signed { 'i' } else { 'u' };
        Expr { signed, ..Expr::of(format!("{} as {letter}{bits}", self.operand(Binds::Cast)), Binds::Cast, bits) }
    }

    /// The text, for a place that asks for an operator that binds so tightly.
    pub(crate) fn operand(&self, least: Binds) -> String {
        if self.binds < least { format!("({})", self.text) } else { self.text.clone() }
    }

    /// The text where the other side says the type.
    pub(crate) fn untyped(&self) -> String {
        self.literal.map_or_else(|| self.text.clone(), |value| digits(value, self.bits, ""))
    }

    /// `self op other`, with a type that is the left side's.
    pub(crate) fn binary(&self, op: &str, binds: Binds, other: &Expr) -> Expr {
        let shift = binds == Binds::Shift;
        // A literal takes its type from the other side; only the one that is shifted has to say it.
        let side = |e: &Expr, least, bare| match e.literal {
            Some(_) if bare => e.untyped(),
            _ => e.operand(least),
        };
        let least = if binds == Binds::Compare { binds.tighter() } else { binds };
        let mut left = side(self, least, !shift && !other.is_literal());
        // `x as u64 < y` would begin a list of type parameters.
        if self.binds == Binds::Cast && op.starts_with('<') {
            left = format!("({left})");
        }
        let right = side(other, binds.tighter(), shift || !self.is_literal());
        Expr { signed: self.signed, ..Expr::of(format!("{left} {op} {right}"), binds, self.bits) }
    }

    pub(crate) fn shift(&self, op: &str, by: u32) -> Expr {
        match self.literal {
            _ if by == 0 => self.clone(),
            Some(value) if op == "<<" && !self.signed => Expr::literal(value << by & ones(self.bits), self.bits),
            _ => self.binary(op, Binds::Shift, &Expr::new(by.to_string(), 32)),
        }
    }

    /// Only the bits below `width`.
    pub(crate) fn masked(self, width: u32) -> Expr {
        match width {
            _ if width >= self.bits => self,
            8 | 16 | 32 | 64 => self.cast(width),
            _ => self.binary("&", Binds::And, &Expr::literal(ones(width), self.bits)),
        }
    }

    pub(crate) fn not(&self) -> Expr {
        Expr::of(format!("!{}", self.operand(Binds::Unary)), Binds::Unary, self.bits)
    }

    /// `self.name(args)`, of the same type.
    pub(crate) fn method(&self, name: &str, args: &str) -> Expr {
        Expr::of(format!("{}.{name}({args})", self.operand(Binds::Call)), Binds::Call, self.bits)
    }

    /// The same text with another type.
    pub(crate) fn typed(self, bits: u32) -> Expr {
        Expr { bits, ..self }
    }
}

/// All bits below `width`.
pub(crate) fn ones(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// A number as a reader finds it easiest; masks of nearly all bits by what they leave out.
fn digits(value: u128, bits: u32, suffix: &str) -> String {
    match ones(bits) ^ value {
        _ if value < 10 => format!("{value}{suffix}"),
        0 => format!("u{bits}::MAX"),
        out @ 1..10 => format!("!{out}{suffix}"),
        _ => format!("{value:#x}{suffix}"),
    }
}
