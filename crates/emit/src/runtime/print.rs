//! How the value of a field reads, by its type.

use core::fmt::Write;

use super::decode::{mask, sign_extend};
use super::out::Out;
use super::tables::{Isa, LIMBS, Limbs, Type};

/// Whose floating-point numbers to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// Mesa 24.3: `%f`.
    #[default]
    Mesa24,
    /// Mesa 26: whole ones as `%.1f`, others with 5 or 9 significant digits.
    Mesa26,
}

/// The text of a value of an enum.
pub fn text<'t>(isa: &Isa<'t>, number: u32, value: u64) -> Option<&'t str> {
    let &(from, to) = isa.enums.get(number as usize)?;
    let values = isa.values.get(from as usize..to as usize)?;
    values.iter().find(|entry| entry.0 == value).map(|entry| entry.1)
}

/// The only text of a flag.
fn flag<'t>(isa: &Isa<'t>, number: u32) -> &'t str {
    let first = isa.enums.get(number as usize).map_or(0, |range| range.0);
    isa.values.get(first as usize).map_or("", |entry| entry.1)
}

/// Appends a value of at most 64 bits, of any type that needs nothing but the value.
pub fn scalar(isa: &Isa<'_>, ty: Type, width: u32, value: u64, compat: Compat, out: &mut Out<'_>) {
    let width = width.min(64);
    match ty {
        Type::Int | Type::Branch(..) => out.signed(sign_extend(value, width) as i64),
        Type::Uint => out.unsigned(value),
        Type::Hex => out.hex(value),
        Type::Offset => {
            if value != 0 {
                let value = sign_extend(value, width) as i64;
                if value >= 0 {
                    out.byte(b'+');
                }
                out.signed(value);
            }
        }
        Type::Uoffset => {
            if value != 0 {
                out.byte(b'+');
                out.unsigned(value);
            }
        }
        Type::Float => float(value, width, compat, out),
        Type::Bool => out.unsigned(value & mask(32)),
        Type::BoolInv => out.unsigned(u64::from(value == 0)),
        Type::Flag(number) => {
            if value != 0 {
                out.bytes(flag(isa, number).as_bytes());
            }
        }
        Type::FlagInv(number) => {
            if value == 0 {
                out.bytes(flag(isa, number).as_bytes());
            }
        }
        Type::Enum(number) => match text(isa, number, value) {
            Some(text) => out.bytes(text.as_bytes()),
            None => out.unsigned(value & mask(32)),
        },
        Type::Register(number) => match text(isa, number, value) {
            Some(text) => out.bytes(text.as_bytes()),
            None => out.unsigned(value),
        },
        Type::Custom | Type::Sub(_) => {}
    }
}

/// Appends a value of more than 64 bits: numbers in full, everything else by its low 64 bits.
pub fn wide(isa: &Isa<'_>, ty: Type, width: u32, value: &Limbs, compat: Compat, out: &mut Out<'_>) {
    let is_zero = value.iter().all(|&limb| limb == 0);
    match ty {
        Type::Int => wide_signed(value, width, out),
        Type::Uint => wide_unsigned(value, out),
        Type::Hex => {
            let top = value.iter().rposition(|&limb| limb != 0).unwrap_or(0);
            out.hex(value[top]);
            for &limb in value.get(..top).unwrap_or(&[]).iter().rev() {
                out.hex_digits(limb, 16);
            }
        }
        Type::Offset if !is_zero => {
            if !is_negative(value, width) {
                out.byte(b'+');
            }
            wide_signed(value, width, out);
        }
        Type::Uoffset if !is_zero => {
            out.byte(b'+');
            wide_unsigned(value, out);
        }
        Type::Bool | Type::BoolInv | Type::Flag(_) | Type::FlagInv(_) => {
            scalar(isa, ty, width, u64::from(!is_zero), compat, out);
        }
        _ => scalar(isa, ty, width, value[0], compat, out),
    }
}

