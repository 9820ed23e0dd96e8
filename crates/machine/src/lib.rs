//! A machine of any instruction set whose description says what instructions do.
//!
#![doc = include_str!("../README.md")]
//! # Method
//!
//! An instruction is decoded when it is first met: its word by the description's lengths and byte order, its operations by one rule
//! (`decode`), the values of their operands, and, where no value has more than 64 bits, a list of operations over numbers (`narrow`).
//! All other texts are run by the interpreter that defines the language. Decoded instructions are kept by their addresses until
//! something is stored to them. So a step of a decoded instruction whose values have at most 64 bits allocates nothing.
//!
//! # Invariants
//!
//! Nothing is skipped: an instruction that cannot be run ends the run with a [`Fault`] that says why. Both ways to run a text give the
//! same; the tests hold them against each other, and the description of RISC-V on this machine against `isaglot-hart`.

mod cache;
mod decode;
pub mod limits;
mod machine;
mod memory;
mod narrow;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
mod outside;
mod registers;
mod stop;
mod text;
mod view;

pub use machine::Machine;
pub use memory::{Memory, MemoryError};
pub use outside::{Answer, Nothing, Outside, State};
pub use stop::{Fault, Stop};
pub use view::Event;
