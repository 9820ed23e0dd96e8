//! Where fields got their values.
//!
//! Every `let` gives a field of one record a place of its own, and almost nobody asks for it: messages, one printer, editors. So
//! giving one must cost next to nothing, and asking may cost a walk. All places of all records are one tree of steps, each with the
//! field that it is for and the step before it; a record is the number of its last step. Records of one class share the
//! class's steps.

use crate::loc::Loc;

/// The last step of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastStep(u32);

impl LastStep {
    /// No field has a place.
    pub(crate) const NONE: LastStep = LastStep(0);
}

#[derive(Clone, Copy, Debug)]
struct Step {
    before: LastStep,
    /// The place of the field in the record.
    field: u32,
    loc: Loc,
}

/// All steps.
#[derive(Debug, Default)]
pub(crate) struct FieldLocs {
    /// Step `n` is at place `n - 1`.
    steps: Vec<Step>,
}

impl FieldLocs {
    /// The steps after which that field is from there.
    pub(crate) fn set(&mut self, before: LastStep, field: usize, loc: Loc) -> LastStep {
        self.steps.push(Step { before, field: field as u32, loc });
        LastStep(self.steps.len() as u32)
    }

    fn walk(&self, last: LastStep) -> impl Iterator<Item = Step> + '_ {
        let step = |last: LastStep| self.steps.get((last.0 as usize).checked_sub(1)?).copied();
        std::iter::successors(step(last), move |found| step(found.before))
    }

    /// Where a field is from.
    pub(crate) fn get(&self, last: LastStep, field: usize) -> Option<Loc> {
        self.walk(last).find(|step| step.field as usize == field).map(|step| step.loc)
    }

    /// Where each of the first `count` fields is from.
    pub(crate) fn of_all(&self, last: LastStep, count: usize) -> Vec<Loc> {
        let mut found = vec![None; count];
        let mut missing = count;
        for step in self.walk(last) {
            if let Some(slot @ None) = found.get_mut(step.field as usize) {
                *slot = Some(step.loc);
                missing -= 1;
            }
            if missing == 0 {
                break;
            }
        }
        found.into_iter().map(|loc| loc.unwrap_or(Loc::NONE)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_steps_count_and_others_are_not_disturbed() {
        let mut all = FieldLocs::default();
        let class = all.set(LastStep::NONE, 0, Loc(1));
        let class = all.set(class, 1, Loc(2));
        let one = all.set(class, 0, Loc(3));
        let other = all.set(class, 2, Loc(4));
        assert_eq!(all.get(LastStep::NONE, 0), None);
        assert_eq!(all.of_all(class, 2), [Loc(1), Loc(2)]);
        assert_eq!(all.of_all(one, 2), [Loc(3), Loc(2)]);
        assert_eq!(all.of_all(other, 3), [Loc(1), Loc(2), Loc(4)]);
        assert_eq!(all.get(other, 1), Some(Loc(2)));
    }
}
