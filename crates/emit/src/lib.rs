//! Generated source: what an engine does with a description at run time, written down as a program.

pub mod blueprint;
pub mod c;
pub mod executor;
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
