//! Definitions, uses and live registers, to the byte, with predication.
//!
//! # The problem
//! For every operand: which instructions define what it reads, or read what it writes; for every instruction: how
//! many bytes of each register file are live before it. A program is given only by the bytes that its operands touch
//! ([`Program`]), so this works for every instruction set.
//!
//! # The rules (backward)
//! Each instruction that reads starts a *path*: its bytes that still want a definition. Going up, a write that meets
//! a path's bytes is an edge. It takes the bytes off the path if it always happens, or happens under the path's own
//! predicate; under another predicate the path remembers it, and a second write under the opposite polarity of an
//! intersecting predicate completes it. A write to the predicate's own register makes the path forget. Between blocks
//! predicates and remembered writes are forgotten, which errs to the safe side.
//!
//! # The method
//! Paths by instruction are quadratic, so they are shared in three steps:
//! 1. `classes`: bytes that no operand tells apart are one class; from there on, sets are sets of classes.
//! 2. `block`: the rules act on each class of a path alone, so paths are kept per class; everything that lives on
//!    behind a block is one *bundle* per class. One walk gives a block's own edges, the uses exposed at its top, and
//!    the classes that pass through it.
//! 3. `solve`: liveness between blocks is a bit-set fixpoint; edges between blocks are found from each definition
//!    that reaches the end of its block, along the blocks that the class passes.
//!
//! An instruction that meets its own path again through a loop starts afresh; a definition above it in its block then
//! belongs to the fresh path only, so such pairs are left out of step 3.
//!
//! Cost grows with instructions, with edges, and with the blocks through which values live.

mod block;
mod classes;
mod program;
mod solve;
#[cfg(test)]
mod tests;

pub use program::{Block, FileId, Inst, OperandId, Polarity, Program, Role, Run};
pub use solve::{Flow, TooLarge, solve};