fn is_negative(value: &Limbs, width: u32) -> bool {
    let top = width.saturating_sub(1);
    value.get((top / 64) as usize).is_some_and(|limb| limb >> (top % 64) & 1 == 1)
}

fn wide_signed(value: &Limbs, width: u32, out: &mut Out<'_>) {
    if !is_negative(value, width) {
        return wide_unsigned(value, out);
    }
    out.byte(b'-');
    let mut carry = true;
    let mut opposite = [0; LIMBS];
    for (i, (to, limb)) in opposite.iter_mut().zip(value).enumerate() {
        let (sum, over) = (!limb).overflowing_add(u64::from(carry));
        carry = over;
        *to = sum & mask(width.saturating_sub(64 * i as u32));
    }
    wide_unsigned(&opposite, out);
}

fn wide_unsigned(value: &Limbs, out: &mut Out<'_>) {
    let mut rest = *value;
    let mut digits = [0u8; LIMBS * 20];
    let mut at = digits.len();
    while at > 0 {
        let mut remainder = 0u64;
        for limb in rest.iter_mut().rev() {
            let part = u128::from(remainder) << 64 | u128::from(*limb);
            (*limb, remainder) = ((part / 10) as u64, (part % 10) as u64);
        }
        at -= 1;
        digits[at] = b'0' + remainder as u8;
        if rest.iter().all(|&limb| limb == 0) {
            break;
        }
    }
    out.bytes(digits.get(at..).unwrap_or(&[]));
}

/// Appends the number whose `width` (16, 32 or 64) low bits these are.
pub fn float(bits: u64, width: u32, compat: Compat, out: &mut Out<'_>) {
    let value = match width {
        16 => half(bits as u16),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    let negative = bits >> (width.clamp(1, 64) - 1) & 1 == 1;
    if value.is_nan() {
        return out.bytes(if negative { b"-nan" } else { b"nan" });
    }
    if value.is_infinite() {
        return out.bytes(if negative { b"-inf" } else { b"inf" });
    }
    // Beyond 2^53 every number is whole.
    let whole = value.abs() >= 9_007_199_254_740_992.0 || (value as i64) as f64 == value;
    let _ = match compat {
        Compat::Mesa24 => write!(out, "{value:.6}"),
        Compat::Mesa26 if whole => write!(out, "{value:.1}"),
        Compat::Mesa26 => general(value, if width == 16 { 5 } else { 9 }, out),
    };
}

/// An IEEE 754 half, exactly.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (u64::from(bits >> 10 & 31), u64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction as f64 / 16_777_216.0,
        31 if fraction == 0 => f64::INFINITY,
        31 => f64::NAN,
        _ => f64::from_bits((exponent + 1008) << 52 | fraction << 42),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Text of a number that is being put together.
struct Digits {
    text: [u8; 48],
    len: usize,
}

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let end = self.len + text.len();
        self.text.get_mut(self.len..end).ok_or(core::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// C's `%.Ng`: N significant digits, no trailing zeros, an exponent if it is below -4 or not below N.
fn general(value: f64, digits: i32, out: &mut Out<'_>) -> core::fmt::Result {
    let mut rounded = Digits { text: [0; 48], len: 0 };
    write!(rounded, "{value:.*e}", (digits - 1).max(0) as usize)?;
    let rounded = core::str::from_utf8(rounded.text.get(..rounded.len).unwrap_or(&[])).unwrap_or("0");
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= digits {
        let sign = if exponent < 0 { '-' } else { '+' };
        return write!(out, "{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    let mut fixed = Digits { text: [0; 48], len: 0 };
    write!(fixed, "{value:.*}", (digits - 1 - exponent).max(0) as usize)?;
    out.bytes(trim(core::str::from_utf8(fixed.text.get(..fixed.len).unwrap_or(&[])).unwrap_or("0")).as_bytes());
    Ok(())
}

fn trim(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}
