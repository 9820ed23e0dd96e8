//! Instructions as text: the printing half of the assembler's crate.
//!
//! [`Stream`] prints a stream of instructions line by line; [`exact`] prints one instruction. What a caller can choose
//! is in [`Options`], where it can take part in [`Hooks`].

mod engine;
pub mod exact;
pub mod explain;
pub mod float;
pub mod labels;
pub mod limits;
mod options;
mod program;
mod stream;
pub mod value;

pub use options::{Compat, Entry, Hooks, Options, Plain, Value};
pub use stream::Stream;
