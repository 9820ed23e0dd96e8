//! What a decoder says about a word, and an assembler about a text, and everything that can be asked so.
//!
//! The invariant: a decoder gives one answer for each word, in their order, or a diagnostic and none. So an answer can never be
//! taken for that of another word.

use isaglot_bits::Word;
use isaglot_source::{Diagnostic, Span};

use crate::normal::{self, Rules};

/// An encoding, by a number that its [`Subject`] gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leaf(pub u32);

/// What a decoder says about a word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// It is not a valid instruction.
    #[default]
    Refused,
    /// The decoder dies of it.
    Died {
        /// The number of the signal.
        signal: i32,
    },
    /// It begins with an instruction.
    Accepted {
        /// The length of that instruction in bits; `None` where the decoder does not say it.
        bits: Option<u32>,
        /// Its text.
        text: String,
        /// Which encoding of the description it is; `None` from a decoder that has none.
        leaf: Option<Leaf>,
    },
}

impl Answer {
    /// Whether it is an instruction.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self, Answer::Accepted { .. })
    }

    /// The text; empty for a word that is refused.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Answer::Accepted { text, .. } => text,
            Answer::Refused | Answer::Died { .. } => "",
        }
    }

    /// The length in bits, if the answer has one.
    #[must_use]
    pub fn bits(&self) -> Option<u32> {
        match self {
            Answer::Accepted { bits, .. } => *bits,
            Answer::Refused | Answer::Died { .. } => None,
        }
    }

    /// What it is in the description.
    #[must_use]
    pub fn leaf(&self) -> Option<Leaf> {
        match self {
            Answer::Accepted { leaf, .. } => *leaf,
            Answer::Refused | Answer::Died { .. } => None,
        }
    }
}

/// Something that decodes words.
pub trait Decoder {
    /// One answer for each word. Bit 0 of a word is its least significant bit; how it lies in memory the description says.
    ///
    /// # Errors
    /// Why there are no answers: a program that cannot be started, or that answers something else.
    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic>;

    /// Whether it can be asked about a word.
    fn takes(&self, word: &Word) -> bool {
        let _ = word;
        true
    }
}

/// What a tool is compared with: a decoder that follows a description.
pub trait Subject: Decoder {
    /// What an encoding is called.
    fn name(&self, leaf: Leaf) -> String;

    /// Whether the beginning of a word gives it the length that it has.
    fn fits(&self, word: &Word) -> bool;

    /// Whether the description reads a text as this word, as far as it looks at its bits. `false` where it reads none.
    fn reads(&mut self, word: &Word, text: &str) -> bool {
        let _ = (word, text);
        false
    }

    /// Where a reader of the description looks: the encoding of a word, or for one that is refused the nearest, where `name` is what
    /// the tool calls it.
    fn near(&self, word: &Word, leaf: Option<Leaf>, name: &str) -> Option<Near>;

    /// What a word is called that is an instruction for the tool only, with this text.
    fn called(&mut self, word: &Word, theirs: &str, rules: &Rules) -> String {
        let _ = word;
        rules.apply(theirs).into_iter().next().unwrap_or_default()
    }

    /// How two texts differ; `None` if they say the same.
    fn way(&self, ours: &str, theirs: &str, rules: &Rules) -> Option<String> {
        normal::way(&rules.apply(ours), &rules.apply(theirs))
    }
}

/// A place in a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// What stands there.
    pub name: String,
    /// The place; `None` where the description is no file.
    pub span: Option<Span>,
    /// What the description says in words, such as a section of the manual; empty if nothing.
    pub doc: String,
}

/// What an assembler makes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assembled {
    /// It is refused.
    Refused,
    /// The assembler dies of it.
    Died {
        /// The number of the signal.
        signal: i32,
    },
    /// Its bytes in the order of memory: of one instruction or of several.
    Bytes(Vec<u8>),
}

/// Something that assembles texts.
pub trait Assembler {
    /// One answer for each text. A text is one line.
    ///
    /// # Errors
    /// Why there are no answers: a program that cannot be started, or that answers something else.
    fn assemble(&mut self, texts: &[String]) -> Result<Vec<Assembled>, Diagnostic>;
}
