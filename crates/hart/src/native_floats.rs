//! The operations of single and double precision that machine code calls, by number.

use crate::machine::Machine;

/// An operation on its arguments, clean in 64 bits. None of them can trap.
type Function = fn(&mut Machine, [u64; 4]) -> u64;

/// Rows of operations that take the same arguments; with a mode, that is the last one.
macro_rules! rows {
    ($all:ident: $(($($arg:ident)*) $($mode:ident)?: $($name:ident)*;)*) => {
        const $all: &[&[(&str, Function)]] = &[$(rows! { @ [$($arg)*] [$($mode)?] $($name)* }),*];
    };
    (@ [$a:ident] [$m:ident] $($name:ident)*) => {
        &[$((stringify!($name), |h, [$a, $m, ..]| h.$name($a, $m as u8).map_or(0, u64::from))),*]
    };
    (@ [$a:ident $b:ident] [$m:ident] $($name:ident)*) => {
        &[$((stringify!($name), |h, [$a, $b, $m, _]| h.$name($a, $b, $m as u8).map_or(0, u64::from))),*]
    };
    (@ [$a:ident $b:ident] [] $($name:ident)*) => {
        &[$((stringify!($name), |h, [$a, $b, ..]| h.$name($a, $b).map_or(0, u64::from))),*]
    };
    (@ [$a:ident $b:ident $c:ident] [$m:ident] $($name:ident)*) => {
        &[$((stringify!($name), |h, [$a, $b, $c, $m]| h.$name($a, $b, $c, $m as u8).map_or(0, u64::from))),*]
    };
}

rows! { ALL:
    (a b c) m: f32_fma f64_fma;
    (a b) m: f32_add f32_mul f32_div f64_add f64_mul f64_div;
    (a b): f32_min f32_max f32_eq f32_lt f32_le f64_min f64_max f64_eq f64_lt f64_le;
    (a) m: f32_sqrt f64_sqrt f32_to_f64 f64_to_f32 f32_to_i32 f32_to_u32 f32_to_i64 f32_to_u64 i32_to_f32 u32_to_f32 i64_to_f32 u64_to_f32
        f64_to_i32 f64_to_u32 f64_to_i64 f64_to_u64 i32_to_f64 u32_to_f64 i64_to_f64 u64_to_f64;
}

/// Operations of a row, at most.
const ROW: u64 = 32;

/// The number of an operation.
pub(super) fn number(name: &str) -> Option<u64> {
    let find = |row: &&[(&str, Function)]| row.iter().position(|(known, _)| *known == name);
    (0..).zip(ALL).find_map(|(at, row)| Some(at * ROW + find(row)? as u64))
}

/// Runs one.
pub(super) fn run(machine: &mut Machine, number: u64, arguments: [u64; 4]) -> u64 {
    let row = ALL.get((number / ROW) as usize);
    row.and_then(|row| row.get((number % ROW) as usize)).map_or(0, |(_, f)| f(machine, arguments))
}
