//! Every bound of this crate, by name.
//!
//! The bounds are far above any description that people write (the largest known one has 60 KB a file, 353 bitsets and
//! six levels) and low enough that a hostile file costs a moment, not the machine.

/// The most bytes of one file. A loader should stop reading after one byte more.
pub const MAX_FILE_BYTES: usize = 8 << 20;

/// The most elements, comments and processing instructions of one file.
pub const MAX_NODES: usize = 400_000;

/// The most `=` characters of one file; attributes are at most that many.
pub const MAX_EQUALS: usize = 1_000_000;

/// How deep elements may nest.
pub const MAX_ELEMENT_DEPTH: usize = 32;

/// The most attributes of one element.
pub const MAX_ATTRIBUTES: usize = 128;

/// The most bytes of one attribute value.
pub const MAX_ATTRIBUTE_BYTES: usize = 64 << 10;

/// The most namespace declarations of one file; descriptions need none.
pub const MAX_NAMESPACES: usize = 32;

/// The most files of one description; a file imported twice counts twice.
pub const MAX_IMPORTS: usize = 64;

/// The most bytes of all files of one description together, those imported twice counted once.
pub const MAX_TOTAL_BYTES: usize = 16 << 20;

/// How deep imports may nest.
pub const MAX_IMPORT_DEPTH: usize = 32;

/// The most bitsets of one description, those of files imported twice counted twice.
pub const MAX_BITSETS: usize = 20_000;

/// The most steps from a bitset to the root that it extends.
pub const MAX_EXTENDS_DEPTH: usize = 64;

/// The widest instruction word or nested bitset, in bits.
pub const MAX_WORD_BITS: u32 = 4096;

/// The most bytes of one expression, after its field references are written as names.
pub const MAX_EXPR_BYTES: usize = 16 << 10;

/// How deep an expression may nest, in parentheses, operators and operands.
pub const MAX_EXPR_DEPTH: usize = 128;

/// The most bytes of one display text after template expansion.
pub const MAX_DISPLAY_BYTES: usize = 16 << 10;

/// The most references of one display text.
pub const MAX_REFERENCES: usize = 1024;

/// The largest column that `:align=` may ask for.
pub const MAX_ALIGN: u32 = 4096;

/// The most pieces that the part of a leaf's first parcel that no length rule has decided may fall into; beyond that,
/// the rest is not checked.
pub const MAX_LENGTH_PIECES: usize = 4096;

/// The widest row of a `<table>`, in bits.
pub const MAX_ROW_BITS: i64 = 128;

/// The most encodings that one leaf becomes by its exceptions: four fields of five bits that are not 0 are 625.
pub const MAX_VARIANTS: usize = 1024;

/// The most bits of a major opcode: it has a row for each value in what is printed.
pub const MAX_OPCODE_BITS: u32 = 10;

/// So many siblings have to agree before one that differs from all of them is told.
pub const SIBLINGS: usize = 4;
