//! Runs simple programs over a text that is exactly what the disassembler prints.
//!
//! Most instructions are a name and operands with commas between them. Where no operand can end at more than one place,
//! nothing is ever taken back: one way through the text, the word in one register, no trail and no stack. What is not
//! that simple, in the program or in the text, is left to the `machine`, which gives the same words.

use isaglot_bits::limbs;

use super::machine::strict_number;
use super::number::is_word;
use super::program::{Bytes, Digits, FieldOp, Kind, Op, Program, Table, Target};

/// What became of a text.
pub(super) enum Outcome {
    /// The word that it may be; bits that do not show are 0.
    Word(u64),
    /// No word reads so.
    Nothing,
    /// The machine has to say.
    Undecided,
}

/// Whether a program can be run here.
pub(super) fn is_quick(program: &Program) -> bool {
    program.value.len() == 1
        && program.ops.iter().all(|op| match op {
            Op::Literal { .. } | Op::Assign { .. } | Op::Differ { .. } | Op::Accept => true,
            Op::Field(field) => program.fields.get(*field as usize).is_some_and(|field| is_plain(program, field)),
            Op::Align(_) | Op::Alternatives { .. } | Op::Jump(_) | Op::Check { .. } | Op::Prefer(_) => false,
        })
}

/// Whether a field ends at one place only, and goes into bits.
fn is_plain(program: &Program, field: &FieldOp) -> bool {
    let follows = |is: &dyn Fn(u8) -> bool| (0..=255u8).any(|byte| is(byte) && field.follow.has(Some(byte)));
    let ends = match &field.kind {
        Kind::Number(style) => {
            matches!(style.digits, Digits::Signed | Digits::Unsigned | Digits::Hex)
                && !follows(&|byte| byte.is_ascii_hexdigit())
        }
        Kind::Table(table) => {
            program.tables.get(*table as usize).is_some_and(|table| table.is_plain()) && !follows(&is_word)
        }
        Kind::Float | Kind::Custom(_) | Kind::Constant(_) => false,
    };
    ends && matches!(field.target, Target::Bits { .. }) && field.width <= 64
}

impl Table {
    /// Whether its texts are words, each of one value, and none begins like a number.
    fn is_plain(&self) -> bool {
        let mut texts: Vec<&[u8]> = self.shown.iter().map(|text| &**text).collect();
        texts.sort_unstable();
        let is_plain = |text: &[u8]| {
            text.first().is_some_and(|byte| !byte.is_ascii_digit()) && text.iter().all(|&byte| is_word(byte))
        };
        texts.iter().all(|text| is_plain(text)) && texts.windows(2).all(|pair| pair.first() != pair.last())
    }
}

/// The word while it is being found.
struct Found {
    word: u64,
    known: u64,
}

impl Found {
    /// Sets bits; `false` if one of them is known to be otherwise.
    #[inline]
    fn assign(&mut self, lo: u32, width: u32, value: u64) -> bool {
        let mask = limbs::mask(width) << lo;
        let value = (value << lo) & mask;
        if (self.word ^ value) & self.known & mask != 0 {
            return false;
        }
        self.word |= value;
        self.known |= mask;
        true
    }

    #[inline]
    fn set(&mut self, program: &Program, target: &Target, value: u64) -> bool {
        let Target::Bits { from, to, mask, covered, ones } = *target else { return false };
        if (value ^ ones) & mask & !covered != 0 {
            return false;
        }
        program.runs.get(from as usize..to as usize).unwrap_or(&[]).iter().all(|run| {
            let bits = value.checked_shr(run.at).unwrap_or(0);
            self.assign(run.lo, run.width, if run.inverted { !bits } else { bits })
        })
    }
}

/// Runs a program for which [`is_quick`] holds.
pub(super) fn run(program: &Program, text: &[u8]) -> Outcome {
    let (Some(&value), Some(&known)) = (program.value.first(), program.care.first()) else { return Outcome::Undecided };
    let mut found = Found { word: value, known };
    let mut rest = text;
    for op in &program.ops {
        match *op {
            Op::Literal { from, len } => match after(rest, program.literal(from, len)) {
                Some(behind) => rest = behind,
                None => return Outcome::Nothing,
            },
            Op::Field(field) => {
                let Some(field) = program.fields.get(field as usize) else { return Outcome::Undecided };
                let (len, value) = match &field.kind {
                    Kind::Table(table) => {
                        let Some(table) = program.tables.get(*table as usize) else { return Outcome::Undecided };
                        let (len, text) = word(rest);
                        match table.short.get(text) {
                            Some(value) if len > 0 => (len, value),
                            // An alias, a number, or a longer text.
                            _ => return Outcome::Undecided,
                        }
                    }
                    Kind::Number(style) => match strict_number(rest, field, *style, 0, 0) {
                        Some(reading) if reading.fits => (reading.end, reading.value),
                        _ => return Outcome::Nothing,
                    },
                    Kind::Float | Kind::Custom(_) | Kind::Constant(_) => return Outcome::Undecided,
                };
                rest = rest.get(len..).unwrap_or(&[]);
                if !can_follow(&field.follow, rest) || !found.set(program, &field.target, value) {
                    return Outcome::Nothing;
                }
            }
            Op::Assign { lo, width, value } => {
                if !found.assign(lo, width, value) {
                    return Outcome::Nothing;
                }
            }
            Op::Accept if rest.is_empty() => {}
            Op::Accept => return Outcome::Nothing,
            // All bits are looked at when all are known.
            Op::Differ { .. } => {}
            Op::Align(_) | Op::Alternatives { .. } | Op::Jump(_) | Op::Check { .. } | Op::Prefer(_) => {
                return Outcome::Undecided;
            }
        }
    }
    for op in &program.ops {
        if let Op::Differ { lo, width, value } = *op {
            let (mask, value) = (limbs::mask(width) << lo, value << lo);
            if (found.word ^ value) & found.known & mask != 0 {
                continue;
            }
            // Bits that are open could still be chosen.
            return if found.known & mask == mask { Outcome::Nothing } else { Outcome::Undecided };
        }
    }
    Outcome::Word(found.word)
}

/// A text of up to eight bytes as a number.
pub(super) fn packed(text: &[u8]) -> Option<u64> {
    (text.len() <= 8).then(|| text.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)))
}

/// The word that a text begins with, of up to eight bytes: its length and its bytes as a number. Length 0 if there is
/// none, or a longer one.
#[inline]
fn word(text: &[u8]) -> (usize, u64) {
    let mut all = 0u64;
    for (at, &byte) in text.iter().enumerate() {
        if !is_word(byte) {
            return (at, all);
        }
        if at == 8 {
            return (0, 0);
        }
        all |= u64::from(byte) << (8 * at);
    }
    (text.len(), all)
}

#[inline]
fn can_follow(follow: &Bytes, rest: &[u8]) -> bool {
    follow.has(rest.first().copied())
}

/// What follows a literal; literals are short, so bytes are compared in place.
#[inline]
fn after<'t>(text: &'t [u8], literal: &[u8]) -> Option<&'t [u8]> {
    let (start, rest) = text.split_at_checked(literal.len())?;
    start.iter().zip(literal).all(|(a, b)| a == b).then_some(rest)
}
