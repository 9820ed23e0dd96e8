//! Instructions as text, and text as instructions.
//!
//! [`Stream`] prints a stream of instructions line by line; [`exact`] prints one instruction. What a caller can choose
//! is in [`Options`], where it can take part in [`Hooks`]. [`Assembler`] is the inverse, for one instruction;
//! [`assemble::source`] assembles whole programs with labels and directives.

pub mod assemble;
mod engine;
pub mod exact;
pub mod explain;
mod fetch;
pub mod float;
mod guard;
pub mod labels;
pub mod limits;
mod mark;
pub mod names;
mod operand;
mod options;
#[cfg(feature = "oracle")]
pub mod oracle;
pub mod program;
mod stream;
mod trie;

pub mod value;

pub use assemble::{Assembler, Failure, Site, Symbol};
pub use names::Names;
pub use options::{Compat, Entry, Hooks, Options, Plain, Value};
pub use stream::Stream;
