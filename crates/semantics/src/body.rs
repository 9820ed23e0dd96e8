//! The typed form: an arena of pure values, and statements that are the only effects.

use isaglot_bits::Word;
use isaglot_source::Span;

use crate::env::{ExternId, FileIndex, OperandIndex, Table};

/// A value, by its place in [`Body::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// A name bound by `let`, by number in the order of binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u32);

/// A table that the text reads, by its place in [`Body::tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableIndex(pub u32);

/// Which register of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterIndex {
    /// The one that an operand names.
    Operand(OperandIndex),
    /// The one with this number.
    Value(ValueId),
}

/// Operators with one operand; the result has the operand's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Two's complement negation.
    Negate,
    /// Bitwise complement.
    Not,
    /// Number of zero bits above the highest one; the width for 0.
    CountLeadingZeros,
    /// Number of zero bits below the lowest one; the width for 0.
    CountTrailingZeros,
    /// Number of ones.
    CountOnes,
    /// The bytes in reverse order; the width is whole bytes.
    ReverseBytes,
    /// Each byte all ones if it has a one, else 0; the width is whole bytes.
    OrBytes,
}

/// Operators with two operands of one width. Comparisons give 1 bit, the others that width. All are total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Wrapping.
    Add,
    /// Wrapping.
    Sub,
    /// Wrapping.
    Mul,
    /// The product of two polynomials over bits, of which the low bits are kept: a multiplication whose sums carry nothing.
    MulCarryless,
    /// Unsigned; all ones if the divisor is 0.
    DivU,
    /// Signed, truncating; −1 if the divisor is 0, the dividend on overflow.
    DivS,
    /// Unsigned; the dividend if the divisor is 0.
    RemU,
    /// Signed, with the dividend's sign; the dividend if the divisor is 0, 0 on overflow.
    RemS,
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// 0 if the amount (unsigned) is the width or more.
    Shl,
    /// 0 if the amount is the width or more.
    ShrU,
    /// All sign bits if the amount is the width or more.
    ShrS,
    /// By the amount modulo the width.
    RotateLeft,
    /// By the amount modulo the width.
    RotateRight,
    /// 1 bit.
    Eq,
    /// 1 bit.
    Ne,
    /// Unsigned, 1 bit.
    LtU,
    /// Signed, 1 bit.
    LtS,
    /// Unsigned, 1 bit.
    LeU,
    /// Signed, 1 bit.
    LeS,
}

impl BinaryOp {
    /// Whether the result is one bit rather than of the operands' width.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, LeS, LeU, LtS, LtU, Ne};
        matches!(self, Eq | Ne | LtU | LtS | LeU | LeS)
    }
}

/// A pure computation. Registers are read as they are when the statement that uses the value runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A constant.
    Const(Word),
    /// What `let`, a load or a call bound.
    Local(Local),
    /// The bits of an immediate operand.
    Immediate(OperandIndex),
    /// The number of the register that an operand names.
    RegisterNumber(OperandIndex),
    /// A register.
    Register(FileIndex, RegisterIndex),
    /// The address of this instruction.
    Pc,
    /// The address after this instruction.
    NextPc,
    /// An operator.
    Unary(UnaryOp, ValueId),
    /// An operator.
    Binary(BinaryOp, ValueId, ValueId),
    /// The second if the first, of 1 bit, is 1; else the third.
    Select(ValueId, ValueId, ValueId),
    /// Extended to the width of this value with zeros.
    ZeroExtend(ValueId),
    /// Extended to the width of this value with the sign.
    SignExtend(ValueId),
    /// The bits from this one on, as many as the width of this value.
    Slice(ValueId, u32),
    /// The first above the second.
    Concat(ValueId, ValueId),
    /// The row with this number. There is a row for each.
    Lookup(TableIndex, ValueId),
}

/// An effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Binds a value, computed now.
    Let(Local, ValueId),
    /// Binds what memory holds at an address: as many bits as the local has, whole bytes. May trap.
    Load(Local, ValueId),
    /// Writes a value of whole bytes to memory at an address. May trap.
    Store {
        /// Where.
        address: ValueId,
        /// What.
        value: ValueId,
    },
    /// Calls something outside the language; binds its result if it has one. May trap.
    Call {
        /// What.
        callee: ExternId,
        /// With what.
        args: Vec<ValueId>,
        /// The result.
        result: Option<Local>,
    },
    /// Writes a register.
    SetRegister(FileIndex, RegisterIndex, ValueId),
    /// Says where execution goes on, instead of at the next instruction.
    SetPc(ValueId),
    /// One of two lists, by a value of 1 bit.
    If(ValueId, Vec<Statement>, Vec<Statement>),
    /// Ends the instruction with a trap of this name.
    Trap(String, Vec<ValueId>),
}

impl Statement {
    /// A value that stands in the statement itself, and so says where it is written. Loads and calls have that of an operand; a call or a
    /// trap without any has none.
    pub fn place(&self) -> Option<ValueId> {
        match self {
            Statement::Let(_, value)
            | Statement::Load(_, value)
            | Statement::Store { value, .. }
            | Statement::SetRegister(_, _, value)
            | Statement::SetPc(value)
            | Statement::If(value, _, _) => Some(*value),
            Statement::Call { args, .. } | Statement::Trap(_, args) => args.first().copied(),
        }
    }
}

/// A type-checked text. The default does nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// All values, operands before uses.
    pub values: Vec<Value>,
    /// The width of each value in bits.
    pub widths: Vec<u32>,
    /// Where each value was written.
    pub spans: Vec<Span>,
    /// The width of each local in bits.
    pub locals: Vec<u32>,
    /// The name of each local as written; made-up ones begin with `.`.
    pub local_names: Vec<String>,
    /// The tables that it reads, each once.
    pub tables: Vec<Table>,
    /// What happens, in order.
    pub statements: Vec<Statement>,
}

impl Body {
    /// The width of a value in bits.
    pub fn width(&self, id: ValueId) -> u32 {
        self.widths[id.0 as usize]
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0 as usize]
    }
}
