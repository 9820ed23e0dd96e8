//! Lints and proofs about an instruction set, and the difference of two.
#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! The problem: a description is accepted long before it is right. Two encodings claim one word, a name resolves
//! nowhere in one of the cases, two words print the same text; all of that used to be found by accident. The method:
//! questions about fixed bits are answered by the cube algebra of `isaglot_bits`, everything that depends on guards,
//! fields and text by decision diagrams over the bits of the word, the gen and the features. Both are exact. Nothing is
//! sampled: a claim comes with a witness word or is proved, and what is beyond a limit is listed as undecided.

#[cfg(test)]
mod agreement;
mod bdd;
pub mod cause;
pub mod cause_text;
mod check;
mod coverage;
mod declarations;
pub mod diagnostics;
pub mod diff;
mod displays;
mod enums;
mod features;
pub mod json;
mod leaf;
pub mod limits;
mod lints;
mod overlap;
mod packer;
mod parse;
pub mod report;
mod scope;
mod shared;
pub mod since;
mod symbols;
mod text;
mod vector;

pub use check::{Options, check, lints};
pub use overlap::{overlaps, unreachable};
pub use report::Report;
