//! Every bound of the language, by name.

/// The longest text, in bytes.
pub const MAX_TEXT: usize = 1 << 20;

/// The deepest nesting of expressions and blocks.
pub const MAX_DEPTH: usize = 64;

/// The widest value, in bits.
pub const MAX_WIDTH: u32 = 4096;

/// The most values of one body.
pub const MAX_VALUES: usize = 1 << 16;
