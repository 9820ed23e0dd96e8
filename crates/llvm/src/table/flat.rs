//! A formula over one value as a list of steps, for formulas that are worked out for thousands of values.
//!
//! The problem: definitions are put into a formula where they are used, so that of a formula with many parts few differ. The method: a
//! step for each part that differs, its operands before it; what does not depend on the value is a number. Invariant: the value is
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

    /// The value of the formula; `room` is for the values of its steps.
    pub(super) fn value(&self, value: i64, room: &mut Vec<u64>) -> i64 {
        room.clear();
        for step in &self.steps {
            let next = step.value(value as u64, &|at| room.get(at).copied());
            // A step comes after its operands.
            room.push(next.or_impossible(0));
        }
        room.last().copied().or_impossible(0) as i64
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
            for value in (-70..300).chain([i64::MIN, i64::MAX]) {
                let wanted = formula.value(&|name| (name == "v").then_some(value));
                assert_eq!(Some(flat.value(value, &mut room)), wanted, "{text} of {value}");
            }
        }
    }

    #[test]
    fn other_names_are_refused() {
        let formula = parse("v + w", &Definitions::default()).unwrap();
        assert!(Flat::new(&formula).is_none());
    }
}
