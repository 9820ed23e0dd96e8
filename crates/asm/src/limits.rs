//! Every bound of this crate, by name.

/// The widest padding that a template's `:align=` can ask for, in columns.
pub const MAX_ALIGN: u32 = 1 << 12;

/// The longest text that one line may grow to, in bytes, before nested fields are no longer printed.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// The most bits that steps gathered to a segment may depend on together.
pub const SEGMENT_BITS: u32 = 23;

/// The most bits that one step, an operand say, may depend on for its text to be kept for the next time.
pub const OPERAND_BITS: u32 = 32;

/// The most blocks of steps that are compiled for one plan; instructions beyond are printed by the exact engine.
pub const MAX_BLOCKS: usize = 1 << 20;

/// The deepest nesting of blocks; deeper ones are left to the exact engine.
pub const MAX_BLOCK_DEPTH: usize = 200;

/// The most bits of the parts that the text of a larger segment is put together from: few enough to recur soon.
pub const PART_BITS: u32 = 10;

/// Texts of segments that are kept: 2 to the power of this, at first.
pub const TABLE_FIRST_BITS: u32 = 12;

/// Texts of segments that are kept: 2 to the power of this, at most.
pub const TABLE_BITS: u32 = 16;

/// The most bits of a guard that is kept as a table.
pub const TEST_BITS: u32 = 9;

/// The most runs of neighbouring bits of such a guard.
pub const TEST_RUNS: usize = 4;

/// The most near encodings that the explanation of an invalid word lists.
pub const MAX_NEAREST: usize = 5;

/// The most steps of an instruction that is printed step by step where texts are not worth keeping.
pub const MAX_DIRECT: usize = 12;

/// How deep the conditions of a guard, or the parts of an operand, are looked through for one that is bits and nothing
/// else.
pub const MAX_GUARD_DEPTH: usize = 16;

/// The most parts that such an operand is put together from.
pub const MAX_PARTS: usize = 12;

/// The most texts by value that are laid out for an operand; larger values are looked up.
pub const MAX_NAMES: usize = 1 << 12;

/// The longest text that is laid out together with the names of the operand after it, in bytes.
pub const MAX_SEPARATOR: u32 = 4;
