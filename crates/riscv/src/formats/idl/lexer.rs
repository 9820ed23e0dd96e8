//! IDL's words: names, numbers with a width, symbols.

use isaglot_source::{Diagnostic, Diagnostics, Span};

use super::place::Place;
use super::syntax::{Literal, LiteralWidth};

/// What a word is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Name,
    /// `$name`
    Dollar,
    /// A number.
    Number(Literal),
    /// A text without its quotes.
    Text,
    /// Anything else.
    Symbol(&'static str),
    /// The end.
    End,
}

/// A word.
#[derive(Clone, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

/// Longest first.
const SYMBOLS: &[&str] = &[
    "`<<", ">>>", "`*", "`+", "`-", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::", "++", "--", "(", ")", "[",
    "]", "{", "}", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", ":", ";", ",", ".",
];

pub(crate) fn error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("idl-syntax", message)
}

/// All words of a text, and the end.
pub(crate) fn lex<'a>(place: &Place, text: &'a str, out: &mut Diagnostics) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if first == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        // The version of the language: nothing depends on it.
        if rest.starts_with("%version:") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        // A description is prose up to the first `}`.
        if first == '{' && tokens.last().is_some_and(|t: &Token<'_>| t.text == "description" && t.kind == Kind::Name) {
            tokens.push(Token { kind: Kind::Symbol("{"), text: "{", span: place.span(at, at + 1) });
            at += rest.find('}').unwrap_or(rest.len());
            continue;
        }
        let (kind, len) = word(rest, first, &tokens);
        let span = place.span(at, at + len);
        match kind {
            Some(kind) => tokens.push(Token { kind, text: &rest[..len], span }),
            None => {
                let what = if first == '"' {
                    "this text is not closed".to_owned()
                } else if first.is_ascii_digit() || first == '\'' {
                    format!("`{}` is not a number of at most 128 bits", &rest[..len])
                } else {
                    format!("unexpected character `{}`", first.escape_default())
                };
                out.push(error(what).label(span, ""));
            }
        }
        at += len;
    }
    tokens.push(Token { kind: Kind::End, text: "", span: place.span(text.len(), text.len()) });
    tokens
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The word that `rest` begins with, and its length; `None` if it is none.
fn word(rest: &str, first: char, before: &[Token<'_>]) -> (Option<Kind>, usize) {
    let run = |from: usize| rest[from..].find(|c: char| !is_word(c)).map_or(rest.len(), |n| n + from);
    if first == '"' {
        return match rest[1..].find(['"', '\n']) {
            Some(n) if rest[1 + n..].starts_with('"') => (Some(Kind::Text), n + 2),
            Some(n) => (None, n + 1),
            None => (None, rest.len()),
        };
    }
    if first.is_ascii_alphabetic() || first == '$' || first == '_' {
        let mut len = run(first.len_utf8());
        if rest[..len] == *"MXLEN" && rest[len..].starts_with('\'') {
            return sized(rest, len, LiteralWidth::Mxlen);
        }
        // A `?` belongs to the name of a function that is called or declared.
        let declared = before.last().is_some_and(|t| t.text == "function");
        if rest[len..].strip_prefix('?').is_some_and(|r| declared || r.starts_with(['(', '<'])) {
            len += 1;
        }
        return (Some(if first == '$' { Kind::Dollar } else { Kind::Name }), len);
    }
    if first == '\'' {
        return sized(rest, 0, LiteralWidth::Mxlen);
    }
    if first.is_ascii_digit() {
        let len = run(0);
        if rest[len..].starts_with('\'') {
            let bits =
                rest[..len].replace('_', "").parse().ok().filter(|n| (1..=crate::limits::MAX_IDL_WIDTH).contains(n));
            return match bits {
                Some(bits) => sized(rest, len, LiteralWidth::Bits(bits)),
                None => (None, run(len + 1)),
            };
        }
        return (plain(&rest[..len]).map(Kind::Number), len);
    }
    match SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
        Some(symbol) => (Some(Kind::Symbol(symbol)), symbol.len()),
        None => (None, first.len_utf8()),
    }
}

/// A literal with `'` at `quote`.
fn sized(rest: &str, quote: usize, width: LiteralWidth) -> (Option<Kind>, usize) {
    let from = quote + 1;
    let len = rest[from..].find(|c: char| !is_word(c)).map_or(rest.len(), |n| n + from);
    let digits = rest[from..len].replace('_', "");
    let mut letters = digits.as_str();
    let signed = letters.starts_with('s');
    letters = letters.strip_prefix('s').unwrap_or(letters);
    let radix = match letters.chars().next() {
        Some('b') => 2,
        Some('o') => 8,
        Some('d') => 10,
        Some('h') => 16,
        _ => 0,
    };
    letters = if radix == 0 { letters } else { &letters[1..] };
    let radix = if radix == 0 { 10 } else { radix };
    let undefined = radix != 10 && letters.contains(['x', 'X']);
    let value = u128::from_str_radix(&letters.replace(['x', 'X'], if undefined { "0" } else { "x" }), radix).ok();
    (value.map(|value| Kind::Number(Literal { width, signed, value, undefined })), len)
}

/// A literal without a width.
fn plain(text: &str) -> Option<Literal> {
    let digits = text.replace('_', "");
    let (digits, signed) = match digits.strip_suffix('s') {
        Some(d) => (d, true),
        None => (digits.as_str(), false),
    };
    let value = match digits.get(..2) {
        Some("0x") => u128::from_str_radix(&digits[2..], 16),
        Some("0b") => u128::from_str_radix(&digits[2..], 2),
        _ if digits.len() > 1 && digits.starts_with('0') => u128::from_str_radix(digits, 8),
        _ => digits.parse(),
    };
    Some(Literal { width: LiteralWidth::Needed, signed, value: value.ok()?, undefined: false })
}
