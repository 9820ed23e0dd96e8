//! Every bound of this crate, by name.

/// The widest padding that a template's `:align=` can ask for, in columns.
pub const MAX_ALIGN: u32 = 1 << 12;

/// The longest text that one line may grow to, in bytes, before nested fields are no longer printed.
pub const MAX_LINE_BYTES: usize = 1 << 20;
