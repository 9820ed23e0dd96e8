//! What is printed from records: each format a file. All of them stream; none builds its output in memory.

mod detailed;
mod json;
mod lists;
mod records;
mod searchable;
mod sets;
mod sink;

pub use detailed::print_detailed_records;
pub use json::dump_json;
pub(crate) use json::quote;
pub use lists::{print_ctags, print_enums};
pub use records::print_records;
pub use searchable::print_searchable_tables;
pub use sets::print_sets;
pub(crate) use sink::{Last, Sink};
