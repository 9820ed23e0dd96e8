//! Every bound of proofs, by name.

/// The most instructions of a routine that are followed, over all ways through it.
pub const MAX_STEPS: usize = 20_000;

/// The most forks inside one another on a way through a routine.
pub const MAX_WAYS: usize = 64;

/// The most instructions after a branch that are looked at for where its ways meet again.
pub const MAX_REACH: usize = 1000;

/// The most terms of one claim.
pub const MAX_TERMS: usize = 1 << 21;

/// How far below the stack pointer a routine may write.
pub const STACK: u64 = 4096;

/// The most bytes of a routine's image.
pub const MAX_IMAGE: usize = 1 << 20;
