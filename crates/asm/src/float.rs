//! Floating-point values as the reference prints them: C's `%f`, or what newer Mesa does.

use isaglot_invariant::Impossible as _;
use std::io::Write;

use crate::options::Compat;

/// Appends the number whose `width` (16, 32 or 64) low bits these are.
pub(crate) fn print(bits: u64, width: u32, compat: Compat, out: &mut Vec<u8>) {
    let value = match width {
        16 => half(bits as u16),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    let negative = bits >> (width.clamp(1, 64) - 1) & 1 == 1;
    if value.is_nan() {
        out.extend_from_slice(if negative { b"-nan" } else { b"nan" });
        return;
    }
    if value.is_infinite() {
        out.extend_from_slice(if negative { b"-inf" } else { b"inf" });
        return;
    }
    // Writing to a vector does not fail.
    let _ = match compat {
        Compat::Mesa24 => write!(out, "{value:.6}"),
        Compat::Mesa26 if value.trunc() == value => write!(out, "{value:.1}"),
        Compat::Mesa26 => general(value, if width == 16 { 5 } else { 9 }, out),
    };
}

/// An IEEE 754 half, exactly.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if bits & 0x3ff == 0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// C's `%.Ng`: N significant digits, no trailing zeros, an exponent if it is below -4 or not below N.
fn general(value: f64, digits: i32, out: &mut Vec<u8>) -> std::io::Result<()> {
    // The exponent after rounding decides, so round first.
    let rounded = format!("{value:.*e}", (digits - 1).max(0) as usize);
    let (mantissa, exponent) = rounded.split_once('e').or_impossible((&rounded, "0"));
    let exponent: i32 = exponent.parse().or_impossible(0);
    if exponent < -4 || exponent >= digits {
        let mantissa = trim(mantissa);
        let sign = if exponent < 0 { '-' } else { '+' };
        return write!(out, "{mantissa}e{sign}{:02}", exponent.abs());
    }
    let fixed = format!("{value:.*}", (digits - 1 - exponent).max(0) as usize);
    out.write_all(trim(&fixed).as_bytes())
}

fn trim(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::{Compat, print};

    fn check(bits: u64, width: u32, old: &str, new: &str) {
        for (compat, want) in [(Compat::Mesa24, old), (Compat::Mesa26, new)] {
            let mut out = Vec::new();
            print(bits, width, compat, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), want, "{bits:#x} in {width} bits, {compat:?}");
        }
    }

    #[test]
    fn texts() {
        check(0x3c00, 16, "1.000000", "1.0");
        check(0x3555, 16, "0.333252", "0.33325");
        check(0x0001, 16, "0.000000", "5.9605e-08");
        check(0xfbff, 16, "-65504.000000", "-65504.0");
        check(0x7c00, 16, "inf", "inf");
        check(0xfe00, 16, "-nan", "-nan");
        check(0x8000, 16, "-0.000000", "-0.0");
        check(0x3f9d_f3b6, 32, "1.234000", "1.23399997");
        check(
            0x7f7f_ffff,
            32,
            "340282346638528859811704183484516925440.000000",
            "340282346638528859811704183484516925440.0",
        );
        check(0x3300_0000, 32, "0.000000", "2.98023224e-08");
        check(0x3fb9_9999_9999_999a, 64, "0.100000", "0.1");
        // Ties go to even, as in glibc: 0.5 * 2^-6 and its triple.
        check(0x3c00_0000, 32, "0.007812", "0.0078125");
        check(0x3cc0_0000, 32, "0.023438", "0.0234375");
    }
}
