//! What texts call that no text says: the externs of a description.

use isaglot_bits::Word;

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
    /// There is no such thing.
    Unknown,
}

/// The caller of a machine, as texts see it. Memory and registers are the machine's own.
pub trait Outside {
    /// Calls an extern by its name, with arguments of the declared widths.
    fn call(&mut self, name: &str, arguments: &[Word]) -> Answer;
}

/// Nothing is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Outside for Nothing {
    fn call(&mut self, _: &str, _: &[Word]) -> Answer {
        Answer::Unknown
    }
}
