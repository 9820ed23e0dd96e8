//! What a description of RISC-V does not say, and every tool for it needs.
//!
#![doc = include_str!("../README.md")]
//! # Modules
//!
//! * [`Xlen`]: the width of integer registers; [`register`]: their names;
//! * [`isa_name`]: names such as `rv64gc_zba`, and the features of the description that they choose;
//! * [`assembly`]: sources as people and compilers write them: pseudo-instructions, relocation functions, directives;
//! * `formats` (behind the feature of that name): the Unified Database and riscv-opcodes as front ends;
//! * [`elf`]: an assembled program as an executable file;
//! * [`steps`]: what instructions do to constants, and where control goes.

pub mod assembly;
pub mod elf;
#[cfg(feature = "formats")]
pub mod formats;
pub mod isa_name;
pub mod limits;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
pub mod register;
pub mod steps;
mod xlen;

pub use xlen::Xlen;
