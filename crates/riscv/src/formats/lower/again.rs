//! Instructions that are there once more with other operands: those of floating point where integer registers hold the numbers.
//!
//! The formats write one instruction for both, `fadd.d` of `D` or `Zdinx`, or forget the second. A description needs two: they
//! share words and have different operands. The method: where a statement `again` of the table of operands applies, the
//! instruction loses the extensions that stand for the second kind, and a copy is made whose name ends in `@` and the name of the
//! statement. The copy has the second extension in place of the first and is not there with the first, since no machine has both.

use std::borrow::Cow;

use isaglot_isaspec::syntax::{FeatureDecl, Requirement};

use super::operands::{Again, Operands};
use crate::formats::{Formula, Instruction};

/// The name of an extension as others write it; `None` if there is none.
type Known<'k> = dyn Fn(&str) -> Option<String> + 'k;

/// All instructions, each with its copies after it. A list that has copies already stays as it is.
pub fn again<'i>(instructions: &'i [Instruction], operands: &Operands, known: &Known<'_>) -> Vec<Cow<'i, Instruction>> {
    let mut made = Vec::with_capacity(instructions.len());
    let has_copies = instructions.iter().any(|i| i.name.contains('@'));
    for instruction in instructions {
        let rule =
            |width| operands.again(&instruction.name, width).filter(|rule| rule.fits(&instruction.condition, known));
        let rules = if has_copies { [None; 2] } else { [32, 64].map(rule) };
        let Some(rule) = rules.iter().flatten().next() else {
            made.push(Cow::Borrowed(instruction));
            continue;
        };
        let condition = rule.replaced(&instruction.condition, None);
        made.push(Cow::Owned(Instruction { condition, ..instruction.clone() }));
        let mut copied: Vec<&str> = Vec::new();
        for rule in rules.into_iter().flatten() {
            if copied.contains(&rule.name.as_str()) {
                continue;
            }
            copied.push(&rule.name);
            let mut copy = instruction.clone();
            copy.name = format!("{}@{}", instruction.name, rule.name);
            copy.condition = rule.replaced(&instruction.condition, Some(known));
            for (encoding, other) in copy.encodings.iter_mut().zip(&rules) {
                if !other.is_some_and(|other| other.name == rule.name) {
                    *encoding = None;
                }
            }
            made.push(Cow::Owned(copy));
        }
    }
    made
}

impl Again {
    /// Says of the second extension of each pair that it excludes the first, for formats that do not say which exclude each other.
    pub(super) fn exclude(&self, features: &mut [FeatureDecl]) {
        for (from, to) in &self.instead {
            let first = features.iter().find(|f| is(&f.name.value, from)).map(|f| f.name.clone());
            let second = features.iter_mut().find(|f| is(&f.name.value, to));
            if let (Some(first), Some(second)) = (first, second) {
                second.excludes = Some(Requirement::Feature(first));
            }
        }
    }

    /// Whether all extensions that an instruction needs are of the one kind or the other, and those of the second kind are known.
    fn fits(&self, condition: &Formula, known: &Known<'_>) -> bool {
        match condition {
            Formula::True | Formula::Xlen(_) => true,
            Formula::Extension(name, _) => {
                let pair = self.instead.iter().find(|(from, to)| is(name, from) || is(name, to));
                pair.is_some_and(|(_, to)| known(to).is_some())
            }
            Formula::All(list) | Formula::Any(list) | Formula::One(list) => list.iter().all(|f| self.fits(f, known)),
            Formula::Not(_) | Formula::Parameter(_) | Formula::Idl(_) => false,
        }
    }

    /// The condition of the copy, which needs the names of extensions, or of the instruction itself.
    fn replaced(&self, condition: &Formula, copy: Option<&Known<'_>>) -> Formula {
        let several = |list: &[Formula]| list.iter().map(|f| self.replaced(f, copy)).collect();
        match condition {
            Formula::Extension(name, _) => {
                let to = self.instead.iter().find(|(from, _)| is(name, from)).map(|(_, to)| to);
                match (to, copy) {
                    (Some(to), Some(known)) => {
                        let second = Formula::Extension(known(to).unwrap_or_else(|| to.clone()), Vec::new());
                        Formula::All(vec![second, Formula::Not(Box::new(condition.clone()))])
                    }
                    (Some(_), None) => condition.clone(),
                    (None, _) => Formula::Any(Vec::new()),
                }
            }
            Formula::All(list) => Formula::All(several(list)),
            Formula::Any(list) => Formula::Any(several(list)),
            Formula::One(list) => Formula::One(several(list)),
            other => other.clone(),
        }
    }
}

fn is(name: &str, other: &str) -> bool {
    name.eq_ignore_ascii_case(other)
}
