//! The tests of the crate: goldens of every output, and any input within bounds.

mod golden;
mod smoke;
