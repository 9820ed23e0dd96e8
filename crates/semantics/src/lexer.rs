//! Tokens. Signedness is part of an operator: `<s`, `>>u`, `/s`; a bare `<` or `/` is not a token of this language.

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Number(u128),
    Ident,
    /// One of [`SYMBOLS`].
    Symbol(&'static str),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

/// Longest first among those that share a beginning.
const SYMBOLS: &[&str] = &[
    "<=s", "<=u", ">=s", ">=u", ">>s", ">>u", "<<", "<s", "<u", ">s", ">u", "/s", "/u", "%s", "%u", "==", "!=", "&&",
    "||", "+", "-", "*", "&", "|", "^", "~", "!", "?", ":", "=", ";", ",", "(", ")", "[", "]", "{", "}", "#",
];

/// Operators that need to say how they take the sign.
const UNSIGNED_OR_SIGNED: &[&str] = &["<=", ">=", ">>", "<", ">", "/", "%"];

/// All tokens, ending with [`TokenKind::End`]. Offsets in spans start at `base`.
pub(crate) fn lex<'a>(file: FileId, base: usize, text: &'a str, out: &mut Diagnostics) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let span = |from: usize, to: usize| Span::new(file, base + from, base + to);
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().or_impossible(' ');
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => at += end + 2,
                None => {
                    out.push(error("this comment is not closed").label(span(at, at + 2), "expected `*/` after this"));
                    at = text.len();
                }
            }
        } else if first.is_ascii_alphabetic() || first == '_' {
            let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(Token { kind: TokenKind::Ident, text: &rest[..len], span: span(at, at + len) });
            at += len;
        } else if first.is_ascii_digit() {
            let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let value = number(&rest[..len]);
            if value.is_none() {
                let d = error(format!("`{}` is not a number of at most 128 bits", &rest[..len]));
                out.push(d.label(span(at, at + len), "expected decimal, `0x…` or `0b…`"));
            }
            tokens.push(Token {
                kind: TokenKind::Number(value.unwrap_or(0)),
                text: &rest[..len],
                span: span(at, at + len),
            });
            at += len;
        } else if let Some(symbol) = symbol(rest) {
            tokens.push(Token { kind: TokenKind::Symbol(symbol), text: symbol, span: span(at, at + symbol.len()) });
            at += symbol.len();
        } else {
            let bare = UNSIGNED_OR_SIGNED.iter().find(|s| rest.starts_with(**s));
            let len = bare.map_or(first.len_utf8(), |s| s.len());
            out.push(match bare {
                Some(op) => error(format!("`{op}` must say how it takes the sign"))
                    .label(span(at, at + len), format!("expected `{op}s` (signed) or `{op}u` (unsigned)")),
                None => {
                    error(format!("unexpected character `{}`", first.escape_default())).label(span(at, at + len), "")
                }
            });
            // Go on as if it had been said, so that what follows is still read.
            let assumed = bare.and_then(|op| SYMBOLS.iter().find(|s| s.starts_with(*op) && s.len() == op.len() + 1));
            if let Some(symbol) = assumed {
                tokens.push(Token { kind: TokenKind::Symbol(symbol), text: symbol, span: span(at, at + len) });
            }
            at += len;
        }
    }
    tokens.push(Token { kind: TokenKind::End, text: "", span: span(text.len(), text.len()) });
    tokens
}

fn symbol(rest: &str) -> Option<&'static str> {
    let longest = SYMBOLS.iter().copied().find(|s| rest.starts_with(s))?;
    // `a <sum` is a bare `<` before a name, not `<s` before `um`.
    let ends_in_letter = longest.ends_with(['s', 'u']);
    let goes_on = rest[longest.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if ends_in_letter && goes_on { None } else { Some(longest) }
}

fn number(text: &str) -> Option<u128> {
    let digits = text.replace('_', "");
    match digits.get(..2) {
        Some("0x") => u128::from_str_radix(&digits[2..], 16).ok(),
        Some("0b") => u128::from_str_radix(&digits[2..], 2).ok(),
        _ => digits.parse().ok(),
    }
}

fn error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("semantics-syntax", message)
}
