//! Why a run ends.

use isaglot_bits::Word;
use isaglot_model::EncodingId;

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An instruction that the description marks as the end (`<flow to="end"/>`), with the value of its trap.
    End(Option<Word>),
    /// An instruction that is followed by itself changes nothing: it would run for ever.
    Loop,
    /// So many instructions were run as were allowed.
    Limit,
    /// An instruction could not be run. It has changed nothing, except what a text, or what it called, had done before its own trap.
    Fault(Fault),
}

/// What kept an instruction from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Its text asked for this trap, and nothing handles it.
    Trap {
        /// The cause, as the description calls it.
        cause: String,
        /// The value that came with it.
        value: Option<Word>,
    },
    /// There is no memory to load from at this address.
    Load(u64),
    /// There is no memory to store to at this address.
    Store(u64),
    /// There is no memory with an instruction at this address.
    Fetch(u64),
    /// There is memory at this address, but neither the program nor a store has put anything there ([`Machine::set_program`]).
    ///
    /// [`Machine::set_program`]: crate::Machine::set_program
    Empty(u64),
    /// The address of the instruction is not a multiple of the parcel, whose size in bytes this is.
    Unaligned(u32),
    /// The word is not a valid instruction.
    Illegal(Word),
    /// The description does not say what this encoding does.
    Silent(EncodingId),
    /// The text of the encoding uses an operand that this word has not, or not in so many bits.
    Operand(EncodingId, String),
    /// The text called what the description only declares, and the caller does not have either.
    Extern(String),
    /// The machine has as much memory in use as it may.
    Memory,
}
