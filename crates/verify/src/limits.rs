//! Every bound of this crate, by name. What a bound stops is listed as undecided, never guessed.

/// Decision-diagram nodes that the questions about one encoding may cost.
pub const BDD_NODES: usize = 3_000_000;

/// The widest word, in bits, that is looked at symbolically; the depth of recursion is a small multiple of it.
pub const SYMBOLIC_BITS: u32 = 1024;

/// The most scopes (uses of sub-encodings) below one encoding.
pub const MAX_SCOPES: usize = 20_000;

/// The most features that are told apart when encodings are counted: the number of classes doubles with each.
pub const MAX_CLASS_FEATURES: usize = 6;

/// Classes of gens in which the words of one space are counted.
pub const MAX_GEN_CLASSES: usize = 256;

/// Free holes that are shown per space and class.
pub const SHOWN_HOLES: usize = 5;

/// Missing values of an enum that are named.
pub const SHOWN_GAPS: usize = 16;

/// Encodings that one message names; the rest is counted.
pub const SHOWN_NAMES: usize = 8;

/// Intervals of gens into which one set of words may fall apart.
pub const MAX_GEN_PARTS: usize = 256;

/// Patterns that a difference lists per change; the rest is counted.
pub const SHOWN_PATTERNS: usize = 16;

/// Decision-diagram paths that are looked at to find the largest patterns of a set.
pub const CUBE_PATHS: usize = 4096;

/// Pairs of automaton states that one question about shared text may cost.
pub const PARSE_PAIRS: usize = 400_000;

/// States of the automaton for the text of one encoding.
pub const PARSE_STATES: usize = 200_000;

/// The most bits by which free words are counted: there is a row for each value.
pub const MAX_OPCODE_BITS: u32 = 10;

/// So many others have to agree before one that differs from all of them is told.
pub const MAJORITY: usize = 4;

/// The most declarations of the sources of one side.
pub const MAX_DECLARATIONS: usize = 1 << 20;

/// Lines of a declaration that are shown, of the old and of the new one.
pub const SHOWN_LINES: usize = 6;

/// Fields of a sample that are shown with both values.
pub const SHOWN_FIELDS: usize = 8;
