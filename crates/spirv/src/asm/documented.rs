//! What the published syntax page has and the reference refuses, read with `Options::documented`: numbers of more than 64
//! bits as their words, and `P` in hexadecimal floats.
//!
//! The page's own program has `%4 = OpConstant %1 123 456 789` and says nothing of `%1`. So a number of a type that the
//! text does not define is as many words as there are.

use std::borrow::Cow;

use super::lex::{at, is_instruction, word_end};
use super::operand::Step;
use super::{Assembler, Fail, Reason};
use crate::number::NumberType;
use crate::number::parse::{Refusal, number};

/// Whether numbers of a type have a literal.
fn has_literal(ty: NumberType) -> bool {
    !matches!(number(b"0", ty), Err(Refusal::Unsupported(_)))
}

/// A hexadecimal float with `P`, as C has it; any other word as it is.
pub(super) fn lower_p(word: &[u8]) -> Option<Cow<'_, [u8]>> {
    let digits = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    let is_hex = matches!(digits, [b'0', b'x' | b'X', ..]);
    let place = word.iter().position(|&b| b == b'P').filter(|_| is_hex)?;
    let mut lower = word.to_vec();
    *lower.get_mut(place)? = b'p';
    Some(lower.into())
}

impl Assembler<'_, '_> {
    /// The words of a number that has no literal, the low one first. `None` if the type has a literal, or nothing beyond the
    /// reference is read.
    pub(super) fn number_words(&mut self, ty: Option<NumberType>) -> Result<Option<Step>, Fail> {
        if !self.documented || ty.is_some_and(has_literal) {
            return Ok(None);
        }
        let wanted = ty.map(NumberType::words);
        let mut count = 0;
        while wanted.is_none_or(|n| count < n) && self.pos < self.text.len() && !is_instruction(self.text, self.pos) {
            let start = self.pos;
            let end = word_end(self.text, start);
            let word = self.token((start, end));
            if at(self.text, start) == b'!' {
                self.immediate(word, start)?;
            } else {
                let ty = NumberType::Int { width: 32, signed: word.first() == Some(&b'-') };
                match number(word, ty) {
                    Ok((bits, _)) => self.words.push(bits as u32),
                    Err(Refusal::Invalid(m) | Refusal::Usage(m) | Refusal::Unsupported(m)) => {
                        return self.fail(start, Reason::InvalidNumber, m);
                    }
                }
            }
            self.consume(end);
            count += 1;
        }
        match wanted {
            Some(n) if count < n => {
                let message = format!("Expected {n} words of 32 bits, the low one first, but found {count}.");
                self.fail(self.pos, Reason::InvalidNumber, message)
            }
            _ => Ok(Some(Step::Next)),
        }
    }
}
