//! What can be generated, and what cannot; semantics as Rust.

mod requests;
mod semantics;
