//! Tokens of the definition language.
//!
//! Lexing never fails: what is not part of the language becomes an [`TokenKind::Unknown`] token, and the parser complains
//! only if it meets one where it matters, so that a `semantics` block may hold another language. Comments vanish,
//! except that a `///` comment is remembered by the token after it.

use isaglot_invariant::Impossible as _;

use crate::limits;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Letters, digits, `_` and `-`; a number if it starts with a digit. `-` is not part of any legal name, but taking
    /// it in lets a bad name be called that.
    Word,
    /// `"…"` on one line; `\` escapes the next character.
    Text,
    /// One of `. : , ; = { } ( )`.
    Punct(u8),
    /// A byte that starts no token, or a string or comment without an end.
    Unknown,
    /// After the last token; its span is empty.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The first token of its line.
    pub(crate) first: bool,
    /// Where the `///` comments before this token begin, if there are any; they end before the token.
    pub(crate) doc: Option<usize>,
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

/// Whether a comment at `rest` documents what follows it.
fn is_doc(rest: &[u8]) -> bool {
    rest.starts_with(b"///") && !rest.starts_with(b"////")
}

/// Splits a file into tokens; the last one is always [`TokenKind::End`].
pub(crate) fn lex(bytes: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut first = true;
    let mut doc = None;
    while let Some(&b) = bytes.get(at) {
        let rest = bytes.get(at..).or_impossible(&[]);
        let start = at;
        if b.is_ascii_whitespace() {
            first |= b == b'\n';
            at += 1;
            continue;
        }
        if rest.starts_with(b"//") {
            if is_doc(rest) {
                doc = doc.or(Some(at));
            }
            at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with(b"/*")
            && let Some(len) = rest.windows(2).skip(2).position(|w| w == b"*/")
        {
            first |= rest.iter().take(len + 4).any(|&b| b == b'\n');
            at += len + 4;
            continue;
        }
        let kind = match b {
            b'.' | b':' | b',' | b';' | b'=' | b'{' | b'}' | b'(' | b')' => {
                at += 1;
                TokenKind::Punct(b)
            }
            b'"' => match text_len(rest) {
                Some(len) => {
                    at += len;
                    TokenKind::Text
                }
                None => {
                    at += 1;
                    TokenKind::Unknown
                }
            },
            b if is_word(b) => {
                at += rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len());
                TokenKind::Word
            }
            b'/' if rest.starts_with(b"/*") => {
                at = bytes.len();
                TokenKind::Unknown
            }
            _ => {
                // A whole character, so that a message never quotes half of one.
                at += 1 + rest.iter().skip(1).take_while(|&&b| b & 0xc0 == 0x80).count();
                TokenKind::Unknown
            }
        };
        tokens.push(Token { kind, start, end: at, first, doc: doc.take() });
        first = false;
        if tokens.len() >= limits::MAX_TOKENS {
            break;
        }
    }
    tokens.push(Token { kind: TokenKind::End, start: bytes.len(), end: bytes.len(), first: true, doc: None });
    tokens
}

/// The length of the string that starts `rest`, quotes included; `None` when its line ends first.
fn text_len(rest: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match rest.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            b'\n' => return None,
            _ => at += 1,
        }
    }
}

/// The text of the `///` comments from `start` up to `end`, without the markers and one blank after each.
pub(crate) fn doc_text(bytes: &[u8], start: usize, end: usize) -> String {
    let text = String::from_utf8_lossy(bytes.get(start..end).or_impossible(&[])).into_owned();
    let lines = text.lines().map(str::trim_start).filter(|line| is_doc(line.as_bytes()));
    let lines = lines.filter_map(|line| line.strip_prefix("///")).map(|l| l.strip_prefix(' ').unwrap_or(l).trim_end());
    lines.collect::<Vec<_>>().join("\n")
}
