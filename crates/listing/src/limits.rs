//! Every bound of this crate.

/// Problems that the reader reports for one file before it stops looking.
pub const MAX_READ_ERRORS: usize = 100;

/// Bytes of all register files together that a dataflow problem may track.
pub const MAX_UNIVERSE_BYTES: u32 = 1 << 20;

/// Def-use edges (one per class of bytes) before dataflow gives up. Real kernels have about ten per instruction.
pub const MAX_EDGES: usize = 1 << 24;

/// Steps of the search for uses in other blocks, and through remembered kills, before dataflow gives up.
pub const MAX_STEPS: usize = 1 << 29;

/// Functions that share a block, on average over all blocks, before dataflow gives up. Compilers let none share.
pub const MAX_FRAMES_PER_BLOCK: usize = 32;

/// Points that are named for one register file.
pub const MAX_HOT_POINTS: usize = 10;

/// How deep loops are told apart.
pub const MAX_LOOP_DEPTH: u32 = 32;

/// Functions, and loops, that a text of register pressure shows.
pub const MAX_HOT_ROWS: usize = 30;
