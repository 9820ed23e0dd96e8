//! What is wrong with a kernel although every word of it can be encoded.
//!
//! # The problem
//! An encoding can say more than the hardware does. Operands must keep rules about regions and registers, and since Xe
//! the hardware does not look whether a register is ready: the program says what each instruction waits for.
//!
//! # The method
//! Rules about one operand are data, in `rules.xml` of the description; `operand` fills in what they ask for. The waits
//! are checked by `tokens` and `distances`, two walks over the blocks of the program with the bytes that each operand
//! touches, which are those of dataflow. Each finding has a stable code, the operand, and what would satisfy the rule.

mod distances;
mod operand;
mod order;
mod tokens;

use std::fmt;

use isaglot_listing::dataflow::TooLarge;

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
    /// A flag that is read or written.
    Flag,
    /// The accumulator, without being named.
    Accumulator,
    /// The descriptor of a message.
    Descriptor,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Destination => write!(f, "destination"),
            Place::Source(n) => write!(f, "source {n}"),
            Place::Flag => write!(f, "flag"),
            Place::Accumulator => write!(f, "implicit accumulator"),
            Place::Descriptor => write!(f, "descriptor"),
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
    /// The index of the instruction that it conflicts with, if there is one.
    pub other: Option<usize>,
}

impl<'d> Xe<'d> {
    /// Checks a whole program. Findings are in the order of the instructions.
    ///
    /// # Errors
    /// If too much may be in flight at once to follow it.
    pub fn lint(&self, program: &Program) -> Result<Vec<Finding>, TooLarge> {
        let mut found = Vec::new();
        self.lint_operands(program, &mut found);
        self.lint_order(program, &mut found)?;
        found.sort_by_key(|f| (f.at, f.rule, f.place, f.other));
        Ok(found)
    }
}
