//! Bounds of what the explorer answers.

/// Encodings that an answer to a pattern names.
pub const MAX_CANDIDATES: usize = 200;

/// The longest question about a word, in bytes.
pub const MAX_QUESTION: usize = 4096;

/// The longest program in assembly that is typed, in bytes.
pub const MAX_PROGRAM: usize = 1 << 20;

/// Lines of a listing that are sent.
pub const MAX_LINES: usize = 20_000;

/// Problems of a program that is typed.
pub const MAX_PROBLEMS: usize = 100;

/// Values of a table that are sent.
pub const MAX_VALUES: usize = 4096;

/// What may come next, at most.
pub const MAX_NEXT: usize = 100;
