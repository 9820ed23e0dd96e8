//! SPIR-V: grammar, assembler, disassembler.
pub mod asm;
pub mod dis;
pub mod grammar;
pub mod limits;
mod number;
mod sparse;
