//! Numbers as the disassembler prints them: integers in decimal, 32- and 64-bit floats with the digits that keep every
//! bit, everything else as hexadecimal floats.

use isaglot_invariant::Impossible as _;

use super::NumberType;
use super::format::{Encoding, Format, format};

/// Appends an unsigned number.
pub(crate) fn decimal(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        if let Some(d) = digits.get_mut(at) {
            *d = b'0' + (n % 10) as u8;
        }
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(at..).or_impossible_default());
}

/// Appends a number of a type, given its words, low first. A number of more than two words, or of a format without a
/// literal form, prints nothing.
pub(crate) fn number(out: &mut Vec<u8>, words: &[u32], ty: NumberType) {
    let bits = match *words {
        [low] => u64::from(low),
        [low, high] => u64::from(low) | u64::from(high) << 32,
        _ => return,
    };
    match ty {
        NumberType::Int { signed: false, .. } => decimal(out, bits),
        NumberType::Int { signed: true, .. } => {
            let value = if words.len() == 1 { i64::from(bits as u32 as i32) } else { bits as i64 };
            if value < 0 {
                out.push(b'-');
            }
            decimal(out, value.unsigned_abs());
        }
        NumberType::Float { width, encoding } => float(out, bits, width, encoding),
    }
}

fn float(out: &mut Vec<u8>, bits: u64, width: u32, encoding: Encoding) {
    match (encoding, width) {
        (Encoding::Ieee, 32) => {
            let value = f32::from_bits(bits as u32);
            if value == 0.0 || value.is_normal() {
                return general(out, &format!("{value:.8e}"));
            }
        }
        (Encoding::Ieee, 64) => {
            let value = f64::from_bits(bits);
            if value == 0.0 || value.is_normal() {
                return general(out, &format!("{value:.16e}"));
            }
        }
        (Encoding::E8M0, _) => return hex(out, false, 1, 0, (bits & 0xff) as i32 - 127),
        (Encoding::MxInt8, _) => {
            let value = bits as u8 as i8;
            return hex(out, value < 0, u64::from(value.unsigned_abs()), 6, 0);
        }
        _ => {}
    }
    if let Some(f) = format(width, encoding) {
        fields(out, bits, &f);
    }
}

/// Rewrites `d.ddde-d` by the rules of `%g` with as many digits.
fn general(out: &mut Vec<u8>, scientific: &str) {
    let (mantissa, exponent) = scientific.split_once('e').or_impossible((scientific, "0"));
    let exponent: i32 = exponent.parse().or_impossible(0);
    let unsigned = mantissa.trim_start_matches('-');
    if mantissa.len() != unsigned.len() {
        out.push(b'-');
    }
    let precision = unsigned.len() as i32 - 1;
    let digits: Vec<u8> = unsigned.bytes().filter(u8::is_ascii_digit).collect();
    let kept = digits.len() - digits.iter().rev().take_while(|&&d| d == b'0').count();
    let digits = digits.get(..kept.max(1)).unwrap_or(&digits);
    if (-4..precision).contains(&exponent) {
        if exponent < 0 {
            out.extend_from_slice(b"0.");
            out.extend(std::iter::repeat_n(b'0', (-exponent - 1) as usize));
            out.extend_from_slice(digits);
        } else {
            let whole = exponent as usize + 1;
            let (a, b) = digits.split_at(whole.min(digits.len()));
            out.extend_from_slice(a);
            out.extend(std::iter::repeat_n(b'0', whole - a.len()));
            if !b.is_empty() {
                out.push(b'.');
                out.extend_from_slice(b);
            }
        }
        return;
    }
    let (a, b) = digits.split_at(1);
    out.extend_from_slice(a);
    if !b.is_empty() {
        out.push(b'.');
        out.extend_from_slice(b);
    }
    out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
    if exponent.abs() < 10 {
        out.push(b'0');
    }
    decimal(out, u64::from(exponent.unsigned_abs()));
}

/// A sign-exponent-fraction value; the all-ones exponent is printed like any other.
fn fields(out: &mut Vec<u8>, bits: u64, f: &Format) {
    let negative = bits >> f.sign() & 1 == 1;
    let fraction = bits & ((1 << f.fraction) - 1);
    let biased = (bits >> f.fraction & ((1 << f.exponent) - 1)) as i32;
    let (significand, exponent) = match biased {
        0 => (fraction, 1 - f.bias()),
        e => (1 << f.fraction | fraction, e - f.bias()),
    };
    hex(out, negative, significand, f.fraction, exponent);
}

/// `significand / 2^point · 2^exponent`, normalised.
fn hex(out: &mut Vec<u8>, negative: bool, significand: u64, point: u32, exponent: i32) {
    if negative {
        out.push(b'-');
    }
    if significand == 0 {
        out.extend_from_slice(b"0x0p+0");
        return;
    }
    let lead = 63 - significand.leading_zeros();
    let exponent = exponent + lead as i32 - point as i32;
    out.extend_from_slice(b"0x1");
    // The bits after the leading one, moved to the top.
    let mut fraction = if lead == 0 { 0 } else { significand << (64 - lead) };
    if fraction != 0 {
        out.push(b'.');
    }
    while fraction != 0 {
        out.push(char::from_digit((fraction >> 60) as u32, 16).or_impossible('0') as u8);
        fraction <<= 4;
    }
    out.extend_from_slice(if exponent < 0 { b"p-" } else { b"p+" });
    decimal(out, u64::from(exponent.unsigned_abs()));
}
