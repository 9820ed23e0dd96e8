//! Intel Xe: text, binary and listings of GPU instructions.
#![doc = include_str!("../README.md")]
//!
//! `isaglot-codec` reads and writes the words; there are no bit positions in this crate.

mod assemble;
mod chunk;
pub mod decode;
mod defaults;
mod encode;
mod encode_kept;
pub mod explain;
pub mod float;
mod hole;
mod implied;
pub mod inst;
mod isa;
mod known;
pub mod limits;
pub mod lint;
mod list;
mod message;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
pub mod parse;
mod parts;
pub mod platform;
mod print;
mod recent;
mod rules;
pub mod stream;
pub mod swsb;
pub mod text;
pub mod types;
mod unlist;
mod unlist_message;
mod whole_text;
mod whole_word;
pub mod ze_info;
pub mod zebin;

pub use assemble::{Compaction, NamedBinary};
pub use encode::EncodeError;
pub use isa::{Description, FILES, FileInfo, Operation, Xe, description};
pub use list::{FlowText, ListOptions, Lister, name_labels};
pub use platform::Platform;
pub use print::TextOptions;
pub use stream::Program;
pub use text::Printer;
