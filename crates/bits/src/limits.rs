//! Every bound of this crate, by name.

/// Words up to this many bits are stored inline; wider ones are one heap allocation each.
pub const INLINE_BITS: u32 = 128;

/// The widest word, field or pattern, in bits. Wider requests are cut to this width, so that a hostile size in a
/// description cannot ask for unbounded memory; front ends reject such sizes with a diagnostic of their own.
pub const MAX_WIDTH: u32 = 1 << 16;

/// Splits that one question about a set of patterns ([`crate::cover`]) may cost before it is given up as too hard.
pub const COVER_BUDGET: usize = 4_000_000;
