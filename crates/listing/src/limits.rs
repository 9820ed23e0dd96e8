//! Every bound of this crate.

/// Problems that the reader reports for one file before it stops looking.
pub const MAX_READ_ERRORS: usize = 100;

/// Bytes of all register files together that a dataflow problem may track.
pub const MAX_UNIVERSE_BYTES: u32 = 1 << 20;

/// Runs of bytes that one operand's access may consist of; further ones are dropped.
pub const MAX_RUNS_PER_OPERAND: usize = 4096;
