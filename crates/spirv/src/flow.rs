//! Where control goes after a block: the one reader of branches and merges, for the disassembler's nesting and for listings.
//!
//! A block is read from its instructions; nothing is kept. What its last instruction is not (a branch that is cut off, no
//! branch at all) simply gives no edge, so that no input can break a walk.
//!
//! ```text
//! %1 = OpLabel
//!      OpSelectionMerge %4 None            merge: 4
//!      OpSwitch %x %4 0 %2 1 %3            targets: 4 (default), 2, 3
//! ```

use crate::grammar::opcode;
use crate::instructions::Instruction;

/// How a block ends.
#[derive(Debug, Default)]
pub(crate) struct Exits<'w> {
    /// The block at which the paths from here meet again.
    pub(crate) merge: Option<u32>,
    /// The block that leads back to this one, if it is the head of a loop.
    pub(crate) next_loop: Option<u32>,
    pub(crate) branch: Branch<'w>,
}

/// The last instruction of a block.
#[derive(Debug, Default)]
pub(crate) enum Branch<'w> {
    /// Leads to no block.
    #[default]
    None,
    To(u32),
    If {
        on_true: u32,
        on_false: u32,
    },
    Switch {
        default: u32,
        /// Case labels and targets.
        cases: &'w [u32],
        /// Words of a case label and its target.
        step: usize,
    },
}

impl<'w> Branch<'w> {
    /// Where it leads, in the order of its operands.
    pub(crate) fn targets(&self) -> impl Iterator<Item = u32> + use<'w> {
        let (first, second, cases, step) = match *self {
            Branch::None => (None, None, &[][..], 1),
            Branch::To(target) => (Some(target), None, &[][..], 1),
            Branch::If { on_true, on_false } => (Some(on_true), Some(on_false), &[][..], 1),
            Branch::Switch { default, cases, step } => (Some(default), None, cases, step),
        };
        first.into_iter().chain(second).chain(cases.chunks_exact(step).filter_map(|case| case.last().copied()))
    }
}

/// Reads the exits of a block from its instructions, the label first. `label_words` says how many words a case label of a
/// switch on this selector takes.
pub(crate) fn exits<'w>(block: impl Iterator<Item = Instruction<'w>>, label_words: &dyn Fn(u32) -> usize) -> Exits<'w> {
    let mut exits = Exits::default();
    let (mut before, mut last) = (None, None);
    for instruction in block {
        (before, last) = (last, Some(instruction));
    }
    match before.map(|i| (i.opcode, i.operands())) {
        Some((opcode::OpLoopMerge, [merge, next_loop, ..])) => {
            (exits.merge, exits.next_loop) = (Some(*merge), Some(*next_loop));
        }
        Some((opcode::OpSelectionMerge, [merge, ..])) => exits.merge = Some(*merge),
        _ => {}
    }
    exits.branch = match last.map(|i| (i.opcode, i.operands())) {
        Some((opcode::OpBranch, [target, ..])) => Branch::To(*target),
        Some((opcode::OpBranchConditional, [_, on_true, on_false, ..])) => {
            Branch::If { on_true: *on_true, on_false: *on_false }
        }
        Some((opcode::OpSwitch, [selector, default, cases @ ..])) => {
            Branch::Switch { default: *default, cases, step: label_words(*selector) + 1 }
        }
        _ => Branch::None,
    };
    exits
}
