//! The listing: a disassembled program as a tree that other tools can read, and the dataflow that it shows.
#![doc = include_str!("../README.md")]
//!
//! Problem: what a disassembler knows (blocks, operands, who defines what) is lost in text. Method: one tree of plain
//! types ([`tree`]) is at once what the writer prints ([`mod@write`]), what the reader takes ([`mod@read`]) and what the
//! published JSON Schema says ([`schema`]), so the three cannot disagree. The types name no instruction set.
//!
//! [`dataflow`] finds definitions, uses and live registers of a program that is described only by the bytes that each
//! operand touches; an instruction set supplies these descriptions.

pub mod dataflow;
pub mod dot;
pub mod hot;
pub mod limits;
mod older;
pub mod read;
pub mod schema;
pub mod stats;
pub mod svg;
pub mod text;
pub mod tree;
pub mod write;

pub use read::read;
pub use tree::Listing;
