//! Numbers in text: as the disassembler writes them, and as people do.

use isaglot_bits::{Word, limbs};
use isaglot_invariant::Impossible as _;

use super::program::Digits;
use crate::decimal;
use crate::options::Compat;

/// Whether a byte can be part of a word: what two tokens may not touch with.
#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The number of canonical digits (no leading zero) that `text` begins with.
#[inline]
pub(super) fn digits(text: &[u8], hex: bool) -> usize {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || (hex && (b'a'..=b'f').contains(byte));
    match text.first() {
        Some(b'0') => 1,
        _ => text.iter().take_while(|byte| is_digit(byte)).count(),
    }
}

/// The value of digits, if it fits 64 bits.
#[inline]
pub(super) fn value<'d>(digits: impl IntoIterator<Item = &'d u8>, base: u64) -> Option<u64> {
    let mut value = 0u64;
    for &byte in digits {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            b'A'..=b'Z' => byte - b'A' + 10,
            _ => return None,
        };
        if u64::from(digit) >= base {
            return None;
        }
        value = value.checked_mul(base)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

/// A number as people write it, without sign: decimal, `0x`, `0o`, `0b`, `'c'`, with `_` between digits. Gives the
/// value and the length in bytes; `None` where there is no number, and no value if it exceeds 64 bits.
pub(super) fn literal(text: &[u8]) -> Option<(Option<u64>, usize)> {
    if let [b'\'', byte, b'\'', ..] = text {
        return Some((Some(u64::from(*byte)), 3));
    }
    let (base, start) = match text {
        [b'0', b'x' | b'X', ..] => (16, 2),
        [b'0', b'o' | b'O', ..] => (8, 2),
        [b'0', b'b' | b'B', b'0' | b'1', ..] => (2, 2),
        _ => (10, 0),
    };
    let rest = text.get(start..).or_impossible(&[]);
    let is_digit = |byte: u8| match base {
        16 => byte.is_ascii_hexdigit(),
        _ => (b'0'..b'0' + base as u8).contains(&byte),
    };
    let mut len = 0;
    while let Some(&byte) = rest.get(len) {
        let between = byte == b'_' && len > 0 && rest.get(len + 1).is_some_and(|&next| is_digit(next));
        if !is_digit(byte) && !between {
            break;
        }
        len += 1;
    }
    if len == 0 {
        return None;
    }
    let plain = rest.iter().take(len).filter(|&&byte| byte != b'_');
    Some((value(plain, base), start + len))
}

/// The same where a number that begins with 0 is octal, if `octal`: then one with an 8 or a 9 has no value.
pub(super) fn c_literal(text: &[u8], octal: bool) -> Option<(Option<u64>, usize)> {
    let (number, len) = literal(text)?;
    match text.get(..len).or_impossible(&[]) {
        [b'0', digits @ ..] if octal && digits.first().is_some_and(|&byte| byte == b'_' || byte.is_ascii_digit()) => {
            Some((value(digits.iter().filter(|&&byte| byte != b'_'), 8), len))
        }
        _ => Some((number, len)),
    }
}

/// The value of digits in more than 64 bits; `None` if it does not fit.
pub(super) fn wide(digits: &[u8], hex: bool, negative: bool, width: u32, style: Digits) -> Option<Word> {
    // Eight spare bits: a digit multiplies by at most 16, so an overflow shows there before it is lost.
    let room = width + 8;
    let mut value = Word::zero(room);
    let top = limbs::mask(8);
    for &byte in digits {
        let digit = u64::from(char::from(byte).to_digit(if hex { 16 } else { 10 })?);
        // Eight bits above the width show that a digit was too much.
        let scaled = if hex { value.shl(4) } else { add(&value.shl(3), &value.shl(1)) };
        value = add(&scaled, &Word::from_u64(digit, room));
        if value.extract(width, 8) & top != 0 {
            return None;
        }
    }
    // With a sign, only the least number uses the top bit: -8 in 4 bits, but not 8.
    if matches!(style, Digits::Signed | Digits::Offset) {
        let sign = value.bit(width - 1);
        let least = sign && value.count_ones() == 1;
        if sign && !(negative && least) {
            return None;
        }
    }
    let value = if negative { value.not().wrapping_inc() } else { value };
    Some(value.resized(width))
}

/// The sum in the width of the first.
fn add(x: &Word, y: &Word) -> Word {
    let mut sum = Word::zero(x.width());
    let mut carry = false;
    for (i, (a, b)) in (0u32..).zip(x.limbs().iter().zip(y.limbs())) {
        let (part, over) = a.overflowing_add(*b);
        let (part, more) = part.overflowing_add(u64::from(carry));
        carry = over || more;
        sum.insert(64 * i, 64, part);
    }
    sum
}

/// The least and greatest value that `width` bits hold when written with these digits.
pub(super) fn range(digits: Digits, width: u32) -> (i128, u128) {
    let width = width.clamp(1, 64);
    match digits {
        Digits::Signed | Digits::Offset => (-(1i128 << (width - 1)), u128::from(limbs::mask(width - 1))),
        Digits::Unsigned | Digits::Hex | Digits::UnsignedOffset => (0, u128::from(limbs::mask(width))),
    }
}

/// The length of the floating-point number that `text` begins with; 0 for none.
pub(super) fn float_length(text: &[u8]) -> usize {
    let sign = usize::from(text.first() == Some(&b'-'));
    let rest = text.get(sign..).or_impossible(&[]);
    if rest.starts_with(b"inf") || rest.starts_with(b"nan") {
        return sign + 3;
    }
    let count = |from: usize| rest.get(from..).or_impossible(&[]).iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = count(0);
    if whole == 0 {
        return 0;
    }
    let mut len = whole;
    if rest.get(len) == Some(&b'.') {
        len += 1 + count(len + 1);
    }
    if let Some(b'e' | b'E') = rest.get(len) {
        let sign = usize::from(matches!(rest.get(len + 1), Some(b'-' | b'+')));
        let digits = count(len + 1 + sign);
        if digits > 0 {
            len += 1 + sign + digits;
        }
    }
    sign + len
}

/// The bits of the number of `width` (16, 32, 64) bits that is nearest to `text`.
pub(super) fn float_bits(text: &[u8], width: u32) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let sign = u64::from(negative) << (width.clamp(1, 64) - 1);
    if magnitude == "nan" {
        let quiet = match width {
            16 => 0x7e00,
            32 => 0x7fc0_0000,
            _ => 0x7ff8_0000_0000_0000,
        };
        return Some(sign | quiet);
    }
    let bits = match width {
        16 => u64::from(half_bits(decimal::double(magnitude)?)),
        32 => u64::from(decimal::single(magnitude)?.to_bits()),
        _ => decimal::double(magnitude)?.to_bits(),
    };
    Some(sign | bits)
}

