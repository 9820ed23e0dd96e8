//! Every bound of the translator, by name.

/// Places in the table of addresses that have code; a power of two.
pub const LINKS: usize = 1 << 14;

/// The most code that is kept, in guest instructions. Beyond it everything is forgotten.
pub const MAX_TRANSLATED: usize = 1 << 18;

/// The most places to which an indirect jump is compared before it asks the table.
pub const MAX_RETURNS: usize = 6;

/// The most register numbers of a machine. The sets of registers are one bit each.
pub const MAX_REGISTERS: usize = 128;
