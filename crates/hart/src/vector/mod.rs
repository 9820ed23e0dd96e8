//! The vector unit: what the description declares as external for vectors (`specs/riscv/vectors.xml`).
//!
//! The problem: some 600 instructions, each over elements of four widths, seven lengths of register groups and a mask. The
//! method: an instruction is a row of [`operation`] (its shape, the signs of its operands, what one element becomes), and one loop
//! runs all rows of a shape. What is reserved is found before anything is written ([`group`]) and is illegal. Registers are one
//! run of bytes, and nothing is allocated after the hart is made.
//!
//! Invariants: elements of the tail and those that the mask leaves out keep their value, whatever the policy bits ask for; an
//! instruction that completes leaves `vstart` 0, and one that traps at an access leaves the number of that element there.

mod block;
mod calls;
pub(crate) mod cipher;
mod elements;
mod estimate;
mod float;
mod group;
mod hash;
mod integer;
mod lane;
mod mask;
mod memory;
mod operation;
mod permute;

use crate::machine::{Cause, Fault};

/// What an instruction that gives nothing comes to.
pub(crate) type Done = Result<(), Fault>;

/// The instruction is reserved or not there.
fn illegal() -> Fault {
    Fault::new(Cause::Illegal, 0)
}

/// Ends the instruction as illegal unless all is as it should be.
fn require(condition: bool) -> Done {
    if condition { Ok(()) } else { Err(illegal()) }
}
