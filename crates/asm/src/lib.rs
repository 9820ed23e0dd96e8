//! Instructions as text, and text as instructions.
#![doc = include_str!("../README.md")]

pub mod assemble;
pub mod computerator;
pub mod decimal;
mod engine;
pub mod exact;
pub mod explain;
pub mod fetch;
mod float;
mod guard;
pub mod labels;
pub mod limits;
mod mark;
pub mod names;
mod operand;
mod options;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
pub mod program;
mod stream;
mod trie;

pub mod value;

pub use assemble::{Assembler, Failure, Next, Site, Symbol};
pub use names::Names;
pub use options::{Compat, Entry, Hooks, Options, Plain, Value};
pub use stream::Stream;
