//! A formula over one value as a list of steps, for formulas that are worked out for thousands of values.
//!
//! The problem: definitions are put into a formula where they are used, so that of a formula with many parts few differ. The method: a
//! step for each part that differs, its operands before it, worked out for a block of values at a time; what does not depend on the value is a number. Invariant: the value is
//! that of [`Formula::value`], whose choices have no effect but their value.

use isaglot_invariant::Impossible as _;
use isaglot_model::{BinaryOp, IntType, UnaryOp};
use rustc_hash::FxHashMap;

use crate::table::formula::Formula;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// The value that the formula is over.
    Value,
    Number(u64),
    Wrap(IntType, usize),
    Unary(UnaryOp, usize),
    Binary(BinaryOp, usize, usize),
    Select(usize, usize, usize),
}

/// How many numbers in a row a formula is worked out for at once: each step for all of them before the next step, so that what a step is
/// is looked at once for all.
pub(super) const BLOCK: usize = 32;

/// A value for each number of a block.
pub(super) type Block = [u64; BLOCK];

/// The steps of a formula; the last is its value.
#[derive(Debug)]
pub(super) struct Flat {
    steps: Vec<Step>,
}

impl Flat {
    /// The steps of a formula over `v`; `None` if it has another name.
    pub(super) fn new(formula: &Formula) -> Option<Flat> {
        let (mut flat, mut known) = (Flat { steps: Vec::new() }, FxHashMap::default());
        let root = flat.add(formula, &mut known)?;
        flat.steps.truncate(root + 1);
        Some(flat)
    }

    fn add(&mut self, formula: &Formula, known: &mut FxHashMap<Step, usize>) -> Option<usize> {
        let step = match formula {
            Formula::Number(value) => Step::Number(*value as u64),
            Formula::Field(name) if name == "v" => Step::Value,
            Formula::Field(_) | Formula::Feature(_) => return None,
            Formula::Sext(x, to) => Step::Wrap(IntType { bits: (*to).clamp(1, 64), signed: true }, self.add(x, known)?),
            Formula::Unary(op, x) => Step::Unary(*op, self.add(x, known)?),
            Formula::Binary(op, x, y) => Step::Binary(*op, self.add(x, known)?, self.add(y, known)?),
            Formula::Select(c, x, y) => Step::Select(self.add(c, known)?, self.add(x, known)?, self.add(y, known)?),
        };
        let number = |at: usize| match self.steps.get(at) {
            Some(Step::Number(value)) => Some(*value),
            _ => None,
        };
        let step = match step {
            Step::Value => step,
            _ => step.value(0, &number).map_or(step, Step::Number),
        };
        Some(*known.entry(step).or_insert_with(|| {
            self.steps.push(step);
            self.steps.len() - 1
        }))
    }

    /// The values of the formula for the numbers from `first` on; `room` is for the values of its steps.
    pub(super) fn values<'r>(&self, first: i64, room: &'r mut Vec<Block>) -> &'r Block {
        let zeros = [0; BLOCK];
        if room.len() < self.steps.len() {
            room.resize(self.steps.len(), zeros);
        }
        for (at, step) in self.steps.iter().enumerate() {
            let (before, after) = room.split_at_mut_checked(at).or_impossible((&mut [], &mut []));
            let Some(out) = after.first_mut() else { break };
            // A step comes after its operands.
            let of = |at: usize| before.get(at).or_impossible(&zeros);
            step.values(first, &of, out);
        }
        room.get(self.steps.len().wrapping_sub(1)).or_impossible(&[0; BLOCK])
    }
}

impl Step {
    /// Its value, if those of its operands are known.
    #[inline]
    fn value(self, value: u64, of: &impl Fn(usize) -> Option<u64>) -> Option<u64> {
        let ty = IntType::I64;
        Some(match self {
            Step::Value => value,
            Step::Number(number) => number,
            Step::Wrap(to, x) => to.wrap(of(x)?),
            Step::Unary(op, x) => op.apply(ty, of(x)?),
            Step::Binary(op, x, y) => op.apply(ty, of(x)?, of(y)?),
            Step::Select(c, x, y) => {
                let (condition, then, other) = (of(c)?, of(x)?, of(y)?);
                if condition != 0 { then } else { other }
            }
        })
    }

    /// Its values for the numbers from `first` on, of those of its operands.
    fn values<'r>(self, first: i64, of: &impl Fn(usize) -> &'r Block, out: &mut Block) {
        let ty = IntType::I64;
        match self {
            Step::Value => out.iter_mut().zip(first..).for_each(|(out, value)| *out = value as u64),
            Step::Number(number) => *out = [number; BLOCK],
            Step::Wrap(to, x) => out.iter_mut().zip(of(x)).for_each(|(out, x)| *out = to.wrap(*x)),
            Step::Unary(op, x) => out.iter_mut().zip(of(x)).for_each(|(out, x)| *out = op.apply(ty, *x)),
            Step::Binary(op, x, y) => op.apply_each(of(x), of(y), out),
            Step::Select(c, x, y) => {
                let choices = of(c).iter().zip(of(x)).zip(of(y));
                out.iter_mut().zip(choices).for_each(|(out, ((c, x), y))| *out = if *c != 0 { *x } else { *y });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Flat;
    use crate::table::formula::{Definitions, parse};

    #[test]
    fn values_are_those_of_the_formula() {
        let formulas = [
            "v",
            "3 * 4 + 1",
            "(v >> 2 & 3) + (v >> 2 & 3) * 5",
            "v % 3 == 1 ? v << 4 : sext(v & 15, 4)",
            "!(v / 2) || ~v < -3 && v - 1 > 7",
            "v / (v & 1) + v % (v & 2)",
            "1 << v",
        ];
        let mut room = Vec::new();
        for text in formulas {
            let formula = parse(text, &Definitions::default()).unwrap();
            let flat = Flat::new(&formula).unwrap();
            for first in [i64::MIN, -70, -1, 0, 40, 300, i64::MAX - 40] {
                let found = *flat.values(first, &mut room);
                for (value, found) in (first..).zip(found) {
                    let wanted = formula.value(&|name| (name == "v").then_some(value));
                    assert_eq!(Some(found as i64), wanted, "{text} of {value}");
                }
            }
        }
    }

    #[test]
    fn other_names_are_refused() {
        let formula = parse("v + w", &Definitions::default()).unwrap();
        assert!(Flat::new(&formula).is_none());
    }
}
