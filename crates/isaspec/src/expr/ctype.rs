//! C's integer types and conversions, as far as expressions can see them: `int`, `unsigned`, and 64 bits of each.

use isaglot_model::IntType;

/// The type in which two operands meet: C's usual arithmetic conversions, after promotion.
pub(crate) fn common(a: IntType, b: IntType) -> IntType {
    let (a, b) = (promoted(a), promoted(b));
    let (wide, other) = if a.bits >= b.bits { (a, b) } else { (b, a) };
    // Of equal width unsigned wins; a wider signed type holds every value of the narrower one.
    if wide.bits == other.bits { IntType { bits: wide.bits, signed: wide.signed && other.signed } } else { wide }
}

/// Integer promotion: what is narrower than `int` becomes `int`.
pub(crate) fn promoted(t: IntType) -> IntType {
    if t.bits < 32 { IntType::I32 } else { t }
}

/// The type that a cast names, if it is one that a description can use.
pub(crate) fn named(words: &[&str]) -> Option<IntType> {
    let t = |bits, signed| Some(IntType { bits, signed });
    match words {
        ["int" | "int32_t" | "signed"] | ["signed", "int"] => Some(IntType::I32),
        ["unsigned" | "uint32_t"] | ["unsigned", "int"] => Some(IntType::U32),
        ["int64_t" | "long" | "ssize_t" | "ptrdiff_t"] | ["long", "long" | "int"] | ["long", "long", "int"] => {
            Some(IntType::I64)
        }
        ["uint64_t" | "size_t"] | ["unsigned", "long"] | ["unsigned", "long", "long" | "int"] => Some(IntType::U64),
        ["int16_t" | "short"] => t(16, true),
        ["uint16_t"] | ["unsigned", "short"] => t(16, false),
        ["int8_t" | "char"] | ["signed", "char"] => t(8, true),
        ["uint8_t"] | ["unsigned", "char"] => t(8, false),
        _ => None,
    }
}

/// Whether a word can begin a type name.
pub(crate) fn starts_type(word: &str) -> bool {
    let known = ["int", "signed", "unsigned", "long", "short", "char", "size_t", "ssize_t", "ptrdiff_t"];
    known.contains(&word) || ((word.starts_with("int") || word.starts_with("uint")) && word.ends_with("_t"))
}

/// The type and value of a C integer literal, or what is wrong with it.
pub(crate) fn literal(text: &str) -> Result<(u64, IntType), &'static str> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = if let Some(hex) = lower.strip_prefix("0x") {
        (16, hex)
    } else if let Some(binary) = lower.strip_prefix("0b") {
        (2, binary)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, lower.as_str())
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if digits.is_empty() && radix != 8 {
        return Err("a number needs digits after its prefix");
    }
    let value = if digits.is_empty() { Ok(0) } else { u64::from_str_radix(digits, radix) };
    let Ok(value) = value else { return Err("this number does not fit 64 bits") };
    let unsigned = suffix.contains('u');
    let long = match suffix.replacen('u', "", 1).as_str() {
        "" => false,
        "l" | "ll" => true,
        _ => return Err("not a number: expected digits, then at most the suffixes u and l"),
    };
    // `lul` is not a suffix: the u stands before or after all l.
    if suffix.len() == 3 && suffix.as_bytes().get(1) == Some(&b'u') {
        return Err("not a number: expected digits, then at most the suffixes u and l");
    }
    let decimal = radix == 10;
    let candidates = [
        (IntType::I32, !unsigned && !long),
        (IntType::U32, !long && (unsigned || !decimal)),
        (IntType::I64, !unsigned),
        (IntType::U64, unsigned || !decimal),
    ];
    let fits = |t: IntType| value <= u64::MAX >> (64 - t.bits + u32::from(t.signed));
    let found = candidates.iter().find(|(t, allowed)| *allowed && fits(*t));
    found.map(|(t, _)| (value, *t)).ok_or("this decimal number does not fit a signed 64-bit integer; add the suffix u")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_take_the_first_type_that_fits() {
        assert_eq!(literal("12"), Ok((12, IntType::I32)));
        assert_eq!(literal("0"), Ok((0, IntType::I32)));
        assert_eq!(literal("010"), Ok((8, IntType::I32)));
        assert_eq!(literal("0xffffffff"), Ok((0xffff_ffff, IntType::U32)));
        assert_eq!(literal("4294967295"), Ok((0xffff_ffff, IntType::I64)));
        assert_eq!(literal("0xffU"), Ok((255, IntType::U32)));
        assert_eq!(literal("1ull"), Ok((1, IntType::U64)));
        assert_eq!(literal("1LLu"), Ok((1, IntType::U64)));
        assert_eq!(literal("0xffffffffffffffff"), Ok((u64::MAX, IntType::U64)));
        assert_eq!(literal("0b101"), Ok((5, IntType::I32)));
        for bad in ["08", "0x", "0b2", "1x", "1uu", "1lll", "1lul", "18446744073709551615", "99999999999999999999"] {
            assert!(literal(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn conversions_follow_c() {
        assert_eq!(common(IntType::I32, IntType::U32), IntType::U32);
        assert_eq!(common(IntType::U32, IntType::I64), IntType::I64);
        assert_eq!(common(IntType::U64, IntType::I64), IntType::U64);
        assert_eq!(common(IntType { bits: 8, signed: false }, IntType { bits: 8, signed: false }), IntType::I32);
    }
}
