//! Runs simple programs over a text that is exactly what the disassembler prints.
//!
//! Most instructions are a name and operands with commas between them. Where no operand can end at more than one place,
//! nothing is ever taken back: one way through the text, the word in one register, no trail and no stack. What is not
//! that simple, in the program or in the text, is left to the `machine`, which gives the same words.
//!
//! Example: `addi {RD}, {RS1}, {IMM}` with register tables of words and a decimal number is quick: after a register a comma
//! must follow, so its text ends at the first byte that is not part of a word. `op{A}{B}` is not: `A` may end in two places.

use isaglot_bits::limbs;
use isaglot_invariant::{Impossible as _, impossible};

use super::machine::strict_number;
use super::number::is_word;
use super::program::{Bytes, Digits, FieldOp, FieldSyntax, Program, ReadOp, TextTable, ValueTarget};

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
            ReadOp::Literal { .. } | ReadOp::Assign { .. } | ReadOp::Differ { .. } | ReadOp::Accept => true,
            ReadOp::Field(field) => program.fields.get(*field as usize).is_some_and(|field| is_plain(program, field)),
            ReadOp::Align(_)
            | ReadOp::Alternatives { .. }
            | ReadOp::Jump(_)
            | ReadOp::Check { .. }
            | ReadOp::Prefer(_) => false,
        })
}

/// Whether a field ends at one place only, and goes into bits.
fn is_plain(program: &Program, field: &FieldOp) -> bool {
    let follows = |is: &dyn Fn(u8) -> bool| (0..=255u8).any(|byte| is(byte) && field.follow.has(Some(byte)));
    let ends = match &field.syntax {
        FieldSyntax::Number(style) => {
            matches!(style.digits, Digits::Signed | Digits::Unsigned | Digits::Hex)
                && !follows(&|byte| byte.is_ascii_hexdigit())
        }
        FieldSyntax::Table(table) => {
            program.tables.get(*table as usize).is_some_and(|table| table.is_plain()) && !follows(&is_word)
        }
        FieldSyntax::Float | FieldSyntax::Custom(_) | FieldSyntax::Constant(_) => false,
    };
    ends && matches!(field.target, ValueTarget::Bits { .. }) && field.width <= 64
}

impl TextTable {
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
    fn set(&mut self, program: &Program, target: &ValueTarget, value: u64) -> bool {
        let ValueTarget::Bits { from, to, mask, covered, ones } = *target else { return impossible(false) };
        if (value ^ ones) & mask & !covered != 0 {
            return false;
        }
        program.runs.get(from as usize..to as usize).or_impossible(&[]).iter().all(|run| {
            let bits = value.checked_shr(run.at).unwrap_or(0);
            self.assign(run.lo, run.width, if run.inverted { !bits } else { bits })
        })
    }
}

/// Runs a program for which [`is_quick`] holds.
pub(super) fn run(program: &Program, text: &[u8]) -> Outcome {
    let (Some(&value), Some(&known)) = (program.value.first(), program.care.first()) else {
        return impossible(Outcome::Undecided);
    };
    let mut found = Found { word: value, known };
    let mut rest = text;
    for op in &program.ops {
        match *op {
            ReadOp::Literal { from, len } => match after(rest, program.literal(from, len)) {
                Some(after) => rest = after,
                None => return Outcome::Nothing,
            },
            ReadOp::Field(field) => {
                let Some(field) = program.fields.get(field as usize) else { return impossible(Outcome::Undecided) };
                let (len, value) = match read(program, field, rest) {
                    Ok(read) => read,
                    Err(outcome) => return outcome,
                };
                rest = rest.get(len..).or_impossible(&[]);
                if !can_follow(&field.follow, rest) || !found.set(program, &field.target, value) {
                    return Outcome::Nothing;
                }
            }
            ReadOp::Assign { lo, width, value } => {
                if !found.assign(lo, width, value) {
                    return Outcome::Nothing;
                }
            }
            ReadOp::Accept if rest.is_empty() => {}
            ReadOp::Accept => return Outcome::Nothing,
            // All bits are looked at when all are known.
            ReadOp::Differ { .. } => {}
            ReadOp::Align(_)
            | ReadOp::Alternatives { .. }
            | ReadOp::Jump(_)
            | ReadOp::Check { .. }
            | ReadOp::Prefer(_) => {
                return Outcome::Undecided;
            }
        }
    }
    for op in &program.ops {
        if let ReadOp::Differ { lo, width, value } = *op {
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

/// The length and value of a field that a text begins with; what becomes of the text if there is none.
#[inline]
fn read(program: &Program, field: &FieldOp, text: &[u8]) -> Result<(usize, u64), Outcome> {
    match &field.syntax {
        FieldSyntax::Table(table) => {
            let table = program.tables.get(*table as usize).ok_or(Outcome::Undecided)?;
            let (len, text) = word(text);
            // If not there: a synonym, a number, or a longer text.
            table.short.get(text).filter(|_| len > 0).map(|value| (len, value)).ok_or(Outcome::Undecided)
        }
        FieldSyntax::Number(style) => match strict_number(text, field, *style, 0, 0) {
            Some(reading) if reading.fits => Ok((reading.end, reading.value)),
            _ => Err(Outcome::Nothing),
        },
        FieldSyntax::Float | FieldSyntax::Custom(_) | FieldSyntax::Constant(_) => Err(Outcome::Undecided),
    }
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
