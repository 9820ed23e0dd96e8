//! Words of any width, bit ranges, and ternary patterns with the algebra that proofs about encodings need.
#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod count;
pub mod cover;
pub mod limbs;
pub mod limits;
mod pattern;
mod range;
mod text;
mod word;

pub use count::Count;
pub use pattern::{ParsePatternError, Pattern};
pub use range::BitRange;
pub use text::ParseWordError;
pub use word::Word;
