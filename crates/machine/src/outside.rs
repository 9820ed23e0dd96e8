//! What texts call that no text says: the externs of a description.

use isaglot_bits::Word;

use crate::memory::Memory;
use crate::stop::Fault;

/// What comes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is done; with the result, if it has one. It is cut to the width that the description declares.
    Done(Option<Word>),
    /// It traps.
    Trap {
        /// The cause, by a name that people know.
        cause: String,
        /// What is said with it.
        value: Option<Word>,
    },
    /// It loads or stores, and that failed as a load or store of a text does.
    Failed(Fault),
    /// There is no such thing.
    Unknown,
}

/// The machine's own state, for externs that act on it: what they do is done as a text does it, so a step that is watched shows it.
pub trait State {
    /// A register, by the name of its file in the description; `None` if there is no such file.
    fn register(&self, file: &str, number: u32) -> Option<Word>;
    /// Writes a register. What cannot be written stays as it is.
    fn set_register(&mut self, file: &str, number: u32, value: &Word);
    /// All memory, to look at.
    fn memory(&self) -> &Memory;
    /// Loads bits, whole bytes.
    ///
    /// # Errors
    /// There is no memory.
    fn load(&mut self, address: u64, bits: u32) -> Result<Word, Fault>;
    /// Stores bits, whole bytes.
    ///
    /// # Errors
    /// There is no memory.
    fn store(&mut self, address: u64, value: &Word) -> Result<(), Fault>;
}

/// The caller of a machine, as texts see it. Memory and registers are the machine's own.
pub trait Outside {
    /// Calls an extern by its name, with arguments of the declared widths.
    fn call(&mut self, name: &str, arguments: &[Word], state: &mut dyn State) -> Answer;

    /// What it holds itself that people want to see, such as control registers: names and values.
    fn controls(&self) -> Vec<(String, Word)> {
        Vec::new()
    }

    /// Writes one of these; `None` if there is none of this name.
    ///
    /// # Errors
    /// Why it cannot hold the value.
    fn set_control(&mut self, _name: &str, _value: u64) -> Option<Result<(), String>> {
        None
    }
}

/// Nothing is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Outside for Nothing {
    fn call(&mut self, _: &str, _: &[Word], _: &mut dyn State) -> Answer {
        Answer::Unknown
    }
}
