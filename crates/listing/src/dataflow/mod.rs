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
//! # Calls
//! A program may say which blocks call and which return ([`Link`]). Then only ways count on which a return goes back to the
//! call that it belongs to, so what lives after one call of a function does not live at another one. Channels that wait in
//! a function while others return go on there (`Link::ReturnSome`).
//!
//! # The method
//! Paths by instruction are quadratic, so they are shared in three steps:
//! 1. `classes`: neighbouring bytes that no operand tells apart are one class; from there on, sets are sets of classes.
//! 2. `block`: the rules act on each class of a path alone, so paths are kept per class; everything that lives on
//!    after a block is one *bundle* per class. One walk gives a block's own edges, the uses exposed at its top, the
//!    classes that pass through it, and the live bytes as far as the block knows. `edges` keeps edges by operand.
//! 3. `graph`: liveness between blocks is a bit-set fixpoint; edges between blocks are found from each definition
//!    that reaches the end of its block, along the blocks that the class passes. `calls` sums functions up, so that a
//!    way through a call is one step.
//!
//! # An example
//! Four bytes, read by instruction 3 and written by the others; the walk goes up:
//!
//! ```text
//! 3: read  0..4         its path wants 0..4
//! 2: write 2..4 if !p   edge 2 → 3; the path remembers (2..4, !p) and still wants 2..4
//! 1: write 2..4 if p    edge 1 → 3; together with what is remembered, 2..4 is always written: taken off the path
//! 0: write 0..4         edge 0 → 3, for 0..2 alone
//! ```
//!
//! Live are four bytes before 3 and 2, two before 1, none before 0. No operand tells byte 0 from 1, or 2 from 3, so the
//! engine works with two classes, {0, 1} and {2, 3}, each of weight 2.
//!
//! An instruction that meets its own path again through a loop starts afresh; a definition above it in its block then
//! belongs to the fresh path only, so such pairs are left out of step 3.
//!
//! Cost grows with instructions, with edges, and with the blocks through which values live.

mod block;
mod calls;
mod classes;
mod edges;
mod graph;
mod program;
mod solve;
#[cfg(test)]
mod tests;

pub use program::{Block, FileId, Inst, Link, OperandId, Polarity, Program, Role, Run};
pub use solve::{Flow, Function, Reach, TooLarge, reaches, solve};
