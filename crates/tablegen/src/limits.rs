//! Every bound on what an input may cost. Real targets stay far below them (the largest of LLVM's has 132 000 records
//! and some ten million values); an input that reaches one gets an error that names the bound.

/// Nesting of values, types and statements in the text.
pub const MAX_PARSE_DEPTH: u32 = 2_000;

/// Nesting of evaluation: values within values, and classes instantiated while a class is instantiated.
pub const MAX_EVAL_DEPTH: u32 = 6_000;

/// Stack of the thread that parses and evaluates, in bytes; reserved, not touched, unless nesting needs it.
pub const STACK_BYTES: usize = 1 << 29;

/// Nesting of anything when no thread with a large stack could be had.
pub const SMALL_STACK_DEPTH: u32 = 100;

/// Nesting of `include`.
pub const MAX_INCLUDE_DEPTH: usize = 200;

/// Number of times that a file is opened, included repeatedly or not.
pub const MAX_BUFFERS: usize = 100_000;

/// Bytes of all files together, a file counted each time that it is included.
pub const MAX_SOURCE_BYTES: usize = 1 << 31;

/// Elements of one list.
pub const MAX_LIST: usize = 1 << 22;

/// Bits of one `bits<N>`.
pub const MAX_BITS: u64 = 1 << 20;

/// Bytes of one string.
pub const MAX_STRING: usize = 1 << 26;

/// Bytes of the text of one value (LLVM's AMDGPU has one of 72 MB).
pub const MAX_TEXT: usize = 1 << 28;

/// Bytes of all distinct strings together.
pub const MAX_STRING_BYTES: usize = 1 << 31;

/// Records, classes and prototypes together.
pub const MAX_RECORDS: usize = 1 << 24;

/// Words of operands of all distinct values together.
pub const MAX_POOL_WORDS: usize = 1 << 30;

/// Distinct values; their numbers have 30 bits.
pub const MAX_VALUES: usize = 1 << 29;

/// Steps of evaluation: one for each value that a substitution looks into.
pub const MAX_STEPS: u64 = 1 << 33;

/// Sets within sets, on a thread with [`STACK_BYTES`].
pub const MAX_SET_DEPTH: u32 = 1_000;

/// Cells of all tables that are printed as C++.
pub const MAX_TABLE_CELLS: usize = 1 << 26;

/// States of one pattern of `!match`.
pub const MAX_PATTERN_STATES: usize = 1 << 14;

/// Groups within groups of a pattern.
pub const MAX_PATTERN_DEPTH: u32 = 200;

/// The largest count of a repetition in a pattern, as in POSIX.
pub const MAX_PATTERN_REPEAT: u32 = 255;

/// Errors after which a run that goes on after errors gives up.
pub const MAX_ERRORS: usize = 1_000;

/// Bytes of a value's text that are shown in a message of ours.
pub const MAX_SHOWN_VALUE: usize = 200;
