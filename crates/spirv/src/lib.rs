//! SPIR-V: grammar, assembler, disassembler.
pub mod grammar;
