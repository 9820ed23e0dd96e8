//! The integer registers: their names, and what a call may change.

/// How many integer registers there are.
pub const REGISTERS: usize = 32;

/// Names of the integer registers in the calling convention, by number.
pub const ABI_NAMES: [&str; REGISTERS] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// Registers that a call may change, by the calling convention: ra, t0 to t6, a0 to a7. Bit n is register n.
pub const CALLER_SAVED: u32 = 0xf003_fce2;

/// The number of an integer register: `a0`, `fp` or `x10`.
///
/// ```
/// use isaglot_riscv::register;
/// assert_eq!(register::integer("a0"), register::integer("x10"));
/// assert_eq!(register::integer("x07"), None);
/// ```
pub fn integer(text: &str) -> Option<u32> {
    if text == "fp" {
        return Some(8);
    }
    if let Some(at) = ABI_NAMES.iter().position(|n| *n == text) {
        return Some(at as u32);
    }
    let digits =
        text.strip_prefix('x').filter(|d| !d.is_empty() && d.len() <= 2 && (*d == "0" || !d.starts_with('0')))?;
    digits.parse().ok().filter(|n| *n < 32)
}

/// The number of a floating-point register: `fa0` or `f10`.
pub fn float(text: &str) -> Option<u32> {
    let rest = text.strip_prefix('f')?;
    let numbered = |prefix: &str, table: &[u32]| {
        let n: usize = rest.strip_prefix(prefix)?.parse().ok()?;
        table.get(n).copied()
    };
    numbered("t", &[0, 1, 2, 3, 4, 5, 6, 7, 28, 29, 30, 31])
        .or_else(|| numbered("s", &[8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27]))
        .or_else(|| numbered("a", &[10, 11, 12, 13, 14, 15, 16, 17]))
        .or_else(|| rest.parse().ok().filter(|n| *n < 32))
}