/// The IEEE 754 half nearest to a number that is not negative, ties to even.
fn half_bits(value: f64) -> u16 {
    if value >= 65520.0 {
        return 0x7c00;
    }
    // In units of the last place of its binade; below the smallest normal number, of the denormals.
    let binade = ((value.to_bits() >> 52) as i32 - 1023).clamp(-14, 15);
    let units = (value / 2f64.powi(binade - 10)).round_ties_even() as u32;
    // The implicit bit of `units` carries into the exponent, and so does a mantissa rounded up to the next binade.
    ((binade + 14) as u32 * 1024 + units) as u16
}

/// Appends a float as it prints.
pub(super) fn print_float(bits: u64, width: u32, compat: Compat, out: &mut Vec<u8>) {
    crate::float::print(bits, width, compat, out);
}

#[cfg(test)]
mod tests {
    use super::{c_literal, float_bits, float_length, half_bits, literal};

    #[test]
    fn halves_come_back() {
        for bits in (0..0x7c00u64).chain(0x8000..0xfc00) {
            let mut text = Vec::new();
            super::print_float(bits, 16, crate::Compat::Mesa26, &mut text);
            assert_eq!(float_bits(&text, 16), Some(bits), "{}", String::from_utf8_lossy(&text));
        }
    }

    /// A tie between two halves goes to the even one; their values come from the wider floats they fit in.
    #[test]
    fn ties_go_to_even() {
        let value = |half: u16| match (i32::from(half >> 10), f64::from(half & 0x3ff)) {
            (0, fraction) => fraction * 2f64.powi(-24),
            (exponent, fraction) => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
        };
        for half in 0..0x7bff {
            let tie = (value(half) + value(half + 1)) / 2.0;
            assert_eq!(half_bits(tie), half + half % 2, "between {half:#x} and the next");
            assert_eq!((half_bits(tie.next_down()), half_bits(tie.next_up())), (half, half + 1));
        }
        assert_eq!((half_bits(65519.99), half_bits(65520.0)), (0x7bff, 0x7c00));
    }

    #[test]
    fn literals() {
        assert_eq!(literal(b"0x1F,"), Some((Some(31), 4)));
        assert_eq!(literal(b"0b101"), Some((Some(5), 5)));
        assert_eq!(literal(b"007"), Some((Some(7), 3)));
        assert_eq!(c_literal(b"010;", true), Some((Some(8), 3)));
        assert_eq!(c_literal(b"010", false), Some((Some(10), 3)));
        assert_eq!(c_literal(b"0", true), Some((Some(0), 1)));
        assert_eq!(c_literal(b"0x10", true), Some((Some(16), 4)));
        assert_eq!(c_literal(b"09 ", true), Some((None, 2)));
        assert_eq!(literal(b"1_000 "), Some((Some(1000), 5)));
        assert_eq!(literal(b"'A'"), Some((Some(65), 3)));
        assert_eq!(literal(b"x"), None);
        assert_eq!(literal(b"99999999999999999999"), Some((None, 20)));
        assert_eq!(float_length(b"-1.5e-3x"), 7);
        assert_eq!(float_length(b"60.zzzz"), 3);
        assert_eq!(float_length(b".5"), 0);
    }
}
