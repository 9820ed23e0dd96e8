//! Integers as C++ streams read them with base 0: optional sign, then decimal, `0x` hexadecimal or leading-0 octal,
//! and nothing after.

/// Skips what a stream skips before a number.
pub(crate) fn trim(s: &[u8]) -> &[u8] {
    let start = s.iter().position(|b| !matches!(b, b' ' | b'\t'..=b'\r')).unwrap_or(s.len());
    s.get(start..).unwrap_or(&[])
}

/// The magnitude of base-0 digits; `None` if there is none, more follows, or it needs more than 64 bits.
fn magnitude(s: &[u8]) -> Option<u64> {
    let (digits, base) = match s {
        [b'0', b'x' | b'X', rest @ ..] => (rest, 16),
        [b'0', rest @ ..] if !rest.is_empty() => (rest, 8),
        _ => (s, 10),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0u64;
    for &b in digits {
        let digit = (b as char).to_digit(base)?;
        value = value.checked_mul(u64::from(base))?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

/// An unsigned number of at most `bits` bits; a leading `+` is fine, and so is `-0`.
pub(crate) fn unsigned(s: &[u8], bits: u32) -> Option<u64> {
    // The common case: a few decimal digits.
    if let [first @ b'1'..=b'9', rest @ ..] = s
        && rest.len() < 9
    {
        let mut value = u32::from(first - b'0');
        for &b in rest {
            if !b.is_ascii_digit() {
                return None;
            }
            value = value * 10 + u32::from(b - b'0');
        }
        return (bits >= 32 || value >> bits == 0).then_some(u64::from(value));
    }
    let s = trim(s);
    if let Some(digits) = s.strip_prefix(b"-") {
        return magnitude(digits).filter(|&v| v == 0);
    }
    let value = magnitude(s.strip_prefix(b"+").unwrap_or(s))?;
    (bits >= 64 || value >> bits == 0).then_some(value)
}

/// A number with a leading `-`, of at most `bits` bits, as two's complement.
pub(crate) fn negative(s: &[u8], bits: u32) -> Option<i64> {
    let value = magnitude(trim(s).strip_prefix(b"-")?)?;
    (value <= 1 << (bits - 1)).then_some((value as i64).wrapping_neg())
}
