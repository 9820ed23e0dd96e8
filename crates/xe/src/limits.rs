//! Every bound of this crate. What a binary or a text makes is linear in its size; dataflow has the bounds of
//! `isaglot_listing::limits`.

/// Load/store descriptors whose meaning is kept. Programs repeat a few dozen.
pub const MAX_KNOWN_DESCRIPTORS: usize = 4096;
