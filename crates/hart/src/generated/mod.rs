//! The executors: written by `cargo xtask gen-hart`, never by hand.

pub(crate) mod rv32;
pub(crate) mod rv64;
pub(crate) mod table;
