//! Every bound of this crate, by name.

/// The largest number of commands of one interface that any configuration may choose: `k << 12` must fit the 16-bit
/// selector word (R15).
pub const MAX_COMMANDS: u32 = 16;

/// The longest input file in bytes; spans are 32 bits wide and nobody writes more than this by hand.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// The most tokens of one definition file that are looked at.
pub const MAX_TOKENS: usize = 4 << 20;

/// How many tokens of an interface's name are looked at to tell it from a command.
pub const MAX_LOOKAHEAD: usize = 64;

/// The widest variable of a device's state, in bits.
pub const MAX_STATE_BITS: u32 = 4096;

/// The most interfaces in one set of definition files.
pub const MAX_INTERFACES: usize = 1 << 16;

/// The deepest chain of imports.
pub const MAX_IMPORTS: usize = 4096;

/// The longest dotted and coloned name in bytes.
pub const MAX_NAME_BYTES: usize = 1024;

/// The largest device number, subdevice number or logical unit number: they are 12 bits wide (R5).
pub const MAX_UNIT: u64 = 0xfff;

/// The first logical unit number that an implementation may give out (1.6).
pub const FIRST_LUN: u16 = 32;

/// The most rows of one table of a processor map.
pub const MAX_ROWS: usize = 1 << 16;

/// The most contexts of a machine: each costs its executor a table of all logical units.
pub const MAX_CONTEXTS: usize = 1024;

/// The deepest nesting of values in a processor map.
pub const MAX_DEPTH: usize = 32;

/// The most entries of a registry: both 20-bit halves are full long before.
pub const MAX_ENTRIES: usize = 1 << 21;

/// How many re-hashes of a name are tried before its owner is told to take a central number.
pub const MAX_REHASH: u32 = 16;
