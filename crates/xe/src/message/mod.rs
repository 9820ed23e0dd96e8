//! Message descriptors: what a message does, how much it reads and writes, and where.

mod dataport;
mod describe;
mod lsc;

pub(crate) use dataport::DataPort;
pub(crate) use lsc::{LoadStore, LoadStoreText, Lsc, Offset};
