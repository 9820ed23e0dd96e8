//! What instructions say of those after them: the contexts of the instructions of a stream, in order.
//!
//! The problem: an instruction of Arm's Thumb has no condition of its own; that of an IT block around it comes from the `it` before it. So what a
//! word means depends on words before it. The method: an encoding can say the contexts of the next few instructions
//! ([`Encoding::opens`](isaglot_model::Encoding::opens)). A context is a feature, so everything else, texts above all, is decided as for features, by a plan of
//! its own ([`Plan::within`]), and words stay words.
//!
//! Invariant: without contexts in the model, the context is always 0 and nothing is looked at.

use isaglot_bits::Word;
use isaglot_model::limits::MAX_OPENED;

use crate::plan::Plan;
use crate::scope::Scopes;
use crate::tree::Match;

/// The contexts of the instructions to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// The next one first; 0 where nothing is said.
    ahead: [u8; MAX_OPENED],
}

impl Ahead {
    /// The context of the next instruction.
    #[must_use]
    #[inline]
    pub fn next(&self) -> usize {
        usize::from(self.ahead[0])
    }

    /// Takes note of the next instruction, which says nothing of those after it.
    pub fn pass_one(&mut self) {
        self.ahead.rotate_left(1);
        self.ahead[MAX_OPENED - 1] = 0;
    }

    /// Takes note of the next instruction. A word that is none changes nothing.
    pub fn pass(&mut self, plan: &Plan<'_>, word: &Word) {
        if plan.isa().contexts().is_empty() {
            return;
        }
        let Match::One(id) = plan.decode(word) else { return };
        self.pass_one();
        let opens = &plan.isa()[id].opens;
        if opens.is_empty() {
            return;
        }
        self.ahead = [0; MAX_OPENED];
        let mut scopes = Scopes::new(plan, false);
        let Some(scope) = scopes.enter_encoding(id, word) else { return };
        for (place, expr) in self.ahead.iter_mut().zip(opens) {
            let number = scopes.evaluate(scope, *expr);
            let known = number <= plan.isa().contexts().len() as u64;
            *place = if known { number as u8 } else { 0 };
        }
    }
}
