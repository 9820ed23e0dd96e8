//! Every bound on what an operand table and the records of a target may cost. LLVM's own targets stay far below them.

/// The deepest nesting of a formula of an operand table.
pub const MAX_FORMULA_DEPTH: u32 = 64;

/// The most parts of a formula of an operand table, those of the definitions that it uses included.
pub const MAX_FORMULA_PARTS: usize = 1 << 14;

/// The most parts of a definition, times those of its longest argument.
pub const MAX_FORMULA_GROWTH: usize = 1 << 20;

/// The most texts of an operand table that formulas make.
pub const MAX_COMPUTED: usize = 1 << 17;

/// Bytes of an operand table.
pub const MAX_TABLE_BYTES: usize = 1 << 20;

/// The widest operand whose values are listed one by one to find which are rejected.
pub const MAX_LISTED_BITS: u32 = 16;

/// Registers, tuples included.
pub const MAX_REGISTERS: usize = 1 << 16;

/// Members of a register class or a list of one, while sets are put together.
pub const MAX_SET_MEMBERS: usize = 1 << 16;

/// The widest encoding that is lowered, in bits.
pub const MAX_INST_BITS: u32 = 1024;

/// Texts of one instruction: its own, aliases, forms for input.
pub const MAX_CASES: usize = 4_000;

/// Sets of registers within sets, conditions within conditions, parts of an encoding within parts.
pub const MAX_SET_DEPTH: u32 = 1_000;
