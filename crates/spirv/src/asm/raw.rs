//! What has no grammar: `!<integer>` words, and `OpUnknown(<opcode>, <word count>)`.

use isaglot_invariant::Impossible as _;

use super::failure::shown;
use super::lex::{at, is_instruction, is_name, skip, word_end};
use super::operand::{push_string, quoted};
use super::{Assembler, Fail, Reason};
use crate::grammar::rows::ID_REF;
use crate::number::parse::number;
use crate::number::{Encoding, NumberType, integer};

impl Assembler<'_, '_> {
    /// `!n`: a word as it is.
    pub(super) fn immediate(&mut self, word: &[u8], start: usize) -> Result<(), Fail> {
        match word.get(1..).and_then(|digits| integer::unsigned(digits, 32)) {
            Some(n) => {
                self.words.push(n as u32);
                Ok(())
            }
            None => self.fail(start, Reason::InvalidWord, format!("Invalid immediate integer: {}", shown(word))),
        }
    }

    /// A number, string, id or `!n`, whichever it is; false if it is none of them.
    fn value(&mut self, word: &[u8], start: usize) -> Result<bool, Fail> {
        if word.first() == Some(&b'!') {
            self.immediate(word, start)?;
            return Ok(true);
        }
        let ty = if word.contains(&b'.') {
            NumberType::Float { width: 32, encoding: Encoding::Ieee }
        } else {
            NumberType::Int { width: 32, signed: word.first() == Some(&b'-') }
        };
        if let Ok((bits, _)) = number(word, ty) {
            self.words.push(bits as u32);
            return Ok(true);
        }
        if let Some(inner) = quoted(word) {
            push_string(&mut self.words, inner);
            return Ok(true);
        }
        if let [b'%', name @ ..] = word
            && !name.is_empty()
            && name.iter().all(|&b| is_name(b))
        {
            // Through the ordinary path, so that numeric names are kept numeric.
            return self.operand(ID_REF, false).map(|_| true);
        }
        Ok(false)
    }

    /// The rest of an instruction after a `!` operand: values up to the next instruction, with the result where it was
    /// due.
    pub(super) fn raw_operands(&mut self) -> Result<(), Fail> {
        if self.now.pending {
            self.operand(crate::grammar::rows::ID_RESULT, false)?;
        }
        self.values(None)
    }

    /// An instruction that begins with `!`.
    pub(super) fn immediate_instruction(&mut self) -> Result<(), Fail> {
        let start = self.pos;
        let end = word_end(self.text, start);
        let word = self.token((start, end));
        self.immediate(word, start)?;
        self.consume(end);
        self.values(Some((start, end)))
    }

    /// Values up to the next instruction. After an instruction that began with the token `head`, an `=` has a message
    /// of its own.
    fn values(&mut self, head: Option<(usize, usize)>) -> Result<(), Fail> {
        while self.pos < self.text.len() && !is_instruction(self.text, self.pos) {
            let start = self.pos;
            if head.is_none() && self.begins_documented(start) {
                break;
            }
            let end = word_end(self.text, start);
            let word = self.token((start, end));
            if let Some(head) = head
                && word == b"="
            {
                let head = shown(self.token(head));
                return self.fail(start, Reason::UnexpectedToken, format!("{head} not allowed before =."));
            }
            if !self.value(word, start)? {
                let word = shown(word);
                return self.fail(start, Reason::InvalidWord, format!("Invalid word following !<integer>: {word}"));
            }
            if word.first() == Some(&b'!') && head.is_none() {
                self.doubt(word, start, self.now.raw_ids, self.is_first_of_line(start));
            }
            self.consume(end);
            if self.words.len() - self.now.first > crate::limits::INSTRUCTION_WORDS && head.is_none() {
                return self.fail(self.last, Reason::TooLong, "Instruction too long: more than 65535 words.");
            }
        }
        Ok(())
    }

    /// The byte `c` as a token of its own.
    fn punctuation(&mut self, c: u8, after: &str) -> Result<(), Fail> {
        let i = self.pos;
        if i >= self.text.len() {
            return self.fail(i, Reason::EndOfText, format!("Expected '{}', found end of stream.", c as char));
        }
        if at(self.text, i) != c {
            let found = self.text.get(i..=i).map(String::from_utf8_lossy).or_impossible_default();
            return self.fail(
                i,
                Reason::UnexpectedToken,
                format!("'{}' expected after {after} but found '{found}'.", c as char),
            );
        }
        self.consume(i + 1);
        Ok(())
    }

    /// A 16-bit number between punctuation.
    fn short_number(&mut self, missing: &str, invalid: &str) -> Result<u16, Fail> {
        let i = self.pos;
        if i >= self.text.len() {
            return self.fail(i, Reason::EndOfText, format!("Expected {missing}, found end of stream."));
        }
        let end = word_end(self.text, i);
        let word = self.token((i, end));
        match integer::unsigned(word, 16) {
            Some(n) => {
                self.consume(end);
                Ok(n as u16)
            }
            None => self.fail(i, Reason::InvalidNumber, format!("Invalid {invalid}: \"{}\".", shown(word))),
        }
    }

    /// `OpUnknown(opcode, words) value…`, from the name on.
    pub(super) fn unknown_instruction(&mut self, assigned: bool) -> Result<(), Fail> {
        if assigned {
            let message = "OpUnknown not allowed in assignment. Use an explicit result id operand instead.";
            return self.fail(self.pos, Reason::ResultMismatch, message);
        }
        self.consume(self.now.name.1);
        self.punctuation(b'(', "OpUnknown")?;
        let opcode = self.short_number("opcode enumerant", "opcode enumerant")?;
        self.punctuation(b',', "opcode enumerant")?;
        let at_count = self.pos;
        let count = self.short_number("number of words", "number of words")?;
        if count == 0 {
            let message = "Number of words (which includes the opcode) must be greater than zero.";
            return self.fail(at_count, Reason::InvalidNumber, message);
        }
        self.punctuation(b')', "number of words")?;
        self.words.push(0);
        for taken in 1..count {
            let start = self.pos;
            let left = count - taken;
            if start >= self.text.len() {
                return self.fail(
                    start,
                    Reason::EndOfText,
                    format!("Expected {left} more operands, found end of stream."),
                );
            }
            if is_instruction(self.text, start) {
                let word = self.word(start);
                let message = format!("Unexpected start of new instruction: \"{word}\". Expected {left} more operands");
                return self.fail(start, Reason::MissingOperand, message);
            }
            let end = word_end(self.text, start);
            let word = self.token((start, end));
            if word == b"=" {
                return self.fail(start, Reason::UnexpectedToken, "OpUnknown not allowed before =.");
            }
            if !self.value(word, start)? {
                let word = shown(word);
                return self.fail(start, Reason::InvalidWord, format!("Invalid word following !<integer>: {word}"));
            }
            self.consume(end);
        }
        // An `=` here would make the whole an assignment.
        let next = self.pos;
        if at(self.text, next) == b'=' && word_end(self.text, next) == next + 1 {
            return self.fail(next, Reason::UnexpectedToken, "OpUnknown not allowed before =.");
        }
        debug_assert!(skip(self.text, next) == next, "a position stands on a token");
        self.patch(self.now.first, opcode)
    }
}
