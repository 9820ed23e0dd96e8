//! The tokens of a line of an operand table, and what small things are made of them: numbers, ranges of bits, sets of values.
//!
//! Invariant: a token has its place in the file, so that every message has one.

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, FileId, Span};

use crate::table::formula::Definitions;
use crate::table::{TableNumber, ValueSet};

/// A line of a table.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) file: FileId,
    pub(super) text: &'t str,
    /// Where it begins in the file, in bytes.
    pub(super) start: usize,
    pub(super) indented: bool,
    /// What formulas in it may use.
    pub(super) known: &'t Definitions,
}

/// A word, a text in quotes, a sign, `..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Text(String),
    Mark(char),
    Dots,
}

/// The tokens of a line that are left, with their places.
pub(super) struct Tokens<'t> {
    pub(super) line: Line<'t>,
    pub(super) list: Vec<(Token, usize, usize)>,
    pub(super) at: usize,
    /// The operands and fields of instructions that were read.
    pub(super) named: Vec<(String, Span)>,
}

pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

impl<'t> Tokens<'t> {
    pub(super) fn new(line: Line<'t>) -> Result<Tokens<'t>> {
        let mut tokens = Tokens { line, list: Vec::new(), at: 0, named: Vec::new() };
        let mut chars = line.text.char_indices().peekable();
        while let Some((start, c)) = chars.next() {
            if c.is_whitespace() {
                continue;
            }
            if c == '"' {
                let mut text = String::new();
                let mut end = None;
                while let Some((i, c)) = chars.next() {
                    match c {
                        '"' => {
                            end = Some(i + 1);
                            break;
                        }
                        '\\' => text.extend(chars.next().map(|(_, c)| c)),
                        c => text.push(c),
                    }
                }
                let Some(end) = end else {
                    let d = Diagnostic::error("operands-string", "a string has no end");
                    return Err(d.label(tokens.span(start, line.text.len()), "it begins here"));
                };
                tokens.list.push((Token::Text(text), start, end));
                continue;
            }
            if line.text.get(start..).is_some_and(|t| t.starts_with("..")) {
                chars.next();
                tokens.list.push((Token::Dots, start, start + 2));
                continue;
            }
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '+';
            if is_word(c) {
                let mut end = start + c.len_utf8();
                while let Some(&(i, c)) = chars.peek() {
                    if !is_word(c) || line.text.get(i..).is_some_and(|t| t.starts_with("..")) {
                        break;
                    }
                    end = i + c.len_utf8();
                    chars.next();
                }
                tokens.list.push((Token::Word(line.text.get(start..end).or_impossible("").to_owned()), start, end));
            } else {
                tokens.list.push((Token::Mark(c), start, start + c.len_utf8()));
            }
        }
        Ok(tokens)
    }

    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.line.file, self.line.start + from, self.line.start + to)
    }

    pub(super) fn whole(&self) -> Span {
        self.span(0, self.line.text.len())
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.list.get(self.at).map(|t| &t.0)
    }

    pub(super) fn done(&self) -> bool {
        self.at >= self.list.len()
    }

    pub(super) fn wanted(&self, what: &str) -> Diagnostic {
        let span = match self.list.get(self.at) {
            Some(&(_, from, to)) => self.span(from, to),
            None => self.span(self.line.text.len(), self.line.text.len()),
        };
        Diagnostic::error("operands-syntax", format!("expected {what}")).label(span, "here")
    }

    pub(super) fn mark(&mut self, c: char) -> bool {
        let is = self.peek() == Some(&Token::Mark(c));
        self.at += usize::from(is);
        is
    }

    pub(super) fn need(&mut self, c: char) -> Result<()> {
        if self.mark(c) { Ok(()) } else { Err(self.wanted(&format!("`{c}`"))) }
    }

    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Word(w)) if w == word);
        self.at += usize::from(is);
        is
    }

    pub(super) fn word(&mut self, what: &str) -> Result<String> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.wanted(what)),
        }
    }

    /// A word that names an operand or a field of an instruction.
    pub(super) fn operand(&mut self, what: &str) -> Result<String> {
        let place = self.list.get(self.at).map(|&(_, from, to)| self.span(from, to));
        let name = self.word(what)?;
        self.named.extend(place.map(|place| (name.clone(), place)));
        Ok(name)
    }

    /// An `AsmString`, whose operands are noted.
    pub(super) fn asm_string(&mut self) -> Result<String> {
        let place = self.list.get(self.at).map(|&(_, from, to)| self.span(from, to));
        let text = self.text("an `AsmString`")?;
        // `$name`, `${name:method}`; `$$` is a sign. What comes after a dot may be text.
        for after in text.replace("$$", "").split('$').skip(1) {
            let after = after.strip_prefix('{').unwrap_or(after);
            let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
            let name = after.get(..end).filter(|name| !name.is_empty()).map(str::to_owned);
            self.named.extend(name.zip(place));
        }
        Ok(text)
    }

    pub(super) fn text(&mut self, what: &str) -> Result<String> {
        match self.peek() {
            Some(Token::Text(text)) => {
                let text = text.clone();
                self.at += 1;
                Ok(text)
            }
            _ => Err(self.wanted(what)),
        }
    }

    pub(super) fn number(&mut self, what: &str) -> Result<i64> {
        let before = self.at;
        let negative = self.mark('-');
        let word = self.word(what);
        let value = word.as_deref().ok().and_then(number);
        match value {
            Some(value) => Ok(if negative { value.wrapping_neg() } else { value }),
            None => {
                self.at = before;
                Err(self.wanted(what))
            }
        }
    }

    /// A number from 0 to `most`.
    pub(super) fn count(&mut self, what: &str, most: u32) -> Result<u32> {
        let before = self.at;
        match u32::try_from(self.number(what)?) {
            Ok(count) if count <= most => Ok(count),
            _ => {
                self.at = before;
                Err(self.wanted(&format!("{what}, from 0 to {most}")))
            }
        }
    }

    pub(super) fn num(&mut self, what: &str) -> Result<TableNumber> {
        let before = self.at;
        if let Ok(value) = self.number(what) {
            return Ok(TableNumber::Is(value));
        }
        self.at = before;
        Ok(TableNumber::Param(self.word(what)?))
    }

    /// Whether a number or a parameter follows.
    pub(super) fn optional_num(&mut self) -> Result<Option<TableNumber>> {
        match self.peek() {
            Some(Token::Word(_)) | Some(Token::Mark('-')) => self.num("a number").map(Some),
            _ => Ok(None),
        }
    }

    /// `[3:0, 7]`
    pub(super) fn bits(&mut self) -> Result<Vec<(u32, u32)>> {
        let mut list = Vec::new();
        if !self.mark('[') {
            return Ok(list);
        }
        loop {
            let high = self.number("a bit")?;
            let low = if self.mark(':') { self.number("a bit")? } else { high };
            match (u32::try_from(high), u32::try_from(low)) {
                (Ok(high), Ok(low)) if low <= high && high < crate::limits::MAX_INST_BITS => list.push((high, low)),
                _ => return Err(self.wanted("bits as `high:low` before this")),
            }
            if !self.mark(',') {
                break;
            }
        }
        self.need(']')?;
        Ok(list)
    }

    /// A set of values: `5`, `0..3`, `0b1xx0`, `*`.
    pub(super) fn set(&mut self) -> Result<ValueSet> {
        if self.mark('*') {
            return Ok(ValueSet::Any);
        }
        if self.keyword("negative") {
            return Ok(ValueSet::Negative);
        }
        if self.keyword("top") {
            return match self.set()? {
                ValueSet::Mask(care, value) => Ok(ValueSet::Top(64 - care.leading_zeros(), value)),
                _ => Err(self.wanted("bits as `0b…` before this")),
            };
        }
        if let Some(Token::Word(word)) = self.peek()
            && let Some(digits) = word.strip_prefix("0b")
            && digits.len() <= 64
            && digits.bytes().all(|b| matches!(b, b'0' | b'1' | b'x'))
        {
            let bits = |one: fn(u8) -> bool| digits.bytes().fold(0u64, |v, b| v << 1 | u64::from(one(b)));
            let set = ValueSet::Mask(bits(|b| b != b'x'), bits(|b| b == b'1'));
            self.at += 1;
            return Ok(set);
        }
        let from = self.number("a value, `FROM..TO`, `0b` with `x`, or `*`")? as u64;
        if self.peek() == Some(&Token::Dots) {
            self.at += 1;
            return Ok(ValueSet::Range(from, self.number("the last value")? as u64));
        }
        Ok(ValueSet::Range(from, from))
    }

    pub(super) fn end(&self) -> Result<()> {
        if self.done() { Ok(()) } else { Err(self.wanted("the end of the line")) }
    }
}

/// A number: decimal, `0x` or `0b`.
fn number(word: &str) -> Option<i64> {
    match (word.strip_prefix("0x"), word.strip_prefix("0b")) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).ok().map(|v| v as i64),
        (_, Some(bits)) => u64::from_str_radix(bits, 2).ok().map(|v| v as i64),
        _ => word.parse().ok(),
    }
}
