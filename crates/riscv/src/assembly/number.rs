//! Numbers as instructions, which is what `li` becomes, and numbers in text.

use crate::Xlen;

fn low12(value: i64) -> i64 {
    value << 52 >> 52
}

/// Lines that put a constant into a register: as few as `lui`, `addi` and `slli` can do it in by splitting off twelve
/// bits at a time. Each part has a sign, so what is above it is rounded: for example
///
/// ```
/// use isaglot_riscv::{Xlen, assembly::number::li};
///
/// assert_eq!(li("a0", 0x1234_5fff, Xlen::Rv64), ["lui a0,0x12346", "addiw a0,a0,-1"]);
/// assert_eq!(li("a0", 1 << 40, Xlen::Rv64), ["addi a0,zero,1", "slli a0,a0,0x28"]);
/// ```
pub fn li(rd: &str, value: i64, xlen: Xlen) -> Vec<String> {
    let mut out = Vec::new();
    let value = if xlen == Xlen::Rv32 { i64::from(value as i32) } else { value };
    push(rd, value, xlen, &mut out);
    out
}

fn push(rd: &str, value: i64, xlen: Xlen, out: &mut Vec<String>) {
    let low = low12(value);
    if i64::from(value as i32) == value {
        let upper = (value + 0x800) >> 12 & 0xf_ffff;
        if upper != 0 {
            out.push(format!("lui {rd},{upper:#x}"));
        }
        if low != 0 || upper == 0 {
            let (from, add) = match (upper, xlen) {
                (0, _) => ("zero", "addi"),
                (_, Xlen::Rv32) => (rd, "addi"),
                (_, Xlen::Rv64) => (rd, "addiw"),
            };
            out.push(format!("{add} {rd},{from},{low}"));
        }
        return;
    }
    let upper = value.wrapping_add(0x800) >> 12;
    let shift = 12 + upper.trailing_zeros();
    push(rd, value.wrapping_sub(low) >> shift, xlen, out);
    out.push(format!("slli {rd},{rd},{shift:#x}"));
    if low != 0 {
        out.push(format!("addi {rd},{rd},{low}"));
    }
}

/// A number in decimal, `0x`, `0b` or octal, with a sign; a 64-bit pattern counts as the signed number it is.
pub fn parse(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16).ok()?
    } else if let Some(binary) = digits.strip_prefix("0b") {
        u64::from_str_radix(binary, 2).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8).ok()?
    } else {
        digits.parse().ok()?
    };
    let value = value.cast_signed();
    Some(if negative { value.wrapping_neg() } else { value })
}

/// A decimal number with a point or an exponent, spelt as a constant of `fli` prints: as few digits as tell it from its
/// neighbours, an exponent of two digits or none.
///
/// ```
/// use isaglot_riscv::assembly::number::float;
///
/// assert_eq!(float(".25").as_deref(), Some("0.25"));
/// assert_eq!(float("1e0").as_deref(), Some("1.0"));
/// assert_eq!(float("0.0000152587890625").as_deref(), Some("1.52587890625e-05"));
/// assert_eq!(float("1"), None);
/// ```
pub fn float(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    if !text.contains(['.', 'e', 'E']) || !text.chars().all(is_part) {
        return None;
    }
    let shortest = format!("{:?}", isaglot_asm::decimal::double(text)?);
    Some(match shortest.split_once("e-") {
        Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
        None => shortest,
    })
}

/// The halves of an address for `lui`/`auipc` and a signed 12-bit offset.
pub(super) fn halves(value: i64) -> (i64, i64) {
    (value.wrapping_add(0x800) >> 12 & 0xf_ffff, low12(value))
}
