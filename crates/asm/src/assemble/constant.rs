//! Numbers written as expressions: `(1 << 12) - 4`, `~7`, `+4`.
//!
//! A text that is a plain number, with or without `-`, is not read here, but by the rules of its field.
//! Operators and precedence are C's; values have 128 bits, and an overflow makes the text no expression.

use isaglot_invariant::Impossible as _;

use super::limits::MAX_CONSTANT_DEPTH;
use super::number;

/// The value and length of the expression that a text begins with; `None` if it begins with none, or with a plain
/// number.
pub(super) fn read(text: &[u8]) -> Option<(i128, usize)> {
    let begins = match text.first()? {
        b'(' | b'+' | b'~' | b'!' => true,
        b'-' => matches!(text.get(1), Some(b'(' | b'~' | b'!' | b'-')),
        byte => byte.is_ascii_digit(),
    };
    if !begins {
        return None;
    }
    let mut reader = Reader { text, at: 0, depth: 0, operators: 0 };
    let value = reader.binary(0)?;
    (reader.operators > 0).then_some((value, reader.at))
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    depth: u32,
    operators: u32,
}

const OPERATORS: &[(&[u8], u32)] =
    &[(b"<<", 4), (b">>", 4), (b"|", 1), (b"^", 2), (b"&", 3), (b"+", 5), (b"-", 5), (b"*", 6), (b"/", 6), (b"%", 6)];

impl Reader<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).or_impossible(&[])
    }

    fn blanks(&mut self) {
        self.at += self.rest().iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    }

    fn binary(&mut self, least: u32) -> Option<i128> {
        let mut left = self.unary()?;
        loop {
            // Blanks belong to the expression only if an operator follows.
            let before = (self.at, self.operators);
            self.blanks();
            let found = OPERATORS.iter().find(|(text, level)| *level > least && self.rest().starts_with(text));
            let Some(&(op, level)) = found else {
                self.at = before.0;
                return Some(left);
            };
            self.at += op.len();
            // `7 + a0`: what follows the operator is not a number, so the expression is `7` and ends before the `+`.
            let value = self.binary(level).and_then(|right| apply(op, left, right));
            let Some(value) = value else {
                (self.at, self.operators) = before;
                return Some(left);
            };
            self.operators += 1;
            left = value;
        }
    }

    fn unary(&mut self) -> Option<i128> {
        self.blanks();
        self.depth += 1;
        if self.depth > MAX_CONSTANT_DEPTH {
            return None;
        }
        let op = self.rest().first().copied()?;
        let value = match op {
            b'(' => {
                self.at += 1;
                let value = self.binary(0)?;
                self.blanks();
                if self.rest().first() != Some(&b')') {
                    return None;
                }
                self.at += 1;
                self.operators += 1;
                value
            }
            b'+' | b'-' | b'~' | b'!' => {
                self.at += 1;
                let value = self.unary()?;
                self.operators += 1;
                match op {
                    b'-' => value.checked_neg()?,
                    b'~' => !value,
                    b'!' => i128::from(value == 0),
                    _ => value,
                }
            }
            _ => {
                let (value, len) = number::literal(self.rest())?;
                self.at += len;
                i128::from(value?)
            }
        };
        self.depth -= 1;
        Some(value)
    }
}

fn apply(op: &[u8], x: i128, y: i128) -> Option<i128> {
    let amount = || u32::try_from(y).ok().filter(|&n| n < 64);
    match op {
        b"<<" => x.checked_mul(1i128 << amount()?),
        b">>" => Some(x >> amount()?),
        b"|" => Some(x | y),
        b"^" => Some(x ^ y),
        b"&" => Some(x & y),
        b"+" => x.checked_add(y),
        b"-" => x.checked_sub(y),
        b"*" => x.checked_mul(y),
        b"/" => x.checked_div(y),
        _ => x.checked_rem(y),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn expressions() {
        assert_eq!(read(b"(0x400|9), x"), Some((0x409, 9)));
        assert_eq!(read(b"+4(ra)"), Some((4, 2)));
        assert_eq!(read(b"~2047"), Some((-2048, 5)));
        assert_eq!(read(b"1 << 3 + 1)"), Some((16, 10)));
        assert_eq!(read(b"1+1 , y"), Some((2, 3)));
        assert_eq!(read(b"12(sp)"), None);
        assert_eq!(read(b"-5"), None);
        assert_eq!(read(b"(a0)"), None);
        assert_eq!(read(b"7 + a0"), None);
    }
}
