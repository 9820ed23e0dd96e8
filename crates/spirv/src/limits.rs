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

/// Words of a module per id, at least, for its ids to have places without being looked for.
pub const WORDS_PER_ID: usize = 4;

/// Ids that have places without being looked for in a module of any size.
pub const DENSE_IDS: usize = 4096;

/// Bytes that names made of other names may take, whatever the module.
pub const MADE_BYTES: usize = 1 << 16;

/// Bytes that names made of other names may take per word of the module; then they are put together when printed.
pub const MADE_BYTES_PER_WORD: usize = 2;

/// Words of the longest instruction whose line is held back until the instruction is known to be good; longer ones are
/// checked first and then handed on in pieces.
pub const HELD_WORDS: usize = 1024;

/// Bytes of a token that a message shows; longer ones are cut.
pub const SHOWN_BYTES: usize = 1 << 16;

/// `!` words of a text that are looked at for what may not be meant; as many warnings of each kind are given.
pub const DOUBTED_WORDS: usize = 1024;

/// Constants of one instruction whose meaning a comment says.
pub const NAMED_CONSTANTS: usize = 16;

/// The comment column that one long line may impose on the next ones.
pub const COMMENT_COLUMN: usize = 256;

/// Bytes of text kept before they are handed on.
pub const CHUNK_BYTES: usize = 1 << 18;
