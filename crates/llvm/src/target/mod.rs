//! What the records of a target say by themselves: instructions and their encodings, registers, features.

pub(crate) mod asm;
pub(crate) mod encodings;
pub(crate) mod features;
pub(crate) mod fixed_bits;
pub(crate) mod inst;
pub(crate) mod lengths;
pub(crate) mod registers;
pub(crate) mod varlen;
