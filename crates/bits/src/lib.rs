//! Words of any width, bit ranges, and ternary patterns with the algebra that proofs about encodings need.
//!
//! Everything that describes an instruction set talks about bits of words that may be 32 or 1000 bits wide. This crate
//! has the four types for that and nothing else:
//!
//! * [`Word`]: a value of a stated width. Up to 128 bits it lives inline; only wider ones use the heap.
//! * [`BitRange`]: `width` bits starting at bit `lo`.
//! * [`Pattern`]: a ternary cube `{value, care}`, such as `01x-`: the set of all words that agree with `value` wherever
//!   `care` has a 1. Cubes intersect, contain, subtract; sets of cubes ([`cover`]) are counted exactly and searched for
//!   holes.
//! * [`Count`]: an exact, unbounded number of words.
//!
//! Bit 0 is the least significant bit everywhere. Limbs are `u64`, the least significant first.
//!
//! # Example
//!
//! ```
//! use isaglot_bits::{Pattern, Word};
//!
//! let add = Pattern::parse("0001 xxxx").unwrap();
//! let nop = Pattern::parse("00xx 0000").unwrap();
//! let both = add.intersect(&nop).unwrap();
//! assert_eq!(both.to_string(), "00010000");
//! assert!(add.matches(&Word::from_u64(0x17, 8)));
//! assert_eq!(isaglot_bits::cover::union_count(8, &[add, nop]).unwrap().to_string(), "19");
//! ```
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
