//! What is printed from records: each format a file. All of them stream; none builds its output in memory.

mod records;
mod sink;

pub use records::print_records;
pub(crate) use sink::Sink;
