//! What a caller hands in: instructions, blocks and regions, and where a machine has its parts.

use isaglot_semantics::Body;

use crate::check::Kind;

/// A register file as the machine holds it: registers of 8 bytes, clean above their width, all files in one array.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    /// Its name in the description.
    pub name: String,
    /// Where it begins in the array.
    pub first: u64,
    /// The number of the register that is always 0.
    pub zero: Option<u64>,
}

/// Where the machine has what code reaches, in bytes from the machine's start.
///
/// Tables of recent pages have `entries` entries (a power of two) of `stride` bytes (a power of two): the number of a page,
/// and what is added to an address in it to have the host's address. An address is in entry `page % entries`.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The array of registers, of 8 bytes each.
    pub registers: usize,
    /// A double word: where execution goes on.
    pub pc: usize,
    /// A double word: the first address of the block that was left.
    pub block: usize,
    /// A double word: how many of its instructions ran; above bit 32 a [`Left`].
    pub left: usize,
    /// A double word that is 1 after an access that did not succeed.
    pub failed: usize,
    /// A double word for the address of a load or store that is done outside.
    pub address: usize,
    /// A double word for what such a load gives, or such a store writes.
    pub value: usize,
    /// Recent pages that may be read.
    pub reads: usize,
    /// Recent pages that may be written.
    pub writes: usize,
    /// Entries of each of them.
    pub entries: usize,
    /// Bytes of an entry.
    pub stride: usize,
    /// The number of the page, within an entry.
    pub page: usize,
    /// What is added, within an entry.
    pub host: usize,
    /// Bits of an address within a page.
    pub page_bits: u32,
}

/// Why code was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// There is no code for where execution goes on.
    Jump = 0,
    /// The next instruction, or too few allowed ones, are for the caller.
    Caller = 1,
    /// An instruction that was called has trapped. It counts as one that ran.
    Trap = 2,
}

impl Left {
    /// By its number.
    pub fn from_bits(bits: u64) -> Left {
        match bits {
            0 => Left::Jump,
            1 => Left::Caller,
            _ => Left::Trap,
        }
    }
}

/// What a called instruction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// It ran.
    Done = 0,
    /// It did nothing, and has to be run outside.
    Refused = 1,
    /// It has trapped; the caller has the trap.
    Trapped = 2,
    /// It ran, and something outside waits for attention.
    Attention = 3,
}

/// An instruction of a block.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    /// Its address.
    pub pc: u64,
    /// The address after it.
    pub next: u64,
    /// What it does.
    pub body: &'a Body,
    /// The values of its operands.
    pub fields: [u64; 8],
    /// How it is run.
    pub kind: Kind,
    /// With [`Kind::Call`] and [`Kind::Guarded`]: what [`Outside::call`](crate::Outside::call) is told.
    pub number: [u64; 2],
}

/// Instructions in a row. Only the last may jump.
#[derive(Clone, Debug, Default)]
pub struct Block<'a> {
    /// The address of the first.
    pub start: u64,
    /// The address after the last.
    pub end: u64,
    /// They.
    pub code: Vec<Instruction<'a>>,
}

/// Blocks that jump to each other; the first is where it is entered.
#[derive(Clone, Debug, Default)]
pub struct Region<'a> {
    /// The blocks, one for each start.
    pub blocks: Vec<Block<'a>>,
    /// Starts of blocks to which indirect jumps may go: after calls.
    pub returns: Vec<u64>,
}

/// What an extern of the description is in code. What can be refused (the instruction is then the caller's, from its start) stands before what
/// has an effect, or after one that can be had twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extern {
    /// Nothing if the byte at this place of the machine is not 0; refused if it is.
    Check {
        /// The place, in bytes from the machine's start.
        byte: usize,
    },
    /// Writes a byte.
    Set {
        /// The place.
        byte: usize,
        /// The byte.
        value: u8,
    },
    /// Gives its argument, or a byte of the machine in its place; refused if what it gives is too high, or another byte is 0.
    Mode {
        /// The byte that must not be 0.
        on: usize,
        /// The byte that is given for `dynamic`.
        mode: usize,
        /// The argument that stands for it.
        dynamic: u8,
        /// The least number that is refused.
        limit: u8,
    },
    /// Gives a double word of the machine.
    Word {
        /// The place.
        at: usize,
    },
    /// Adds 1 to a double word of the machine.
    Count {
        /// The place.
        at: usize,
    },
    /// What [`Outside::external`](crate::Outside::external) does with this number. It never traps, and may be done twice.
    Function(u64),
    /// Its instructions are called as a whole: it changes nothing but what it gives, flags, memory and devices, and reads none of the
    /// machine's registers.
    Call,
    /// Its instructions are left to the caller.
    Leave,
}
