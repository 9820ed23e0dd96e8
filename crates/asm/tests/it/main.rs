//! Tests of the whole crate that need no corpus.

mod displays;
mod programs;
mod sources;
