//! Display texts: C string literals with references between braces.
//!
//! The reference pastes a display into a C string literal and interprets the bytes that the C compiler makes of it. So
//! escapes are replaced first, then references are found. What would break that C file (a quote, a line end) is kept
//! as it is, with a warning.
//!
//! An example: `{NAME}\t\x7bDST:align=8\x7d` becomes the bytes `{NAME}`, a tab, `{DST:align=8}`; so its parts are the
//! reference `NAME`, the literal tab, and the reference `DST` with the column 8. An escape can therefore make a reference, and
//! there is no way to print a brace.

use isaglot_source::{Diagnostic, Diagnostics, Span};

use crate::limits;
use crate::text::Text;

/// A part of a display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Bytes echoed as they are.
    Literal(Vec<u8>),
    /// `{NAME:align=N}`
    Reference {
        /// The text before `:align=`; may be empty.
        name: String,
        /// The column; `None` if the reference does not ask for one.
        align: Option<u32>,
        /// The whole text between the braces.
        reference: String,
        /// Where it stands, braces included.
        span: Span,
    },
}

/// Bytes with the place of each in the text that they came from.
struct CString {
    bytes: Vec<u8>,
    offsets: Vec<u32>,
}

impl CString {
    fn push(&mut self, bytes: &[u8], at: usize) {
        for b in bytes {
            self.bytes.push(*b);
            self.offsets.push(at as u32);
        }
    }
}

/// The bytes that a C compiler makes of a text pasted into a string literal.
pub fn c_string(text: &Text, out: &mut Diagnostics) -> Vec<u8> {
    unescape(text, out).bytes
}

/// As [`c_string`], as a string; bytes that are no UTF-8 are replaced.
pub fn c_text(text: &Text, out: &mut Diagnostics) -> String {
    if !text.value.bytes().any(|b| matches!(b, b'\\' | b'"' | b'\n')) {
        return text.value.clone();
    }
    String::from_utf8_lossy(&c_string(text, out)).into_owned()
}

fn unescape(text: &Text, out: &mut Diagnostics) -> CString {
    let value = text.value.as_str();
    let mut result = CString { bytes: Vec::with_capacity(value.len()), offsets: Vec::with_capacity(value.len()) };
    let mut odd = |at: usize, len: usize, what: &str| {
        out.push(
            Diagnostic::warning("isaspec-c-string", what)
                .label(text.span_of(at..at + len), "the reference pastes this text into a C string literal"),
        );
    };
    let mut chars = value.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let rest = &value[at + 1..];
                let (bytes, len) = escape(rest);
                match bytes {
                    Escape::Bytes(bytes) => result.push(&bytes, at),
                    Escape::End => odd(at, 1, "a backslash at the end of a text"),
                    Escape::Unknown => odd(at, 2, "an escape that C does not know; the backslash is dropped"),
                }
                let end = at + 1 + len;
                while chars.offset() < end && chars.next().is_some() {}
            }
            '"' | '\n' => {
                odd(at, 1, "a quote or line end inside a text would break the reference's C file; it is kept");
                result.push(&[c as u8], at);
            }
            c => {
                let start = result.bytes.len();
                result.push(c.encode_utf8(&mut [0; 4]).as_bytes(), at);
                for (i, offset) in result.offsets[start..].iter_mut().enumerate() {
                    *offset += i as u32;
                }
            }
        }
    }
    // A C string ends at its first zero byte.
    if let Some(end) = result.bytes.iter().position(|&b| b == 0) {
        let at = result.offsets.get(end).map_or(0, |&o| o as usize);
        odd(at, 1, "a zero byte ends the text here");
        result.bytes.truncate(end);
        result.offsets.truncate(end);
    }
    result
}

enum Escape {
    Bytes(Vec<u8>),
    Unknown,
    End,
}

/// The meaning of what follows a backslash, and how many bytes it takes.
fn escape(rest: &str) -> (Escape, usize) {
    let Some(first) = rest.chars().next() else { return (Escape::End, 0) };
    let run = |from: usize, most: usize, radix: u32| {
        rest.get(from..).map_or(0, |r| r.chars().take(most).take_while(|c| c.is_digit(radix)).count())
    };
    let number = |from: usize, len: usize, radix: u32| {
        // Only the low byte of an over-long hexadecimal escape counts, as with gcc.
        rest.get(from..from + len)
            .unwrap_or("")
            .chars()
            .fold(0u32, |n, c| n.wrapping_mul(radix).wrapping_add(c.to_digit(radix).unwrap_or(0)))
    };
    let byte = |b: u8, len| (Escape::Bytes(vec![b]), len);
    match first {
        'n' => byte(b'\n', 1),
        't' => byte(b'\t', 1),
        'r' => byte(b'\r', 1),
        'a' => byte(7, 1),
        'b' => byte(8, 1),
        'f' => byte(12, 1),
        'v' => byte(11, 1),
        'e' => byte(27, 1),
        '\\' | '\'' | '"' | '?' => byte(first as u8, 1),
        '0'..='7' => {
            let len = run(0, 3, 8);
            byte(number(0, len, 8) as u8, len)
        }
        'x' if run(1, usize::MAX, 16) > 0 => {
            let len = run(1, usize::MAX, 16);
            byte(number(1, len, 16) as u8, 1 + len)
        }
        'u' | 'U' => {
            let wanted = if first == 'u' { 4 } else { 8 };
            match char::from_u32(number(1, wanted, 16)).filter(|_| run(1, wanted, 16) == wanted) {
                Some(c) => (Escape::Bytes(c.to_string().into_bytes()), 1 + wanted),
                None => (Escape::Unknown, 0),
            }
        }
        _ => (Escape::Unknown, 0),
    }
}

