//! Instructions as machine code of the host, translated from the semantics of a description.
//!
#![doc = include_str!("../README.md")]

#[cfg(feature = "translate")]
mod access;
#[cfg(feature = "translate")]
mod check;
#[cfg(feature = "translate")]
mod compiler;
#[cfg(feature = "translate")]
mod enter;
#[cfg(feature = "translate")]
mod flow;
#[cfg(feature = "translate")]
pub mod limits;
#[cfg(feature = "translate")]
mod region;
#[cfg(feature = "translate")]
mod shape;
#[cfg(feature = "translate")]
mod statements;
#[cfg(feature = "translate")]
mod values;

#[cfg(feature = "translate")]
pub use check::{Fields, Kind, kind};
#[cfg(feature = "translate")]
pub use compiler::Compiler;
#[cfg(feature = "translate")]
pub use enter::Outside;
#[cfg(feature = "translate")]
pub use flow::Jumps;
#[cfg(feature = "translate")]
pub use shape::{Block, Called, Extern, Instruction, Layout, Left, Region, RegisterFile};
