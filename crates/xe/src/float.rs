//! Immediates as text, and back.
//!
//! A floating-point number is written with six significant digits if that reads back exactly, else with seven in
//! scientific notation if that does, else as its bits.

use std::io::Write;

pub use isaglot_listing::write::signed as decimal;

use crate::types::{Style, Type};

/// Writes an immediate; with `hex_floats`, floating-point numbers as bits.
pub fn immediate(out: &mut Vec<u8>, ty: Type, value: u64, hex_floats: bool) {
    let bits = ty.bits().min(64);
    let value = if bits == 64 { value } else { value & ((1 << bits) - 1) };
    match ty.style() {
        Style::Hex => hex(out, value),
        Style::Signed => {
            let unused = 64 - bits;
            decimal(out, (value << unused) as i64 >> unused);
        }
        Style::Float if hex_floats => hex(out, value),
        Style::Float => match bits {
            16 => float(out, half(value as u16).into(), value, (10, 16), true),
            64 => float(out, f64::from_bits(value), value, (52, 64), false),
            _ => float(out, f32::from_bits(value as u32).into(), value, (23, 32), true),
        },
    }
}

/// `0x` and upper-case digits.
pub fn hex(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(b"0x");
    let digits = (64 - value.leading_zeros()).div_ceil(4).max(1);
    for i in (0..digits).rev() {
        out.push(b"0123456789ABCDEF"[(value >> (4 * i) & 15) as usize]);
    }
}

/// `x` is the value, `raw` its bits, with `mantissa` bits of mantissa out of `width`. With `single`, reading back
/// happens in single precision.
fn float(out: &mut Vec<u8>, x: f64, raw: u64, (mantissa, width): (u32, u32), single: bool) {
    let negative = raw >> (width - 1) & 1 != 0;
    if x.is_infinite() {
        out.extend_from_slice(if negative { b"-inf" } else { b"inf" });
        return;
    }
    if x.is_nan() {
        if negative {
            out.push(b'-');
        }
        let quiet = raw >> (mantissa - 1) & 1 != 0;
        out.extend_from_slice(if quiet { b"qnan(" } else { b"snan(" });
        hex(out, raw & ((1 << (mantissa - 1)) - 1));
        out.push(b')');
        return;
    }
    let same = |text: &str| {
        if single {
            text.parse::<f32>().is_ok_and(|y| f64::from(y) == x)
        } else {
            text.parse::<f64>().is_ok_and(|y| y == x)
        }
    };
    let short = general(x);
    if same(&short) {
        out.extend_from_slice(short.as_bytes());
        if !short.contains(['.', 'e', 'E']) {
            out.extend_from_slice(b".0");
        }
        return;
    }
    let long = scientific(x, 6);
    if same(&long) { out.extend_from_slice(long.as_bytes()) } else { hex(out, raw) }
}

/// C's `%e` with this many decimals.
fn scientific(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// C's `%g`: six significant digits, no trailing zeros.
fn general(x: f64) -> String {
    if x == 0.0 {
        return if x.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let text = scientific(x, 5);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |s: &str| {
        if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').to_owned() } else { s.to_owned() }
    };
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        trim(&format!("{x:.decimals$}"))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(mantissa), exponent.abs())
    }
}

/// A half-precision number.
pub fn half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, mantissa) = (u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    match (exponent, mantissa) {
        (0, m) => {
            let x = m as f32 / 16_777_216.0;
            if sign != 0 { -x } else { x }
        }
        (31, m) => f32::from_bits(sign | 0x7F80_0000 | m << 13),
        (e, m) => f32::from_bits(sign | (e + 112) << 23 | m << 13),
    }
}

/// The nearest half-precision number, ties to even.
pub fn to_half(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let (exponent, mantissa) = ((bits >> 23 & 255) as i32, bits & 0x7F_FFFF);
    if exponent == 255 {
        return sign | 0x7C00 | (mantissa >> 13) as u16 | u16::from(mantissa != 0 && mantissa >> 13 == 0);
    }
    let (full, shift) = match exponent - 112 {
        e if e >= 31 => return sign | 0x7C00,
        e if e >= 1 => ((e as u32) << 23 | mantissa, 13),
        e if e >= -10 => (mantissa | 0x80_0000, (14 - e) as u32),
        _ => return sign,
    };
    let rest = full & ((1 << shift) - 1);
    let tie = 1 << (shift - 1);
    let kept = full >> shift;
    let up = rest > tie || (rest == tie && kept & 1 != 0);
    // Rounding up may carry into the exponent, which is right.
    sign | (kept + u32::from(up)) as u16
}

/// Reads an immediate of a type: any base, `inf`, `nan` forms, decimals. `None` if it is none or does not fit.
pub fn parse(text: &str, ty: Type) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let bits = ty.bits().min(64);
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let integer = integer(digits);
    if ty.style() == Style::Float && !(integer.is_some() && is_prefixed(digits)) {
        let (mantissa, width) = match bits {
            16 => (10, 16),
            64 => (52, 64),
            _ => (23, 32),
        };
        let sign = u64::from(negative) << (width - 1);
        let exponent = ((1u64 << (width - 1 - mantissa)) - 1) << mantissa;
        if digits.eq_ignore_ascii_case("inf") {
            return Some(sign | exponent);
        }
        for (name, quiet) in [("qnan", 1u64 << (mantissa - 1)), ("snan", 0)] {
            if let Some(rest) = digits.strip_prefix(name) {
                let payload = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).and_then(self::integer)?;
                return (payload < 1 << (mantissa - 1)).then_some(sign | exponent | quiet | payload);
            }
        }
        return Some(match bits {
            16 => to_half(text.parse().ok()?).into(),
            64 => text.parse::<f64>().ok()?.to_bits(),
            _ => text.parse::<f32>().ok()?.to_bits().into(),
        });
    }
    let value = integer?;
    if negative {
        // The magnitude must fit a signed number, or the type is wider than it needs to be.
        return (value <= mask / 2 + 1).then_some(value.wrapping_neg() & mask);
    }
    (value & !mask == 0).then_some(value)
}

/// A hexadecimal number with an exponent of 2, after its `0x`: `1.8p3`. `None` if it is none.
pub(crate) fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i16>().ok()?.into();
    let (mut mantissa, mut lost) = (0u64, false);
    for (n, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = digit.to_digit(16)?;
        let fractional = n >= whole.len();
        if mantissa >> 59 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            exponent -= if fractional { 4 } else { 0 };
        } else {
            // What is dropped decides between two neighbours only.
            lost |= digit != 0;
            exponent += if fractional { 0 } else { 4 };
        }
    }
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exact = (mantissa | u64::from(lost)) as f64;
    // In two steps, as 2 to the exponent itself may not be a number.
    let half = (exponent / 2).clamp(-1100, 1100) as i32;
    let rest = (exponent - i64::from(half)).clamp(-1100, 1100) as i32;
    Some(exact * 2f64.powi(half) * 2f64.powi(rest)).filter(|x| x.is_finite())
}

fn is_prefixed(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0') && !digits[1..].starts_with(['.', 'e', 'E'])
}

/// A number in decimal, `0x` or `0b`.
pub fn integer(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'));
    }
    if let Some(digits) = text.strip_prefix("0b").or(text.strip_prefix("0B")) {
        return u64::from_str_radix(digits, 2).ok().filter(|_| !digits.starts_with('+'));
    }
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Writes through `std::fmt`, for what is rare.
pub(crate) fn write(out: &mut Vec<u8>, args: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    let _ = out.write_fmt(args);
}
