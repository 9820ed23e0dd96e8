//! Every bound of this crate, by name. What a bound stops is counted and told, never left out in silence.

/// Instructions of at most this many bits are asked about whole: each word that has their length.
pub const WHOLE_BITS: u32 = 16;

/// 2 to this power is the most words of one length that are asked about at once: of longer instructions words are chosen, or swept.
pub const MAX_ALL_BITS: u32 = 20;

/// The most bits of an instruction whose words can be swept, one after the other, with a state to go on from.
pub const MAX_SWEEP_BITS: u32 = 32;

/// Patterns of one finding of a sweep; the words beyond are counted.
pub const MAX_CUBES: usize = 1 << 16;

/// Patterns of one finding that a person is shown.
pub const MAX_SHOWN: usize = 32;

/// Free bits up to which every word of a pattern is asked, so that the pattern is exact.
pub const EXACT_BITS: u32 = 12;

/// Pseudo-random words of a pattern with more free bits, beside its corners.
pub const SAMPLES: usize = 96;

/// Patterns that one finding gets, by kind: the words that are left are counted.
pub const MAX_PATTERNS: usize = 32;

/// The same where only texts differ: their causes are seldom a pattern.
pub const MAX_TEXT_PATTERNS: usize = 6;

/// Free bits, samples and patterns of a crash: each of its words costs a run of the tool.
pub const CRASH_BITS: u32 = 5;

/// See [`CRASH_BITS`].
pub const CRASH_SAMPLES: usize = 12;

/// See [`CRASH_BITS`].
pub const MAX_CRASH_PATTERNS: usize = 8;

/// Questions that a tool may die of when it is asked about many at once.
pub const MAX_CRASHES: usize = 1 << 12;

/// Words that all questions for the growth of patterns may come to.
pub const GROW_WORDS: usize = 3_000_000;

/// The same for machines whose words are long and whose tools are slow.
pub const GROW_WORDS_LONG: usize = 200_000;

/// The most bits of one guard, or pair of fields, whose values are all combined.
pub const COUPLED_BITS: u32 = 6;

/// Values of a field with a table of texts that are tried; a longer table is tried in part.
pub const MAX_ENUM_VALUES: usize = 512;

/// Free patterns of one length whose corners are tried.
pub const MAX_GAPS: usize = 20_000;

/// Free bits from which on a free pattern may hold a whole instruction of a tool: the values of opcode bits are tried in it.
pub const LARGE_GAP_BITS: u32 = 15;

/// The most bits of a range of opcode bits.
pub const OPCODE_BITS: u32 = 8;

/// The most open opcode bits of a free pattern whose values are all tried together.
pub const TOGETHER_BITS: usize = 12;

/// Pseudo-random words of each length among the words that the description refuses, and as many of each encoding.
pub const RANDOM_REFUSED: usize = 4096;

/// Words of each encoding beside its corners.
pub const RANDOM_ACCEPTED: usize = 8;

/// Words that are tried to find some that are accepted.
pub const BASE_TRIES: usize = 4096;

/// Words of each encoding around which words are tried, where these are chosen so.
pub const BASES: usize = 6;

/// Fields of up to so many bits are tried at all values around the first two of these words.
pub const ALL_VALUES_BITS: u32 = 10;

/// The longest file about a tool, in bytes.
pub const MAX_TOOL_BYTES: usize = 1 << 20;

/// The most words that a tool is given at once.
pub const MAX_BATCH: usize = 1 << 20;

/// The greatest address of the first word.
pub const MAX_BASE: u64 = 1 << 32;

/// The longest instruction, in bytes, that a line of a tool may claim.
pub const MAX_LENGTH_BYTES: u64 = 1 << 10;

/// Characters of an answer of a tool that are kept.
pub const MAX_TEXT: usize = 512;
