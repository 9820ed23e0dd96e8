//! Generated source: what an engine does with a description at run time, written as a program.
#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! [`blueprint`] flattens a description and the plan of an engine to plain tables. [`runtime`] (Rust) and `c/runtime` (C) are
//! code that is the same for every description and runs such tables; it is copied into the output as it stands. The tables
//! are written by [`rust::tables`] and [`c::tables`], and [`switch`] writes the programs of texts as straight code instead.
//! [`isaspec`] writes the interfaces that a driver of isaspec expects. [`semantics`] and [`executor`] write what
//! instructions do. The crate writes no file: it gives names and texts ([`files::File`]).

pub mod blueprint;
pub mod c;
pub mod executor;
mod expression;
pub mod files;
pub mod isaspec;
mod keywords;
pub mod limits;
pub mod names;
pub mod runtime;
pub mod rust;
pub mod semantics;
pub mod stamp;
pub mod switch;
mod tables;

pub use rust::Rust;
