//! Bounds of what a page holds.

/// Bits that the opcode map spreads out, at most: its cells are two to the power of it.
pub const MAP_BITS: u32 = 8;

/// Instructions that a cell of the opcode map names; more are counted.
pub const CELL_NAMES: usize = 2;

/// Gens that the opcode map is drawn for; of more, the last ones.
pub const MAP_GENS: usize = 8;

/// Bytes of text that the search index keeps of one page.
pub const INDEX_BYTES: usize = 400;
