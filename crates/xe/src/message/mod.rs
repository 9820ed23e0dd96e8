//! Message descriptors: what a message does, how much it reads and writes, and where.

mod describe;
pub use describe::Descriptor;
mod lsc;
mod other;

pub(crate) use lsc::{LoadStore, LoadStoreText, Lsc, Offset};
pub(crate) use other::{Messages, Unit};
