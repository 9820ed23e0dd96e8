//! Message descriptors.

mod lsc;

pub(crate) use lsc::Lsc;
