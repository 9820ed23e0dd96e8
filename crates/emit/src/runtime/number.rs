//! Numbers in text, as the disassembler writes them.

use super::decode::{mask, sign_extend};
use super::tables::{Isa, Type};

/// The way number `way` to read a value of a type from the beginning of a text: its length, the value, and whether there
/// may be further ways. The longest comes first.
pub fn read(isa: &Isa<'_>, ty: Type, width: u32, text: &[u8], way: usize) -> Option<(usize, u64, bool)> {
    let width = width.min(64);
    match ty {
        Type::Int | Type::Branch(..) => {
            let sign = usize::from(text.first() == Some(&b'-'));
            let (len, magnitude, more) = digits(text.get(sign..)?, 10, way)?;
            let value = if sign == 1 { magnitude.wrapping_neg() } else { magnitude };
            let fits = sign_extend(value & mask(width), width) == value;
            Some((sign + len, if fits { value & mask(width) } else { return next(more) }, more))
        }
        Type::Uint | Type::Bool => digits(text, 10, way),
        Type::Hex => digits(text, 16, way),
        Type::Offset | Type::Uoffset => {
            let sign = text.first().copied().filter(|&c| c == b'+' || (c == b'-' && ty == Type::Offset));
            let Some(sign) = sign else { return (way == 0).then_some((0, 0, false)) };
            let Some((len, magnitude, _)) = digits(text.get(1..)?, 10, way) else {
                // All digits are used up: perhaps there is no offset at all.
                return (way > 0 && digits(text.get(1..)?, 10, way - 1).is_some()).then_some((0, 0, false));
            };
            let value = if sign == b'-' { magnitude.wrapping_neg() } else { magnitude };
            Some((1 + len, if ty == Type::Offset { value & mask(width) } else { value }, true))
        }
        Type::Float => float(text, width, way),
        Type::BoolInv => match (text.first(), way) {
            (Some(b'0'), 0) => Some((1, 1, false)),
            (Some(b'1'), 0) => Some((1, 0, false)),
            _ => None,
        },
        Type::Flag(number) | Type::FlagInv(number) => {
            let flag = entries(isa, number).first().map_or("", |entry| entry.1);
            let shown = u64::from(matches!(ty, Type::Flag(_)));
            match way {
                0 if text.starts_with(flag.as_bytes()) => Some((flag.len(), shown, true)),
                0 | 1 => Some((0, 1 - shown, way == 0)),
                _ => None,
            }
        }
        Type::Enum(number) | Type::Register(number) => named(isa, number, text, way),
        Type::Custom | Type::Sub(_) => None,
    }
}

/// A reading that cannot be, but after which others may come.
fn next(more: bool) -> Option<(usize, u64, bool)> {
    // A length beyond the text fits nothing.
    more.then_some((usize::MAX >> 1, 0, true))
}

fn entries<'t>(isa: &Isa<'t>, number: u32) -> &'t [(u64, &'t str)] {
    let range = isa.enums.get(number as usize).copied().unwrap_or((0, 0));
    isa.values.get(range.0 as usize..range.1 as usize).unwrap_or(&[])
}

/// The texts of an enum that the text begins with, longest first; then numbers that are none of its values.
fn named(isa: &Isa<'_>, number: u32, text: &[u8], way: usize) -> Option<(usize, u64, bool)> {
    let entries = entries(isa, number);
    let fits = |i: usize| {
        entries.get(i).is_some_and(|entry| {
            let first = entries.iter().position(|other| other.0 == entry.0) == Some(i);
            first && text.starts_with(entry.1.as_bytes())
        })
    };
    // The rank of an entry: longer texts come first, of equal ones those with fewer ones, then the earlier.
    let rank = |i: usize| {
        let key = |i: usize| entries.get(i).map(|e| (core::cmp::Reverse(e.1.len()), e.0.count_ones(), i));
        (0..entries.len()).filter(|&other| fits(other) && key(other) < key(i)).count()
    };
    let count = (0..entries.len()).filter(|&i| fits(i)).count();
    if let Some(i) = (0..entries.len()).find(|&i| fits(i) && rank(i) == way) {
        return entries.get(i).map(|entry| (entry.1.len(), entry.0, true));
    }
    let (len, value, more) = digits(text, 10, way.checked_sub(count)?)?;
    if entries.iter().any(|entry| entry.0 == value) { next(more) } else { Some((len, value, more)) }
}

