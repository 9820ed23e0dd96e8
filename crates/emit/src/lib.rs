//! Generated source: what an engine does with a description at run time, written down as a program.

pub mod executor;
pub mod semantics;
