//! Every bound of the model, by name. A description beyond one of them is refused with a diagnostic.

/// The widest instruction, in bits.
pub const MAX_WORD_BITS: u32 = 4096;

/// The most bits of an instruction that say how long it is, where they are more than a parcel.
pub const MAX_START_BITS: u32 = 64;

/// The widest value that an expression computes with, in bits. Wider fields enter an expression as their low bits.
pub const MAX_EXPR_BITS: u32 = 64;

/// The most bits of one [`Implied`](crate::Piece::Implied) piece of a field.
pub const MAX_IMPLIED_BITS: u32 = 64;

/// The most nodes of one expression.
pub const MAX_EXPR_NODES: usize = 10_000;

/// The most encodings of one description.
pub const MAX_ENCODINGS: usize = 1 << 20;

/// The deepest chain of sub-encodings, which also ends a description whose spaces refer to each other in a circle.
pub const MAX_NESTING: usize = 16;

/// The most registers of one register file.
pub const MAX_REGISTERS: u32 = 1 << 16;

/// The most contexts that instructions can be in.
pub const MAX_CONTEXTS: usize = 255;

/// The most instructions after one for which it says the context.
pub const MAX_OPENED: usize = 8;

/// The deepest nesting of a condition on features in a compiled description.
pub const MAX_CONDITION_DEPTH: usize = 64;

/// The most fields, operands, refused patterns, conditions and parts of templates of a compiled description, each counted as often as it is used: what its
/// checks walk over. AMDGPU has a million.
pub const MAX_SHARED_PARTS: usize = 1 << 24;
