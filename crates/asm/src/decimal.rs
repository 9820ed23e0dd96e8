//! Decimal text to the nearest float. The standard library does it, with a table of 10 KiB that hardly compresses: of the engine that a page fetches
//! that would be a thirtieth. So for WebAssembly it is done by long division of whole numbers, which is slower and as exact: the tests hold
//! both against each other.

/// The float of 32 bits that is nearest to a text, ties to even; `None` if the text is not a number.
#[cfg(not(target_family = "wasm"))]
pub fn single(text: &str) -> Option<f32> {
    text.parse().ok()
}

/// The same of 64 bits.
#[cfg(not(target_family = "wasm"))]
pub fn double(text: &str) -> Option<f64> {
    text.parse().ok()
}

#[cfg(target_family = "wasm")]
pub fn single(text: &str) -> Option<f32> {
    exact::bits(text, &exact::SINGLE).map(|bits| f32::from_bits(bits as u32))
}

#[cfg(target_family = "wasm")]
pub fn double(text: &str) -> Option<f64> {
    exact::bits(text, &exact::DOUBLE).map(f64::from_bits)
}

#[cfg(any(target_family = "wasm", test))]
mod exact {
    use std::cmp::Ordering;

    /// A format of IEEE 754.
    pub(super) struct Format {
        /// Bits of a significand, with the leading one.
        digits: u32,
        /// Bits of the exponent.
        exponent: u32,
    }

    pub(super) const SINGLE: Format = Format { digits: 24, exponent: 8 };
    pub(super) const DOUBLE: Format = Format { digits: 53, exponent: 11 };

    /// Decimal digits after which only matters whether there are others than 0: no tie of two floats has as many.
    const MAX_DIGITS: usize = 800;

    /// Where the decimal point may lie, in digits from the first one; beyond, a number is infinite or 0.
    const MAX_POINT: i64 = 400;

    /// The bits of the float that is nearest to a text.
    pub(super) fn bits(text: &str, format: &Format) -> Option<u64> {
        let (negative, text) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let Format { digits, exponent } = *format;
        let infinite = ((1_u64 << exponent) - 1) << (digits - 1);
        let magnitude = if text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity") {
            infinite
        } else if text.eq_ignore_ascii_case(b"nan") {
            infinite | 1 << (digits - 2)
        } else {
            let (significant, point) = read(text)?;
            nearest(&significant, point, format).min(infinite)
        };
        Some(u64::from(negative) << (digits + exponent - 1) | magnitude)
    }

    /// The significant digits of a number, without zeros around them, and how many of them stand before the decimal point.
    fn read(text: &[u8]) -> Option<(Vec<u8>, i64)> {
        let split = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (number, power) = match split {
            Some(at) => (text.get(..at)?, integer(text.get(at + 1..)?)?),
            None => (text, 0),
        };
        let mut halves = number.splitn(2, |&byte| byte == b'.');
        let (whole, fraction) = (halves.next()?, halves.next().unwrap_or_default());
        let mut digits: Vec<u8> = whole.iter().chain(fraction).copied().collect();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits.drain(..zeros);
        let point = whole.len() as i64 - zeros as i64;
        if digits.len() > MAX_DIGITS {
            let more = digits.iter().skip(MAX_DIGITS).any(|&digit| digit != b'0');
            digits.truncate(MAX_DIGITS);
            digits.extend(more.then_some(b'1'));
        }
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        Some((digits, point.saturating_add(power)))
    }

    /// A decimal integer with a sign; one that is too large stays large.
    fn integer(text: &[u8]) -> Option<i64> {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let add = |value: i64, digit: &u8| value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        let value = digits.iter().fold(0, add).min(i64::MAX / 4);
        Some(if negative { -value } else { value })
    }

    /// The bits of the float nearest to 0.DIGITS × 10^`point`; at least those of infinity if it is beyond all floats.
    fn nearest(significant: &[u8], point: i64, format: &Format) -> u64 {
        let Format { digits, exponent } = *format;
        if significant.is_empty() || point < -MAX_POINT {
            return 0;
        }
        if point > MAX_POINT {
            return u64::MAX;
        }
        // As a fraction of two whole numbers.
        let mut above = Vec::new();
        significant.iter().for_each(|digit| multiply(&mut above, 10, u32::from(digit - b'0')));
        let mut below = vec![1];
        let power = point - significant.len() as i64;
        for _ in 0..power.unsigned_abs() {
            multiply(if power < 0 { &mut below } else { &mut above }, 10, 0);
        }
        // The unit of the last place is 2^-places; of the smallest floats it stays the same.
        let bias = (1_i64 << (exponent - 1)) - 1;
        let most = i64::from(digits) - 2 + bias;
        let mut places = (i64::from(digits) - length(&above) + length(&below)).min(most);
        let (mut units, mut rest);
        loop {
            let mut scaled = above.clone();
            let mut unit = below.clone();
            shift(if places < 0 { &mut unit } else { &mut scaled }, places.unsigned_abs());
            (units, rest) = divide(scaled, unit, digits);
            if units >> digits == 0 {
                break;
            }
            // The first guess may be one too many.
            places -= 1;
        }
        units += u64::from(rest == Ordering::Greater || rest == Ordering::Equal && units & 1 == 1);
        // The leading one of `units` adds 1 to the exponent, and so does rounding up to the next power of two; without it, of the
        // smallest floats, the exponent is 0.
        if most - places >= 1 << exponent {
            return u64::MAX;
        }
        ((most - places) as u64).wrapping_shl(digits - 1).saturating_add(units)
    }

    // Whole numbers: 32 bits a limb, the least significant first, without zeros at the end.

    fn multiply(number: &mut Vec<u32>, by: u32, add: u32) {
        let mut carry = u64::from(add);
        for limb in number.iter_mut() {
            carry += u64::from(*limb) * u64::from(by);
            *limb = carry as u32;
            carry >>= 32;
        }
        number.extend((carry > 0).then_some(carry as u32));
    }

    /// How many bits it has.
    fn length(number: &[u32]) -> i64 {
        number.last().map_or(0, |top| 32 * number.len() as i64 - i64::from(top.leading_zeros()))
    }

    fn shift(number: &mut Vec<u32>, by: u64) {
        multiply(number, 1 << (by % 32), 0);
        number.splice(0..0, (0..by / 32).map(|_| 0));
    }

    fn compare(a: &[u32], b: &[u32]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
    }

    fn halve(number: &mut Vec<u32>) {
        let mut carry = 0;
        for limb in number.iter_mut().rev() {
            (*limb, carry) = (*limb >> 1 | carry, *limb << 31);
        }
        trim(number);
    }

    fn subtract(from: &mut Vec<u32>, number: &[u32]) {
        let mut borrow = false;
        for (at, limb) in from.iter_mut().enumerate() {
            let (part, under) = limb.overflowing_sub(number.get(at).copied().unwrap_or(0));
            let (part, more) = part.overflowing_sub(u32::from(borrow));
            (*limb, borrow) = (part, under || more);
        }
        trim(from);
    }

    fn trim(number: &mut Vec<u32>) {
        while number.last() == Some(&0) {
            number.pop();
        }
    }

    /// The quotient, which has at most `bits` + 1 bits, and how the rest compares with half of the divisor.
    fn divide(mut rest: Vec<u32>, mut by: Vec<u32>, bits: u32) -> (u64, Ordering) {
        let mut quotient = 0;
        shift(&mut by, u64::from(bits));
        for bit in (0..=bits).rev() {
            if compare(&rest, &by) != Ordering::Less {
                subtract(&mut rest, &by);
                quotient |= 1 << bit;
            }
            if bit > 0 {
                halve(&mut by);
            }
        }
        multiply(&mut rest, 2, 0);
        (quotient, compare(&rest, &by))
    }
}

