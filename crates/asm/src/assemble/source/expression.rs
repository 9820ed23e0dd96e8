//! Constant expressions of directives: C's operators over 64-bit integers, symbols, and `.` for the place.
//!
//! Overflow and division by zero are errors, not values. A symbol may be written with `#` before it, as in operands.

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, FileId, Span};

use crate::assemble::limits::MAX_EXPRESSION_DEPTH;
use crate::assemble::number;
use crate::assemble::symbol::symbol_length;

/// The value of a symbol here; an error says why it has none.
pub(super) type Lookup<'l> = &'l mut dyn FnMut(&[u8], Span) -> Result<i64, Diagnostic>;

/// Evaluates the expression that `text[start..end]` is, all of it; with `octal`, numbers that begin with 0 are octal.
pub(super) fn evaluate(
    file: FileId,
    text: &[u8],
    (start, end): (usize, usize),
    octal: bool,
    lookup: Lookup<'_>,
) -> Result<i64, Diagnostic> {
    let mut parser = Parser { file, text: text.get(..end).or_impossible(text), at: start, octal, depth: 0, lookup };
    let value = parser.binary(0)?;
    parser.blanks();
    if parser.at < parser.text.len() {
        return Err(parser.error("an operator or the end was expected"));
    }
    Ok(value)
}

struct Parser<'t, 'l> {
    file: FileId,
    text: &'t [u8],
    at: usize,
    octal: bool,
    depth: usize,
    lookup: Lookup<'l>,
}

/// The operator that a text begins with: its length, and how tightly it binds.
fn operator(text: &[u8]) -> Option<(&'static [u8], usize)> {
    Some(match text {
        [b'|', ..] => (b"|", 0),
        [b'^', ..] => (b"^", 1),
        [b'&', ..] => (b"&", 2),
        [b'<', b'<', ..] => (b"<<", 3),
        [b'>', b'>', ..] => (b">>", 3),
        [b'+', ..] => (b"+", 4),
        [b'-', ..] => (b"-", 4),
        [b'*', ..] => (b"*", 5),
        [b'/', ..] => (b"/", 5),
        [b'%', ..] => (b"%", 5),
        _ => return None,
    })
}

impl Parser<'_, '_> {
    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn error(&self, what: &str) -> Diagnostic {
        let end = (self.at + 1).min(self.text.len()).max(self.at);
        Diagnostic::error("asm-expression", "this expression cannot be read")
            .label(Span::new(self.file, self.at, end), what)
    }

    /// Operators that bind at least as tightly as `level`, from the left.
    fn binary(&mut self, level: usize) -> Result<i64, Diagnostic> {
        let start = self.at;
        let mut left = self.unary()?;
        loop {
            self.blanks();
            let found = operator(self.text.get(self.at..).or_impossible(&[]));
            let Some((operator, binds)) = found.filter(|(_, binds)| *binds >= level) else { return Ok(left) };
            self.at += operator.len();
            let right = self.binary(binds + 1)?;
            let value = match operator {
                b"|" => Some(left | right),
                b"^" => Some(left ^ right),
                b"&" => Some(left & right),
                b"<<" => u32::try_from(right)
                    .ok()
                    .filter(|&by| by < 64)
                    .and_then(|by| left.checked_mul(1i64.checked_shl(by)?)),
                b">>" => u32::try_from(right).ok().filter(|&by| by < 64).map(|by| left >> by),
                b"+" => left.checked_add(right),
                b"-" => left.checked_sub(right),
                b"*" => left.checked_mul(right),
                b"/" => left.checked_div(right),
                _ => left.checked_rem(right),
            };
            left = value.ok_or_else(|| {
                Diagnostic::error("asm-expression", "the value does not exist in 64 bits")
                    .label(Span::new(self.file, start, self.at), "of this")
            })?;
        }
    }

    fn unary(&mut self) -> Result<i64, Diagnostic> {
        self.depth += 1;
        if self.depth > MAX_EXPRESSION_DEPTH {
            return Err(self.error("nested too deeply"));
        }
        self.blanks();
        let value = match self.text.get(self.at).copied() {
            Some(b'-') => {
                self.at += 1;
                self.unary()?.checked_neg().ok_or_else(|| self.error("too large"))
            }
            Some(b'~') => {
                self.at += 1;
                Ok(!self.unary()?)
            }
            Some(b'(') => {
                self.at += 1;
                let value = self.binary(0)?;
                self.blanks();
                if self.text.get(self.at) != Some(&b')') {
                    return Err(self.error("`)` was expected"));
                }
                self.at += 1;
                Ok(value)
            }
            _ => self.primary(),
        };
        self.depth -= 1;
        value
    }

    fn primary(&mut self) -> Result<i64, Diagnostic> {
        let rest = self.text.get(self.at..).or_impossible(&[]);
        if let Some((value, len)) = number::c_literal(rest, self.octal) {
            let start = self.at;
            self.at += len;
            let value = value.and_then(|value| i64::try_from(value).ok().or(Some(value as i64)));
            return value.ok_or_else(|| {
                let is_octal = self.octal && matches!(rest, [b'0', b'0'..=b'9' | b'_', ..]);
                let why =
                    if is_octal { "begins with 0, so it is octal: digits 0 to 7, at most 64 bits" } else { "this one" };
                Diagnostic::error(
                    "asm-expression",
                    "the number does not fit 64 bits, or its digits are not those of its base",
                )
                .label(Span::new(self.file, start, self.at), why)
            });
        }
        let hash = usize::from(rest.first() == Some(&b'#'));
        let name = rest.get(hash..).or_impossible(&[]);
        let len = symbol_length(name);
        let Some(name) = name.get(..len).filter(|name| !name.is_empty()) else {
            return Err(self.error("a number, a symbol or `(` was expected"));
        };
        let span = Span::new(self.file, self.at + hash, self.at + hash + len);
        self.at += hash + len;
        (self.lookup)(name, span)
    }
}
