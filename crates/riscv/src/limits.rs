//! Every bound of this crate, by name.

/// The most values that one `.fill` makes.
pub const MAX_FILL: i64 = 1 << 16;

/// Alignments are below 2 to the power of this.
pub const MAX_ALIGN: i64 = 16;

/// The largest file of a published format that is read.
pub const MAX_FORMAT_FILE_BYTES: usize = 16 << 20;
