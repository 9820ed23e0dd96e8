//! The functions of `isaglot.h`, in its order: each turns its arguments into values, asks the library, and gives what came out.

pub mod choice;
pub mod objects;
pub mod print;
pub mod problems;
pub mod spirv;
pub mod tablegen;