/// Splits a display into its parts; `None` if it is malformed, which is reported.
pub fn parse(text: &Text, out: &mut Diagnostics) -> Option<Vec<Part>> {
    if text.value.len() > limits::MAX_DISPLAY_BYTES {
        let message = format!("the display is longer than {} bytes", limits::MAX_DISPLAY_BYTES);
        out.push(Diagnostic::error("isaspec-display-limit", message).label(text.span(), "this display"));
        return None;
    }
    let CString { bytes, offsets } = unescape(text, out);
    let offset = |at: usize| offsets.get(at).map_or(text.value.len(), |&o| o as usize);
    let mut parts = Vec::new();
    let (mut done, mut references) = (0, 0);
    while let Some(open) = bytes[done..].iter().position(|&b| b == b'{').map(|n| done + n) {
        let Some(close) = bytes[open..].iter().position(|&b| b == b'}').map(|n| open + n) else {
            out.push(
                Diagnostic::error("isaspec-unterminated-reference", "`{` without `}` in a display")
                    .label(text.span_of(offset(open)..offset(open) + 1), "expected `}` after it")
                    .note("there is no escape for a literal `{`"),
            );
            return None;
        };
        references += 1;
        if references > limits::MAX_REFERENCES {
            let message = format!("more than {} references in one display", limits::MAX_REFERENCES);
            out.push(Diagnostic::error("isaspec-display-limit", message).label(text.span(), "this display"));
            return None;
        }
        if open > done {
            parts.push(Part::Literal(bytes[done..open].to_vec()));
        }
        let span = text.span_of(offset(open)..offset(close) + 1);
        parts.push(reference(&bytes[open + 1..close], span, out)?);
        done = close + 1;
    }
    if done < bytes.len() {
        parts.push(Part::Literal(bytes[done..].to_vec()));
    }
    Some(parts)
}

fn reference(inner: &[u8], span: Span, out: &mut Diagnostics) -> Option<Part> {
    let reference = String::from_utf8_lossy(inner).into_owned();
    // Few references have a colon at all.
    let Some((name, column)) = reference.contains(':').then(|| reference.split_once(":align=")).flatten() else {
        return Some(Part::Reference { name: reference.clone(), align: None, reference, span });
    };
    // C's atoi: blanks, a sign, digits; the rest is ignored.
    let number = column.trim_start();
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    let column = digits.get(..len).unwrap_or("").parse::<u32>();
    let column = if number.starts_with('-') || len == 0 { Ok(0) } else { column };
    match column {
        Ok(column) if column <= limits::MAX_ALIGN => {
            Some(Part::Reference { name: name.to_owned(), align: Some(column), reference, span })
        }
        _ => {
            let message = format!("the column of `:align=` is larger than {}", limits::MAX_ALIGN);
            out.push(Diagnostic::error("isaspec-display-limit", message).label(span, "this reference"));
            None
        }
    }
}

/// The names between braces, in order: what the reference looks up among the templates. No empty ones.
pub(crate) fn template_references(value: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(open) = value[at..].find('{').map(|n| at + n) {
        let Some(close) = value[open..].find('}').map(|n| open + n) else { break };
        if close > open + 1 {
            names.push(&value[open + 1..close]);
            at = close + 1;
        } else {
            at = open + 1;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use isaglot_source::FileId;

    fn bytes(value: &str) -> Vec<u8> {
        c_string(&Text::verbatim(value, Span::new(FileId(0), 0, value.len())), &mut Diagnostics::new())
    }

    #[test]
    fn escapes_are_those_of_c() {
        assert_eq!(bytes(r"a\tb\x41 %"), b"a\tbA %");
        assert_eq!(bytes(r"%d\\n"), br"%d\n");
        assert_eq!(bytes(r"\101\60z\e\q"), b"A0z\x1bq");
        assert_eq!(bytes(r"é\u00e9"), "éé".as_bytes());
        assert_eq!(bytes(r"a\0b"), b"a");
        assert_eq!(bytes("a\\"), b"a");
        assert_eq!(bytes(r"\xfg"), b"\x0fg");
    }

    #[test]
    fn references_carry_their_alignment() {
        let text = Text::verbatim("a{X:align=18}{}{:align= 7x}", Span::new(FileId(0), 0, 27));
        let parts = parse(&text, &mut Diagnostics::new()).expect("well-formed");
        let shown: Vec<(String, Option<u32>)> = parts
            .iter()
            .map(|p| match p {
                Part::Literal(b) => (String::from_utf8_lossy(b).into_owned(), None),
                Part::Reference { name, align, .. } => (format!("<{name}>"), *align),
            })
            .collect();
        let expected = [("a", None), ("<X>", Some(18)), ("<>", None), ("<>", Some(7))];
        assert_eq!(shown, expected.map(|(s, a)| (s.to_owned(), a)));
        assert_eq!(template_references("{}a}{b}{c{d}"), ["b", "c{d"]);
    }
}
