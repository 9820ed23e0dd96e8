//! Strings of directives: `"text"` with C's escapes, to bytes.

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, FileId, Span};

use super::statement::TextSlice;

/// The bytes of a quoted string.
pub(super) fn bytes(file: FileId, text: &[u8], piece: TextSlice) -> Result<Vec<u8>, Diagnostic> {
    let error = |message: &str, at: usize, len: usize| {
        Diagnostic::error("asm-directive", message).label(Span::new(file, at, at + len), "here")
    };
    let start = piece.start as usize;
    let quoted = piece.of(text);
    let inner = quoted.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    let Some(inner) = inner.filter(|_| quoted.len() > 1) else {
        return Err(error("a string in quotes was expected", start, quoted.len()));
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut at = 0;
    while let Some(&byte) = inner.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let escaped = inner.get(at).copied();
        at += 1;
        out.push(match escaped {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(same @ (b'"' | b'\\' | b'\'')) => same,
            Some(b'x' | b'X') => {
                let digits =
                    inner.get(at..).or_impossible(&[]).iter().take_while(|b| b.is_ascii_hexdigit()).count().min(2);
                let value = number(inner.get(at..at + digits).or_impossible(&[]), 16);
                at += digits;
                value.ok_or_else(|| error("`\\x` takes hexadecimal digits", start + at - 1, 2))?
            }
            Some(b'0'..=b'7') => {
                let digits = inner
                    .get(at - 1..)
                    .or_impossible(&[])
                    .iter()
                    .take_while(|b| (b'0'..b'8').contains(*b))
                    .count()
                    .min(3);
                let value = number(inner.get(at - 1..at - 1 + digits).or_impossible(&[]), 8);
                at += digits - 1;
                value.ok_or_else(|| error("this is more than a byte", start + at, 1))?
            }
            _ => return Err(error("unknown escape", start + at - 1, 2.min(quoted.len()))),
        });
    }
    Ok(out)
}

fn number(digits: &[u8], base: u32) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok().filter(|text| !text.is_empty())?;
    u8::from_str_radix(text, base).ok()
}
