//! From words to meaning: which encoding a word is, the values of its fields, which text applies.
#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! A [`Plan`] is an instruction set with a gen and features. Its [`Tree`]s decide words. [`Scopes`] answers every
//! question about a matched word by the reference's rules, without allocating per instruction. [`Compiler`] answers what
//! can be answered ahead of time, as values over the bits of the instruction word in a [`Graph`]. Both run the walk of
//! [`resolve`].
//!
//! [`Flat`] reads and writes all fields of a word at once. [`Expander`] turns short forms into long ones, and the
//! inverse. Both are for engines that need every field of every word.

mod ahead;
mod compile;
pub mod errors;
mod expand;
mod flat;
mod graph;
pub mod limits;
mod missing;
pub mod operands;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
mod plan;
pub mod resolve;
mod scope;
mod simulate;
pub mod tree;

pub use ahead::Ahead;
pub use compile::{Alternative, Compiler, Context, Meaning};
pub use errors::Errors;
pub use expand::Expander;
pub use flat::{Flat, Gather, Layout, Scatter, Shape, ShapeId, Slot, Symbol, Values, WriteError};
pub use graph::{Graph, Operation, ValueId};
pub use missing::{missing_features, obstacles};
pub use operands::{EncodeError, FieldValue, OperandValue, Operands};
pub use plan::Plan;
pub use scope::{Found, Scopes};
pub use tree::{Match, Tree};
