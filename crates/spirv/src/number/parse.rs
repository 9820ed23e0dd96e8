//! Numeric literals of the assembler: text of a token and a type → words, or the message that the reference gives.

use super::format::{Encoding, Format, format};
use super::{NumberType, integer};

/// Why a literal was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Not of the form, or out of range.
    Invalid(String),
    /// A sign where there can be none: refused even where the operand may be missing.
    Usage(String),
    /// A width that the plain syntax cannot express.
    Unsupported(String),
}

fn show(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Parses a literal; the value's bits, low first, in as many words as the type takes (at most two).
pub(crate) fn number(text: &[u8], ty: NumberType) -> Result<(u64, u32), Refusal> {
    match ty {
        NumberType::Int { width, signed } => Ok((int(text, width, signed)?, ty.words())),
        NumberType::Float { width, encoding } => Ok((float(text, width, encoding)?, ty.words())),
    }
}

fn int(text: &[u8], width: u32, signed: bool) -> Result<u64, Refusal> {
    if width > 64 {
        return Err(Refusal::Unsupported(format!("Unsupported {width}-bit integer literals")));
    }
    let hex = matches!(text, [b'0', b'x' | b'X', ..]);
    let kind = if signed { "signed" } else { "unsigned" };
    let all = |bits: u32| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let overflow = !all(width);
    let sign = if signed { 1u64.checked_shl(width.wrapping_sub(1)).unwrap_or(0) } else { 0 };
    let (value, fits) = if text.first() == Some(&b'-') {
        if !signed {
            return Err(Refusal::Usage("Cannot put a negative number in an unsigned literal".to_owned()));
        }
        let value = integer::negative(text, 64)
            .ok_or_else(|| Refusal::Invalid(format!("Invalid signed integer literal: {}", show(text))))?;
        // Zero written `-0` fits everywhere.
        (value as u64, value >= 0 || value as u64 & (overflow | sign) == overflow | sign)
    } else {
        let value = integer::unsigned(text, 64)
            .ok_or_else(|| Refusal::Invalid(format!("Invalid unsigned integer literal: {}", show(text))))?;
        let usable = if hex { !overflow } else { !overflow & !sign };
        (value, value & !usable == 0)
    };
    if !fits {
        let written = match text.first() {
            Some(b'-') => format!("{}", value as i64),
            _ if hex => format!("0x{value:x}"),
            _ => format!("{value}"),
        };
        return Err(Refusal::Invalid(format!("Integer {written} does not fit in a {width}-bit {kind} integer")));
    }
    Ok(if hex && value & sign != 0 { value | overflow } else { value })
}

fn float(text: &[u8], width: u32, encoding: Encoding) -> Result<u64, Refusal> {
    let invalid = || {
        let what = encoding.in_messages().map_or_else(|| format!("{width}-bit float"), str::to_owned);
        Refusal::Invalid(format!("Invalid {what} literal: {}", show(text)))
    };
    let bits = match (encoding, format(width, encoding)) {
        (Encoding::E8M0, _) => wide(text).and_then(power_of_two),
        (Encoding::MxInt8, _) => wide(text).and_then(sixty_fourths),
        (_, Some(f)) => sign_exponent_fraction(text, width, &f),
        _ => return Err(Refusal::Unsupported(format!("Unsupported {width}-bit float literals"))),
    };
    bits.ok_or_else(invalid)
}

/// The sign and the rest; `None` for two signs.
fn signed(text: &[u8]) -> Option<(bool, &[u8])> {
    let text = integer::trim(text);
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    (!matches!(rest, [b'-' | b'+', ..])).then_some((negative, rest))
}

/// A decimal number as C++ streams take it: digits with at most one point, and an exponent with digits.
fn decimal(text: &[u8]) -> Option<&str> {
    let digits = |s: &[u8]| s.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(text);
    let mut rest = text.get(whole..)?;
    let mut any = whole;
    if let [b'.', after @ ..] = rest {
        let n = digits(after);
        any += n;
        rest = after.get(n..)?;
    }
    if any == 0 {
        return None;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let after = after.strip_prefix(b"+").or(after.strip_prefix(b"-")).unwrap_or(after);
        let n = digits(after);
        if n == 0 {
            return None;
        }
        rest = after.get(n..)?;
    }
    rest.is_empty().then_some(())?;
    std::str::from_utf8(text).ok()
}

/// A hexadecimal float of any size, normalised: value = (1 + fraction / 2^64) · 2^exponent.
struct Hex {
    zero: bool,
    /// Bits after the leading one, from the top; more than 64 are dropped.
    fraction: u64,
    /// Of the leading one: while digits are read, counts bits before the point up, leading zero bits after it down.
    exponent: i64,
}

impl Hex {
    /// Adds a bit of the digits. A bit after the leading one goes to `place` of the fraction, and the next one below it.
    fn push(&mut self, bit: bool, after_point: bool, place: &mut u64) {
        if self.zero {
            self.exponent -= i64::from(after_point);
            self.zero = !bit;
        } else {
            self.exponent += i64::from(!after_point);
            self.fraction |= if bit { *place } else { 0 };
            *place >>= 1;
        }
    }
}

/// Parses `h.h p[+-]d` after `0x`.
fn hex(text: &[u8]) -> Option<Hex> {
    let mut hex = Hex { zero: true, fraction: 0, exponent: 0 };
    let mut place = 1u64 << 63;
    let mut after_point = false;
    let mut rest = text;
    loop {
        let (&b, tail) = rest.split_first()?;
        rest = tail;
        match b {
            b'.' if !after_point => after_point = true,
            b'p' => break,
            _ => {
                let digit = (b as char).to_digit(16)?;
                for i in (0..4).rev() {
                    hex.push(digit >> i & 1 == 1, after_point, &mut place);
                }
            }
        }
    }
    let (negative, digits) = match rest {
        [b'-', d @ ..] => (true, d),
        [b'+', d @ ..] => (false, d),
        d => (false, d),
    };
    if digits.is_empty() {
        return None;
    }
    let mut written = 0i64;
    for &b in digits {
        if !b.is_ascii_digit() {
            return None;
        }
        written = written.saturating_mul(10).saturating_add(i64::from(b - b'0')).min(i64::from(i32::MAX));
    }
    hex.exponent += if negative { -written } else { written };
    Some(hex)
}

/// Cuts a hexadecimal float to a format: fraction bits truncated, small values to zero, great ones to the all-ones
/// exponent.
fn cut(h: &Hex, negative: bool, f: &Format) -> u64 {
    let sign = u64::from(negative) << f.sign();
    if h.zero {
        return sign;
    }
    let top = (1u64 << f.exponent) - 1;
    let biased = h.exponent.saturating_add(i64::from(f.bias()));
    let magnitude = if biased > top as i64 {
        top << f.fraction
    } else if biased > 0 {
        (biased as u64) << f.fraction | h.fraction >> (64 - f.fraction)
    } else if f.sign() < 7 {
        // In formats below 8 bits the reference puts the leading one at the sign's place of a byte, not at its top.
        let byte = h.fraction >> 57 | 1 << f.sign();
        let field = byte >> (8 - f.fraction) & ((1 << f.fraction) - 1);
        let shift = -biased;
        if shift > 63 { 0 } else { field >> shift }
    } else {
        let with_one = 1u64 << f.fraction | h.fraction >> (64 - f.fraction);
        let shift = 1 - biased;
        if shift > 63 { 0 } else { with_one >> shift }
    };
    sign | magnitude
}

fn sign_exponent_fraction(text: &[u8], width: u32, f: &Format) -> Option<u64> {
    let (negative, rest) = signed(text)?;
    if let [b'0', b'x' | b'X', digits @ ..] = rest {
        return Some(cut(&hex(digits)?, negative, f));
    }
    let digits = decimal(rest)?;
    let sign = u64::from(negative) << f.sign();
    if width == 64 {
        let value: f64 = digits.parse().ok()?;
        return value.is_finite().then_some(sign | value.to_bits());
    }
    let value: f32 = digits.parse().ok()?;
    if !value.is_finite() {
        return None;
    }
    if width == 32 {
        return Some(sign | u64::from(value.to_bits()));
    }
    narrow(value, f).map(|bits| sign | u64::from(bits))
}

/// A non-negative finite float in a smaller format, cut towards zero; `None` when it is too great.
fn narrow(value: f32, f: &Format) -> Option<u32> {
    if value == 0.0 {
        return Some(0);
    }
    let bits = value.to_bits();
    let (exponent, fraction) = match (bits >> 23) as i32 {
        0 => {
            let shift = bits.leading_zeros() - 8;
            (-126 - shift as i32, bits << shift & 0x007f_ffff)
        }
        biased => (biased - 127, bits & 0x007f_ffff),
    };
    let fraction = fraction >> (23 - f.fraction);
    if exponent > f.bias() {
        // Past the exponents that IEEE rules give to numbers. A format without infinities goes on, but the reference
        // puts everything there is in the last binade on the greatest value.
        let max = finite(f.max, f);
        return (!f.infinite && value <= max).then_some(f.max);
    }
    // In the 8-bit formats the reference keeps the exponent in a signed byte.
    let exponent = if f.sign() < 8 { i32::from(exponent as i8) } else { exponent };
    let lowest = 1 - f.bias();
    if exponent < lowest {
        let shift = (lowest - exponent) as u32;
        let with_one = 1 << f.fraction | fraction;
        return Some(if shift > 31 { 0 } else { with_one >> shift });
    }
    let top = (1u32 << f.exponent) - 1;
    Some(((exponent + f.bias()) as u32 & top) << f.fraction | fraction)
}

/// The value of bits of a small format without special values.
fn finite(bits: u32, f: &Format) -> f32 {
    let exponent = (bits >> f.fraction) as i32 - f.bias();
    let fraction = bits & ((1 << f.fraction) - 1);
    (1.0 + fraction as f32 / (1u32 << f.fraction) as f32) * 2f32.powi(exponent)
}

/// A literal as a double.
fn wide(text: &[u8]) -> Option<f64> {
    format(64, Encoding::Ieee).and_then(|f| sign_exponent_fraction(text, 64, &f)).map(f64::from_bits)
}

fn power_of_two(value: f64) -> Option<u64> {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    (bits << 12 == 0 && (-127..=127).contains(&exponent)).then_some((exponent + 127) as u64)
}

fn sixty_fourths(value: f64) -> Option<u64> {
    let scaled = value * 64.0;
    let exact = scaled.is_finite() && scaled.trunc() == scaled && (-128.0..=127.0).contains(&scaled);
    exact.then_some(u64::from(scaled as i8 as u8))
}
