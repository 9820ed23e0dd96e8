//! What is printed from records: each format a file. All of them stream; none builds its output in memory.

mod json;
mod records;
mod sink;

pub use json::dump_json;
pub(crate) use json::quote;
pub use records::print_records;
pub(crate) use sink::Sink;
