//! Every bound of this crate, by name.

/// Longest instruction in words: its count has 16 bits.
pub const INSTRUCTION_WORDS: usize = 0xffff;

/// Longest text in bytes that the assembler takes: positions have 32 bits.
pub const TEXT_BYTES: usize = 1 << 31;

/// Longest module in words that the disassembler takes: byte offsets have 32 bits.
pub const MODULE_WORDS: usize = 1 << 30;

/// How deep the parameters of enumerants may nest; the published grammar needs two.
pub const PARAMETER_DEPTH: usize = 8;

/// Longest name in bytes that an id gets from its debug name or its type; longer ones become the number.
pub const FRIENDLY_BYTES: usize = 256;

/// The comment column that one long line may impose on the next ones.
pub const COMMENT_COLUMN: usize = 256;

/// Rounds in which the exact disassembly replaces what does not re-assemble, before everything becomes raw words.
pub const EXACT_ROUNDS: usize = 4;

/// Bytes of text kept before they are handed on.
pub const CHUNK_BYTES: usize = 1 << 18;
