//! From text to instructions: the display templates of a description, run backwards.
//!
//! Every template of every encoding is compiled to a `program` that reads what the template prints; a `machine`
//! runs it over a line and finds the bits. The word is then decoded and printed again, by the same engines as any other,
//! and accepted only if that gives the text: whatever the reading may have overlooked, a wrong word is never returned.
//!
//! Where several words print as one text, bits that do not show are 0 and conditions are met with as few ones as
//! possible. Of encodings of different length that print as the text, the shortest is meant. If words of different
//! encodings of one length do, the text is refused as ambiguous.
//!
//! A text need not be exactly what the disassembler prints: if it is not, it is read once more in the relaxed way (see
//! `machine`), and the word must print as the text would read in the disassembler's own style.

//!
//! Phases of one line: `index` finds the forms that it may be by their mnemonics, `search` tries them, `compile` makes a
//! form's program when it is first tried, `quick` or `machine` runs it, `values` holds the bits, `check` prints the word.
//! If nothing is found, `failure` says why, with what `trace` noted on the way.

mod assembler;
mod check;
mod compile;
mod constant;
mod failure;
mod hazard;
mod index;
mod input;
mod lacking;
mod leaf;
pub mod limits;
mod machine;
mod meaning;
mod memo;
mod number;
mod preference;
mod program;
mod query;
mod quick;
mod respell;
mod search;
mod shape;
pub mod source;
mod symbol;
mod symbolic;
mod trace;
mod values;

pub use assembler::{Assembler, Next};
pub use failure::Failure;
pub use hazard::{Hazard, Syntax, hazards};
pub use lacking::Lacking;
pub use symbol::{Site, Symbol, is_symbol};
