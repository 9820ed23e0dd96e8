//! Why a text is not an instruction.

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;

use super::index::Index;
use super::number;
use super::trace::Trace;

/// Why a text is not an instruction. Offsets and lengths are in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// No instruction has this name.
    Unknown {
        /// The place of the word that should have been a mnemonic, and its length.
        at: (usize, usize),
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// An unexpected token.
    Expected {
        /// The place.
        at: usize,
        /// What could have stood there, for people.
        what: Vec<String>,
    },
    /// A value that is not possible: out of range, or taken by something else.
    Value {
        /// The place and length of the value.
        at: (usize, usize),
        /// What is wrong with it.
        message: String,
    },
    /// Everything was understood, but no word prints as that.
    Contradiction {
        /// What the nearest word prints as, if there is one.
        prints: Option<String>,
        /// The first place at which that differs.
        at: usize,
    },
    /// Words of different encodings print as this text.
    Ambiguous {
        /// The words, each with the name of its encoding.
        words: Vec<(Word, String)>,
    },
    /// It is an instruction, but not written as the disassembler prints it, which was demanded.
    Inexact {
        /// What the disassembler prints.
        prints: String,
    },
    /// Longer than [`super::limits::MAX_LINE`].
    TooLong,
    /// The search took more steps than [`super::limits::MAX_LINE_STEPS`].
    TooHard,
}

impl Failure {
    /// The same for a text that has so many bytes before it.
    pub(super) fn moved(mut self, by: usize) -> Failure {
        match &mut self {
            Failure::Unknown { at: (at, _), .. }
            | Failure::Expected { at, .. }
            | Failure::Value { at: (at, _), .. }
            | Failure::Contradiction { at, .. } => *at += by,
            Failure::Ambiguous { .. } | Failure::Inexact { .. } | Failure::TooLong | Failure::TooHard => {}
        }
        self
    }
}

impl core::fmt::Display for Failure {
    /// One sentence; places are byte offsets of the text.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Failure::Unknown { at, nearest: Some(nearest) } => {
                write!(f, "byte {}: unknown mnemonic, did you mean `{nearest}`?", at.0)
            }
            Failure::Unknown { at, nearest: None } => write!(f, "byte {}: unknown mnemonic", at.0),
            Failure::Expected { at, what } => write!(f, "byte {at}: expected {}", what.join(" or ")),
            Failure::Value { at, message } => write!(f, "byte {}: {message}", at.0),
            Failure::Contradiction { prints: Some(prints), at } => {
                write!(f, "byte {at}: no word prints so; the nearest prints `{prints}`")
            }
            Failure::Contradiction { prints: None, at } => write!(f, "byte {at}: no word prints so"),
            Failure::Ambiguous { words } => {
                f.write_str("several encodings print so:")?;
                words.iter().try_for_each(|(word, name)| write!(f, " {name} (0x{})", word.hex()))
            }
            Failure::Inexact { prints } => write!(f, "this is not as it prints: `{prints}`"),
            Failure::TooLong => f.write_str("the text is too long"),
            Failure::TooHard => f.write_str("reading the text takes too many steps"),
        }
    }
}

impl core::error::Error for Failure {}

/// Why `text` is not an instruction, after `trace` was filled by reading it in vain.
pub(super) fn explain(text: &[u8], index: &Index, mut trace: Trace) -> Failure {
    if let Some((printed, wanted)) = trace.refused.take() {
        let same = printed.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
        let prints = (!printed.is_empty()).then(|| String::from_utf8_lossy(&printed).into_owned());
        return Failure::Contradiction { prints, at: same.min(text.len()) };
    }
    if let Some((end, message)) = trace.value {
        return Failure::Value { at: (trace.place, end.saturating_sub(trace.place)), message };
    }
    if trace.contradiction {
        return Failure::Contradiction { prints: None, at: 0 };
    }
    // If some word of the line is a mnemonic, what follows it was not understood.
    let known = Index::places(text).any(|place| {
        let mut any = false;
        index.keys.prefixes(text.get(place..).or_impossible(&[]), |_, _| any = true);
        any
    });
    if known || (trace.place > 0 && !trace.expected.is_empty()) {
        return Failure::Expected { at: trace.place, what: trace.expected };
    }
    // The first word that is not inside a flag.
    let is_part = |byte: &u8| number::is_word(*byte) || matches!(byte, b'.' | b'$');
    let mut depth = 0i32;
    let start = text.iter().position(|byte| {
        depth += match byte {
            b'(' => 1,
            b')' => -1,
            _ => 0,
        };
        depth <= 0 && is_part(byte)
    });
    let start = start.unwrap_or(0);
    let len = text.get(start..).or_impossible(&[]).iter().take_while(|byte| is_part(byte)).count();
    let word = String::from_utf8_lossy(text.get(start..start + len).or_impossible(&[])).into_owned();
    let nearest = isaglot_source::closest(&word, index.words.iter().map(String::as_str)).map(str::to_owned);
    Failure::Unknown { at: (start, len.max(1).min(text.len() - start)), nearest }
}
