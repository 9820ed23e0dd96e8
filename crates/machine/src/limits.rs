//! Every bound of a machine, by name.

/// The most memory that a machine may touch, in bytes. A page counts when something that is not 0 is first stored to it.
pub const MAX_MEMORY: u64 = 1 << 30;

/// The most memory that there may be, in bytes, touched or not.
pub const MAX_SPACE: u64 = 1 << 33;

/// The most regions of memory.
pub const MAX_REGIONS: usize = 256;

/// The widest address, in bits.
pub const MAX_ADDRESS: u32 = 64;

/// The most register files of a description taken together, in bytes.
pub const MAX_REGISTERS: usize = 1 << 20;

/// Decoded instructions that are kept. When there are more, all are decoded again.
pub const MAX_DECODED: usize = 1 << 16;

/// Decoded operations of these instructions that are kept, as [`MAX_DECODED`].
pub const MAX_OPERATIONS: usize = 1 << 20;

/// The most operations that one instruction may run at once.
pub const MAX_PARTS: usize = 64;

/// Instructions that are remembered, so that the last ones can be said.
pub const RECENT: usize = 16;
