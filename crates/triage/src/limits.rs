//! Every bound of the triage, by name.

/// Different unknown words of a space that are kept in one pass. If there are more, those of the least hashes are kept, so that
/// the choice does not depend on the order of the programs, and further passes look at what the patterns found do not have.
pub const MAX_SAMPLE: usize = 1 << 15;

/// Passes over the programs: one that collects, and those that count and collect what is left.
pub const MAX_PASSES: usize = 5;

/// Patterns of unknown words, and of findings about words that match.
pub const MAX_CLUSTERS: usize = 4096;

/// Files that are told apart for one pattern. Of more, those that come first are kept, and the count says "or more".
pub const MAX_FILES: usize = 1024;

/// Unknown values of a group of opcode bits that are patterns of their own. With more, the bits are taken for an operand if at least
/// half of the values that they can have occur, or few words have each.
pub const MAX_VALUES: usize = 32;

/// The deepest level of opcode bits that is looked at.
pub const MAX_LEVELS: usize = 64;

/// Kinds of words of at most 128 bits about which nothing is to be said, and that are known when they come again. A power of two.
pub const CACHE: usize = 1 << 15;
