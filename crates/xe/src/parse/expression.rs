//! Immediates that are calculated: `(1 << 3) | 1`, `-(1.5)`, `0x1.8p3`.
//!
//! Operators and their order are those of C. A value is an integer of any sign within 64 bits, or a floating-point number; both do
//! not mix, so that `1/2:f` is not 0 in silence. What does not fit the type is refused.

use super::{Parser, Result};
use crate::float;
use crate::limits::MAX_EXPRESSION_DEPTH;
use crate::types::{Style, Type};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Integer(i128),
    Float(f64),
}

/// Operators from the weakest to the strongest; those of one row are taken from left to right.
const OPERATORS: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

impl<'a> Parser<'a, '_, '_> {
    /// The value of an expression; whether it has a complement in it, whose upper bits are cut off.
    pub(super) fn expression(&mut self) -> Result<(Value, bool)> {
        let mut complement = false;
        let value = self.operation(0, 0, &mut complement)?;
        Ok((value, complement))
    }

    fn operation(&mut self, row: usize, depth: usize, complement: &mut bool) -> Result<Value> {
        let Some(operators) = OPERATORS.get(row) else { return self.unary(depth, complement) };
        let mut left = self.operation(row + 1, depth, complement)?;
        loop {
            self.space();
            let start = self.at();
            let Some(operator) = operators.iter().find(|o| self.rest.starts_with(o.as_bytes())) else {
                return Ok(left);
            };
            self.skip(operator.len());
            let right = self.operation(row + 1, depth, complement)?;
            left = calculate(operator, left, right)
                .map_err(|why| self.error("xe-immediate", why, start, "in this expression"))?;
        }
    }

    fn unary(&mut self, depth: usize, complement: &mut bool) -> Result<Value> {
        self.space();
        let start = self.at();
        if depth > MAX_EXPRESSION_DEPTH {
            return Err(self.error("xe-limit", "expression too deep", start, "too many levels"));
        }
        if self.eat(b'-') {
            return Ok(match self.unary(depth + 1, complement)? {
                Value::Integer(n) => Value::Integer(-n),
                Value::Float(x) => Value::Float(-x),
            });
        }
        if self.eat(b'~') {
            *complement = true;
            let Value::Integer(n) = self.unary(depth + 1, complement)? else {
                return Err(self.error("xe-immediate", "only integers have a complement", start, "of this"));
            };
            return Ok(Value::Integer(!n));
        }
        if self.eat(b'(') {
            let value = self.operation(0, depth + 1, complement)?;
            self.space();
            self.need(b')')?;
            return Ok(value);
        }
        self.literal()
    }

    /// A number: integers in any base, floating-point numbers in decimal or hexadecimal, `inf`.
    fn literal(&mut self) -> Result<Value> {
        let start = self.at();
        let hex = self.rest.get(..2).is_some_and(|p| p.eq_ignore_ascii_case(b"0x"));
        let length = literal_length(self.rest, hex);
        let text = std::str::from_utf8(self.take(length)).unwrap_or("");
        let value = match float::integer(text).filter(|_| !text.is_empty()) {
            Some(n) => Some(Value::Integer(n.into())),
            None if hex => float::hexadecimal(text.get(2..).unwrap_or("")).map(Value::Float),
            None if text == "inf" || text.as_bytes().first().is_some_and(u8::is_ascii_digit) => {
                text.parse().ok().map(Value::Float)
            }
            None => None,
        };
        value.ok_or_else(|| {
            self.back_to(start);
            self.expected("a number")
        })
    }

    /// The bits of a value as an immediate of a type.
    pub(super) fn immediate_bits(&self, value: Value, complement: bool, ty: Type, start: usize) -> Result<u64> {
        let bits = ty.bits().min(64);
        let full = 1i128 << bits;
        let refuse = |why: String, wanted: &str| Err(self.error("xe-immediate", why, start, wanted));
        match (value, ty.style()) {
            (Value::Float(x), Style::Float) => {
                let (bits, infinity) = match bits {
                    16 => (float::to_half(x as f32).into(), 0x7C00),
                    64 => (x.to_bits(), f64::INFINITY.to_bits()),
                    _ => ((x as f32).to_bits().into(), f32::INFINITY.to_bits().into()),
                };
                if x.is_finite() && bits & infinity == infinity {
                    return refuse(format!("{x:e} is no value of type {}", ty.name()), "too large");
                }
                Ok(bits)
            }
            (Value::Float(_), _) => {
                refuse(format!("a floating-point number is no value of type {}", ty.name()), "expected an integer")
            }
            (Value::Integer(_), Style::Float) => {
                refuse("an expression of integers has no floating-point value".to_owned(), "write `1.0` for `1`, say")
            }
            (Value::Integer(n), _) => {
                let least = if complement { -full } else { -full / 2 };
                if n < least || n >= full {
                    return refuse(format!("{n} is no value of type {}", ty.name()), "does not fit");
                }
                Ok((n & (full - 1)) as u64)
            }
        }
    }
}

/// How long a number is: digits, letters and points, and the sign of an exponent.
fn literal_length(text: &[u8], hex: bool) -> usize {
    let exponent: &[u8] = if hex { b"pP" } else { b"eE" };
    let mut length = 0;
    while let Some(byte) = text.get(length) {
        let after_exponent = length > 0 && exponent.contains(&text[length - 1]) && text[0].is_ascii_digit();
        if !byte.is_ascii_alphanumeric() && *byte != b'.' && !(after_exponent && matches!(byte, b'+' | b'-')) {
            break;
        }
        length += 1;
    }
    length
}

fn calculate(operator: &str, left: Value, right: Value) -> std::result::Result<Value, String> {
    match (left, right) {
        (Value::Integer(a), Value::Integer(b)) => {
            let value = match operator {
                "|" => a | b,
                "^" => a ^ b,
                "&" => a & b,
                "<<" | ">>" if !(0..64).contains(&b) => return Err(format!("a shift by {b}")),
                "<<" => a << b,
                ">>" => a >> b,
                "+" => a + b,
                "-" => a - b,
                "*" => a.saturating_mul(b),
                "/" => a.checked_div(b).ok_or("a division by 0")?,
                _ => a.checked_rem(b).ok_or("a division by 0")?,
            };
            let within = (-(1i128 << 63)..1 << 64).contains(&value);
            if within { Ok(Value::Integer(value)) } else { Err("more than 64 bits".to_owned()) }
        }
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(match operator {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            _ => return Err(format!("`{operator}` is for integers only")),
        })),
        _ => Err("an integer and a floating-point number do not mix".to_owned()),
    }
}
