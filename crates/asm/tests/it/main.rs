//! Tests of the whole crate that need no corpus.

mod programs;
mod sources;
