//! Overloadable opcodes: interface definitions, processor maps, the registry, and what is generated from them.
//!
#![doc = include_str!("../README.md")]
//! # Modules
//!
//! * [`parse`], [`set`], [`check`]: the definition language, imports, and what can be wrong;
//! * [`name`], [`uuid`]: mangling and numbers;
//! * [`profile`]: where the generic instructions are in the opcode space, as data;
//! * [`map`]: from devices and privilege levels to logical unit numbers;
//! * [`meaning`]: what a command does, typed;
//! * [`registry`]: who owns which number;
//! * [`header`], [`skeleton`]: source for the two sides of the instruction;
//! * [`resolve`]: which interface a call in machine code is for;
//! * [`assembly`]: programs that call commands by name.

pub mod assembly;
pub mod ast;
pub mod check;
pub mod header;
mod lex;
pub mod limits;
pub mod map;
pub mod meaning;
pub mod name;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
mod parse;
pub mod profile;
pub mod registry;
pub mod resolve;
pub mod set;
pub mod skeleton;
pub mod tree;
pub mod uuid;

pub use parse::parse;
