//! Every bound of the assembler, by name.

/// The most nodes of the terms of one program; beyond it, values are not followed and only the final check decides.
pub const MAX_TERMS: usize = 100_000;

/// The most operations of one program; a form that needs more cannot be assembled from text.
pub const MAX_PROGRAM: usize = 200_000;

/// Evaluations of expressions while one program is compiled.
pub const MAX_EVALUATIONS: usize = 100_000;

/// The deepest nesting of sub-encodings in one program.
pub const MAX_NESTING: usize = 32;

/// Operations that the matcher spends on one form and line before it gives up: what bounds the time for hostile text.
pub const MAX_STEPS: u32 = 200_000;

/// Operations spent on all forms of one line together.
pub const MAX_LINE_STEPS: u32 = 2_000_000;

/// Open bits of one condition that are tried out; conditions over more are left to the final check.
pub const MAX_OPEN_BITS: usize = 16;

/// The longest line that is assembled, in bytes.
pub const MAX_LINE: usize = 4096;

/// Candidate words of one form that are decoded and printed for one line.
pub const MAX_CANDIDATES: u32 = 256;

/// Different words kept for a message about an ambiguous text.
pub const MAX_AMBIGUOUS: usize = 8;

/// What a message lists as expected.
pub const MAX_EXPECTED: usize = 12;

/// Texts that are kept for a text that is completed, before equal ones are taken out.
pub const MAX_OFFERED: usize = 10_000;

/// The deepest nesting of parentheses in a constant expression.
pub const MAX_EXPRESSION_DEPTH: usize = 64;

/// The most bytes that a program assembles to.
pub const MAX_OUTPUT: u64 = 1 << 30;

/// The most entries of a jump table.
pub const MAX_JUMP_TABLE: u64 = 1 << 16;

/// The most labels that one jump table, section and statement may define, and the most symbols altogether.
pub const MAX_SYMBOLS: usize = 1 << 22;

/// Walks over the branches of a section in which lengths may shrink.
pub const FREE_WALKS: u32 = 32;

/// Walks over the branches of a section; in the last one all take their longest form.
pub const MAX_WALKS: u32 = 96;

/// The deepest nesting of brackets and signs in a constant that is written as an expression.
pub const MAX_CONSTANT_DEPTH: u32 = 32;

/// Lines that are kept with their words: 2 to the power of this, at first.
pub const MEMO_FIRST_BITS: u32 = 7;

/// Lines that are kept with their words: 2 to the power of this, at most.
pub const MEMO_BITS: u32 = 15;

/// The most bits that `.bits` asks for.
pub const MAX_WIDTH: i64 = 4096;

/// Places of one line at which a comment may begin that are looked at.
pub const MAX_CUTS: usize = 16;
