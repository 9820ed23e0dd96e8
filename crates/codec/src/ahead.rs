//! What instructions say of those after them: the contexts of the instructions of a stream, in order.
//!
//! The problem: an instruction of Arm's Thumb has no condition of its own; that of an IT block around it comes from the `it` before it. So what a
//! word means depends on words before it. The method: an encoding can say the contexts of the next few instructions
//! ([`Encoding::opens`](isaglot_model::Encoding::opens)). A context is a feature, so everything else, texts above all, is decided as for features, by a plan of
//! its own ([`Plan::within`]), and words stay words.
//!
//! Invariant: without contexts in the model, the context is always 0 and nothing is looked at. Where no context is open and a word is none of
//! those that open one, by their patterns ([`Openers`]), nothing can change, so the word is not decoded for it.

use isaglot_bits::{Pattern, Word};
use isaglot_model::Isa;
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
    #[inline]
    pub fn pass(&mut self, plan: &Plan<'_>, word: &Word) {
        if self.ahead == [0; MAX_OPENED] && !plan.openers().may_open(word) {
            return;
        }
        self.pass_decoded(plan, word);
    }

    fn pass_decoded(&mut self, plan: &Plan<'_>, word: &Word) {
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

/// The words of instructions that say the contexts of those after them.
#[derive(Debug, Default)]
pub(crate) struct Openers {
    widths: Vec<OfWidth>,
}

/// Those of one width.
#[derive(Debug)]
struct OfWidth {
    /// What all of them have: a word without it is none of them.
    common: Pattern,
    all: Vec<Pattern>,
}

impl Openers {
    pub(crate) fn new(isa: &Isa) -> Openers {
        let mut widths: Vec<OfWidth> = Vec::new();
        if isa.contexts().is_empty() {
            return Openers { widths };
        }
        for encoding in isa.encodings().iter().filter(|encoding| !encoding.opens.is_empty()) {
            let pattern = &encoding.pattern;
            match widths.iter_mut().find(|of| of.common.width() == pattern.width()) {
                Some(of) => {
                    of.common = shared(&of.common, pattern);
                    of.all.push(pattern.clone());
                }
                None => widths.push(OfWidth { common: pattern.clone(), all: vec![pattern.clone()] }),
            }
        }
        Openers { widths }
    }

    /// Whether a word may be one of them.
    #[inline]
    fn may_open(&self, word: &Word) -> bool {
        let holds = |of: &OfWidth| {
            of.common.width() == word.width()
                && of.common.matches(word)
                && of.all.iter().any(|pattern| pattern.matches(word))
        };
        self.widths.iter().any(holds)
    }
}

/// The bits that two patterns of one width have alike.
fn shared(a: &Pattern, b: &Pattern) -> Pattern {
    let alike = |all: Pattern, at: u32| match (a.bit(at), b.bit(at)) {
        (Some(one), Some(other)) if one == other => all.with_bit(at, one),
        _ => all,
    };
    (0..a.width()).fold(Pattern::any(a.width()), alike)
}
