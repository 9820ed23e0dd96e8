//! Why a module cannot be read, for programs that act on it.

/// Why a module cannot be read. The message and the place of the [`Failure`](super::Failure) say the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The header is not that of a module of a known version, in either byte order.
    NotAModule,
    /// The grammar has no instruction with this opcode.
    UnknownOpcode,
    /// The kind of operand has no value, or no bit, of this number.
    UnknownEnumerant,
    /// No extended instruction set is imported under this id, or the grammar has none of this name.
    UnknownExtendedSet,
    /// The extended set has no instruction of this number.
    UnknownExtendedInstruction,
    /// The opcode cannot stand inside `OpSpecConstantOp`.
    NotInSpecConstantOp,
    /// The operands need fewer or more words than the instruction says it has, or the module ends within it.
    WordCount,
    /// An id is 0, or is not of the kind that is due.
    InvalidId,
    /// An id is defined more than once.
    Redefined,
    /// A number whose type is not a scalar type that is defined before it.
    UntypedNumber,
    /// More than 65,535 words in an instruction, or more than [`limits`](crate::limits) allows in a module.
    TooLong,
    /// Parameters of parameters, deeper than [`limits`](crate::limits) allows.
    TooDeep,
    /// The grammar has an operand that this crate cannot read.
    Unsupported,
}
