//! Every bound of this crate, by name.

/// The most bits that pick a text from a table of finished ones, for a step alone.
pub const PICK_BITS: u32 = 10;

/// The most bits for several steps together.
pub const MERGE_BITS: u32 = 8;

/// The most bits for steps together with a mnemonic.
pub const MERGE_TEXT_BITS: u32 = 4;

/// What a step costs that picks a text from a table, in entries of tables.
pub const PICK_COST: u64 = 1 << 16;

/// What a step costs that copies a fixed text.
pub const TEXT_COST: u64 = 1 << 14;

/// The most bits that decide in a table where a program continues.
pub const JUMP_BITS: u32 = 10;

/// The most texts of which an instruction's must contain one, for the assembler.
pub const MAX_NEEDS: usize = 8;

/// The longest text of a table, in bytes.
pub const MAX_TEXT: usize = 255;

/// The most bytes of texts, so that their places fit an entry.
pub const MAX_POOL: usize = 1 << 24;

/// The widest instruction that code is generated for, in bits.
pub const MAX_WIDTH: u32 = 1 << 12;

/// The most fields and nodes of one expression that generated code can evaluate.
pub const MAX_NODES: usize = 1 << 12;
