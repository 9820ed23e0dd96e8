//! Tokens of a C expression.

use std::ops::Range;

/// What a token is. Operators and punctuation are known by their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A number, its suffixes included, however malformed.
    Number,
    /// A name.
    Word,
    /// A character constant with its quotes.
    Char,
    /// An operator or punctuation mark.
    Mark,
    /// The end of the text.
    End,
}

/// A token: its kind and the bytes that it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    pub(crate) start: usize,
}

impl Token<'_> {
    /// The bytes that it takes.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// Marks of more than one character, longest first.
const LONG_MARKS: [&str; 19] = [
    "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "->", "&=", "|=",
];

/// The first token from `at` on, comments and white space skipped; or the range of what is not a token, and why.
pub(crate) fn next(text: &str, mut at: usize) -> Result<Token<'_>, (Range<usize>, &'static str)> {
    loop {
        let rest = text.get(at..).unwrap_or("");
        let skipped = rest.len() - rest.trim_start().len();
        if skipped > 0 {
            at += skipped;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(n) => at += n + 4,
                None => return Err((at..at + 2, "this comment is not closed: expected `*/`")),
            }
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else {
            break;
        }
    }
    let rest = text.get(at..).unwrap_or("");
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let Some(first) = rest.chars().next() else { return Ok(Token { kind: TokenKind::End, text: "", start: at }) };
    let token = |kind, len: usize| Ok(Token { kind, text: &rest[..len], start: at });
    let run = rest.bytes().take_while(|&b| word(b)).count();
    if first.is_ascii_digit() {
        return token(TokenKind::Number, run);
    }
    if run > 0 {
        return token(TokenKind::Word, run);
    }
    if first == '\'' {
        return match char_len(rest) {
            Some(len) => token(TokenKind::Char, len),
            None => Err((at..at + 1, "not a character constant: expected one character and `'`")),
        };
    }
    if let Some(mark) = LONG_MARKS.iter().find(|m| rest.starts_with(**m)) {
        return token(TokenKind::Mark, mark.len());
    }
    if "()!~-+*/%<>&^|?:,=[].".contains(first) {
        return token(TokenKind::Mark, 1);
    }
    let what = match first {
        '{' => "a field reference is `{NAME}`: letters, digits and underscores",
        '}' => "this brace closes nothing",
        _ => "this character has no place in an expression",
    };
    Err((at..at + first.len_utf8(), what))
}

/// The length of the character constant that `rest` starts with: one ASCII character or a simple escape.
fn char_len(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    match (bytes.get(1)?, bytes.get(2)?, bytes.get(3)) {
        (b'\\', c, Some(b'\'')) if c.is_ascii() => Some(4),
        (c, b'\'', _) if c.is_ascii() && !matches!(c, b'\'' | b'\\' | b'\n') => Some(3),
        _ => None,
    }
}
