//! RISC-V around its description: executable files, and the opcode space of the description itself.

mod branches;
mod description;
mod elf;
mod idl;
mod opcodes;
mod operands;
mod space;
mod udb;
mod udb_faults;
