//! The functions of `isaglot.h`, in its order: each turns its arguments into values, asks the library, and gives what came out.

pub mod objects;
pub mod problems;

pub mod choice;
pub mod open;

pub mod columns;
pub mod instruction;

pub mod print;
pub mod program;

pub mod spirv;
pub mod tablegen;
