//! What is wrong with a kernel although every word of it can be encoded.
//!
//! # The problem
//! An encoding can say more than the hardware does: operands must keep rules about regions and registers.
//!
//! # The method
//! Rules about one operand are data, in `rules.xml` of the description; `operand` fills in what they ask for. Each finding
//! has a stable code, the operand, and what would satisfy the rule.

mod operand;

use std::fmt;

use crate::isa::Xe;
use crate::stream::Program;

pub use crate::rules::Rule;

/// Which operand a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The destination.
    Destination,
    /// A source, counted from 0.
    Source(u8),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Destination => write!(f, "destination"),
            Place::Source(n) => write!(f, "source {n}"),
        }
    }
}

/// Something wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The index of the instruction in [`Program::entries`].
    pub at: usize,
    /// The rule that it breaks.
    pub rule: Rule,
    /// With which operand.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What would satisfy the rule.
    pub remedy: String,
}

impl<'d> Xe<'d> {
    /// Checks a whole program. Findings are in the order of the instructions.
    pub fn lint(&self, program: &Program) -> Vec<Finding> {
        let mut found = Vec::new();
        self.lint_operands(program, &mut found);
        found.sort_by_key(|f| (f.at, f.rule, f.place));
        found
    }
}
