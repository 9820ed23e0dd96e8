//! The part of generated Rust that is the same for every description: it runs the tables that the generator writes.
//!
//! These files are compiled here, tested here, and copied word for word into what is generated, with the constants of
//! [`tables`] set for the description. So they use `core` alone, and nothing of this crate.

pub mod calc;
pub mod decode;
pub mod exact;
pub mod hooks;
pub mod labels;
pub mod number;
pub mod out;
pub mod print;
pub mod problem;
pub mod quick;
pub mod read;
pub mod scope;
pub mod step;
pub mod stream;
pub mod tables;
pub mod walk;