#[cfg(test)]
mod tests {
    use isaglot_testing::{Random, rounds};

    use super::exact::{DOUBLE, SINGLE, bits};

    fn check(text: &str) {
        // Of a NaN the bits are compared too: they are those of the standard library on the machines that tests run on.
        let double = text.parse::<f64>().ok().map(f64::to_bits);
        assert_eq!(bits(text, &DOUBLE), double, "{text}");
        assert_eq!(bits(text, &SINGLE), text.parse::<f32>().ok().map(|f| u64::from(f.to_bits())), "{text}");
    }

    #[test]
    fn as_the_standard_library() {
        let texts = [
            "0",
            "-0",
            "1",
            "+1",
            "-1.5",
            ".5",
            "5.",
            ".",
            "",
            "-",
            "e5",
            "1e",
            "1e+",
            "1e5",
            "1E-5",
            "inf",
            "-inf",
            "INFINITY",
            "nan",
            "infin",
            "1.2.3",
            "1e5.0",
            "0x1",
            " 1",
            "1_0",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "3.4028235677973366e38",
            "3.4028235677973365e38",
            "7.006492321624085e-46",
            "7.006492321624086e-46",
            "1.401298464324817e-45",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "9007199254740993",
            "9007199254740992.999",
            "1e400",
            "1e-400",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "0e99999999999999999999",
            "000000000000000000001",
            "0.000000000000000000000000000000000000001",
        ];
        texts.iter().for_each(|text| check(text));
        check(&format!("1.{}1", "0".repeat(900)));
        check(&format!("9007199254740993.{}1", "0".repeat(900)));
        check(&format!("0.{}1", "0".repeat(900)));
        check(&format!("1{}", "0".repeat(300)));
        let mut random = Random::new(77);
        for _ in 0..rounds(20_000) {
            let any = f64::from_bits(random.u64());
            let single = f32::from_bits(random.u32());
            check(&format!("{any:e}"));
            check(&format!("{single}"));
            check(&format!("{}.{}e{}", random.below(1000), random.u64(), random.below(80) as i64 - 40));
        }
    }

    /// Numbers half way between two floats, and beside them.
    #[test]
    fn ties() {
        let mut random = Random::new(78);
        for _ in 0..rounds(5_000) {
            let (low, high) = (random.u32() & 0x7eff_ffff, 1);
            let (low, high) = (f32::from_bits(low), f32::from_bits(low + high));
            let tie = (f64::from(low) + f64::from(high)) / 2.0;
            for value in [tie, tie.next_up(), tie.next_down()] {
                check(&format!("{value:.160}"));
            }
        }
    }
}