/// Digits without leading zeros, `fewer` than there are: length, value, and whether there are still fewer.
fn digits(text: &[u8], base: u64, fewer: usize) -> Option<(usize, u64, bool)> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Some(u64::from(c - b'0')),
        b'a'..=b'f' if base == 16 => Some(u64::from(c - b'a' + 10)),
        _ => None,
    };
    let all = match text.first() {
        Some(b'0') => 1,
        _ => text.iter().take_while(|&&c| digit(c).is_some()).count(),
    };
    let len = all.checked_sub(fewer).filter(|&len| len > 0)?;
    let mut value = 0u64;
    for &c in text.get(..len)? {
        match value.checked_mul(base).and_then(|v| v.checked_add(digit(c)?)) {
            Some(sum) => value = sum,
            None => return next(len > 1),
        }
    }
    Some((len, value, len > 1))
}

/// A floating-point number: the nearest, and its neighbours where the low bits are cut off.
fn float(text: &[u8], width: u32, way: usize) -> Option<(usize, u64, bool)> {
    let sign = usize::from(text.first() == Some(&b'-'));
    let rest = text.get(sign..)?;
    let high = u64::from(sign == 1) << (width.clamp(1, 64) - 1);
    let quiet = match width {
        16 => 0x7e00,
        32 => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    };
    if rest.starts_with(b"nan") {
        return (way == 0).then_some((sign + 3, high | quiet, false));
    }
    let infinity = match width {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    if rest.starts_with(b"inf") {
        return (way == 0).then_some((sign + 3, high | infinity, false));
    }
    let count = |from: usize| rest.get(from..).unwrap_or(&[]).iter().take_while(|c| c.is_ascii_digit()).count();
    let mut len = count(0);
    if len == 0 {
        return None;
    }
    let mut whole = true;
    if rest.get(len) == Some(&b'.') {
        whole = false;
        len += 1 + count(len + 1);
    }
    if rest.get(len) == Some(&b'e') {
        let mark = usize::from(matches!(rest.get(len + 1), Some(b'-' | b'+')));
        let exponent = count(len + 1 + mark);
        if exponent > 0 {
            whole = false;
            len += 1 + mark + exponent;
        }
    }
    // A float is never written as an integer.
    if whole {
        return None;
    }
    let written = core::str::from_utf8(rest.get(..len)?).ok()?;
    let nearest = match width {
        16 => u64::from(half(written.parse().ok()?)),
        32 => u64::from(written.parse::<f32>().ok()?.to_bits()),
        _ => written.parse::<f64>().ok()?.to_bits(),
    };
    if nearest == infinity {
        return None;
    }
    // With 12 low bits cut off, as descriptions do: the number below, then the one above.
    let value = match way {
        0 => nearest,
        1 if width == 32 => nearest & !0xfff,
        2 if width == 32 => (nearest & !0xfff).wrapping_add(0x1000),
        _ => return None,
    };
    Some((sign + len, high | value, width == 32 && way < 2))
}

/// The IEEE 754 half nearest to a number that is not negative, ties to even.
fn half(value: f64) -> u16 {
    if value >= 65520.0 {
        return 0x7c00;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    if exponent < -25 {
        return 0;
    }
    let fraction = (bits & ((1 << 52) - 1)) | 1 << 52;
    // Bits below the last place: 42 of a normal number, more of a denormal.
    let cut = if exponent < -14 { (42 - 14 - exponent) as u32 } else { 42 };
    let kept = fraction >> cut;
    let rest = fraction & ((1 << cut) - 1);
    let middle = 1u64 << (cut - 1);
    let rounded = kept + u64::from(rest > middle || (rest == middle && kept & 1 == 1));
    // The implicit bit carries into the exponent.
    let base = if exponent < -14 { 0 } else { ((exponent + 14) as u64) << 10 };
    (base + rounded) as u16
}
