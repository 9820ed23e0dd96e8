//! A place in a line: looking at bytes, taking words and numbers, saying what was expected.

use isaglot_source::{Diagnostic, Span};

use super::{Parser, Result};
use crate::float;

impl<'a> Parser<'a, '_, '_> {
    /// Offset in the text.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.end - self.rest.len()
    }

    /// Goes back, or forth, to an offset of this line.
    pub(super) fn back_to(&mut self, at: usize) {
        self.rest = self.text.get(at..self.end).unwrap_or(&[]);
    }

    /// The next byte; 0 at the end of the line.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.rest.first().copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn skip(&mut self, n: usize) {
        self.rest = self.rest.get(n..).unwrap_or(&[]);
    }

    #[inline]
    pub(super) fn space(&mut self) {
        loop {
            let blanks = self.rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
            self.skip(blanks);
            // A comment inside the line, such as the offset and encoding that listings show.
            if self.peek() != b'/' || !self.rest.starts_with(b"/*") {
                return;
            }
            let length = self.rest.windows(2).position(|w| w == b"*/");
            self.skip(length.map_or(self.rest.len(), |n| n + 2));
        }
    }

    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        match self.rest {
            [first, tail @ ..] if *first == byte => {
                self.rest = tail;
                true
            }
            _ => false,
        }
    }

    #[inline]
    pub(super) fn eat_text(&mut self, text: &[u8]) -> bool {
        match self.rest.strip_prefix(text) {
            Some(tail) => {
                self.rest = tail;
                true
            }
            None => false,
        }
    }

    /// From `start` to here.
    pub(super) fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at().max(start + 1).min(self.text.len().max(start)))
    }

    pub(super) fn error(
        &self,
        code: &'static str,
        message: impl Into<String>,
        start: usize,
        expected: &str,
    ) -> Box<Diagnostic> {
        Diagnostic::error(code, message).label(self.span(start), expected).into()
    }

    #[cold]
    pub(super) fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.rest.first() {
            Some(_) => {
                let length = self.rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(self.rest.len());
                format!("`{}`", String::from_utf8_lossy(&self.rest[..length.clamp(1, 40).min(self.rest.len())]))
            }
            None => "the end of the line".to_owned(),
        };
        Diagnostic::error("xe-syntax", format!("expected {what}, found {found}"))
            .label(Span::new(self.file, self.at(), self.at() + 1), format!("expected {what}"))
            .into()
    }

    #[inline]
    pub(super) fn need(&mut self, byte: u8) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(byte)))) }
    }

    /// The first `length` bytes.
    #[inline]
    pub(super) fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// How many bytes stand before the one that `ends` says, or the end of the line; it is told how many parentheses
    /// are open after the byte.
    pub(super) fn length_to(&self, mut ends: impl FnMut(u8, usize) -> bool) -> usize {
        let mut depth = 0usize;
        let end = self.rest.iter().position(|b| {
            match b {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            ends(*b, depth)
        });
        end.unwrap_or(self.rest.len())
    }

    /// Letters, digits and underscores.
    #[inline]
    pub(super) fn name(&mut self) -> &'a [u8] {
        let length = self.rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        self.take(length)
    }

    /// The same as text.
    pub(super) fn word(&mut self) -> &'a str {
        std::str::from_utf8(self.name()).unwrap_or("")
    }

    #[inline]
    pub(super) fn letters(&mut self) -> &'a [u8] {
        let length = self.rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        self.take(length)
    }

    /// Whether no letter, digit or underscore is next.
    #[inline]
    fn ends_word(&self) -> bool {
        !self.rest.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
    }

    /// A number in any base.
    #[inline]
    pub(super) fn number(&mut self, what: &str) -> Result<u64> {
        // Nearly all are decimal and short.
        let (mut value, mut length) = (0u64, 0);
        while let Some(digit @ b'0'..=b'9') = self.rest.get(length)
            && length < SHORT_NUMBER
        {
            value = value * 10 + u64::from(digit - b'0');
            length += 1;
        }
        let (start, before) = (self.at(), self.rest);
        self.skip(length);
        if length > 0 && self.ends_word() {
            return Ok(value);
        }
        self.rest = before;
        let word = self.word();
        float::integer(word).filter(|_| !word.is_empty()).ok_or_else(|| {
            self.back_to(start);
            self.expected(what)
        })
    }

    /// One or two decimal digits, or nothing.
    #[inline]
    pub(super) fn few_digits(&mut self) -> Option<u8> {
        let (value, rest) = match self.rest {
            [a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] => ((a - b'0') * 10 + (b - b'0'), rest),
            [a @ b'0'..=b'9', rest @ ..] => (a - b'0', rest),
            _ => return None,
        };
        self.rest = rest;
        Some(value)
    }

    /// A number below 256.
    #[inline]
    pub(super) fn small(&mut self, what: &str) -> Result<u8> {
        let before = self.rest;
        // Nearly all have one or two digits.
        if let Some(n) = self.few_digits()
            && self.ends_word()
        {
            return Ok(n);
        }
        self.rest = before;
        let n = self.number(what)?;
        u8::try_from(n).map_err(|_| {
            let start = self.end - before.len();
            self.error("xe-range", format!("{n} is out of range"), start, what)
        })
    }
}

/// Digits of a decimal number that surely fits 64 bits.
const SHORT_NUMBER: usize = 18;
