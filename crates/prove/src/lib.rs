//! Proofs about overloadable opcodes, from the same texts that the executor is made of.
//!
#![doc = include_str!("../README.md")]
//! # Method
//!
//! The problem: a machine has maps, devices, perhaps routines that stand in for devices; whether all of it does what the
//! interfaces say cannot be tested for every operand. The method: the instructions of `specs/riscv` and the commands of
//! interfaces are run on terms instead of words; what must not happen becomes a formula of one bit, a [`Claim`]. If the
//! terms do not decide it by themselves, a solver is asked whether the bit can be 1. A way to make it 1 is a
//! counterexample, and where a machine can run it, a [`Scenario`] says with which program.
//!
//! Laws: [`sequence`] (opening a handle and using it is the native instruction; what the fallback interfaces give),
//! [`machine`] (the same on a given machine, and that nothing outside its maps reaches a device), [`isolation`] (no context of a machine
//! reaches a device of another one), [`against`] (another
//! text says the same), [`routine`] (RISC-V code says the same), [`encoding`] (profiles agree), [`instructions`] (the Unified Database says of an
//! instruction what the description says).
//!
//! No I/O here: the caller asks the solver, and gives its answer.

mod abstraction;
pub mod against;
pub mod claim;
pub mod command;
pub mod encoding;
pub mod instructions;
pub mod isolation;
pub mod limits;
pub mod machine;
pub mod riscv;
pub mod routine;
pub mod scenario;
pub mod sequence;
pub mod smt;
pub mod symbolic;
mod tables;
mod term;

pub use claim::{Answer, Claim, Difference, Verdict, decide};
pub use riscv::Riscv;
pub use scenario::Scenario;
pub use term::{Layout, Sort, Term, TermId, Terms};
