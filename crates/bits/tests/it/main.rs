//! Tests of the whole crate.

mod patterns;
mod words;
