//! One formal description of an instruction set in; every tool that people need for it out.
//!
//! This crate is the facade: it re-exports the parts of Isaglot under short names, so that a program depends on one
//! crate. Each module's own documentation has worked examples.

pub use isaglot_asm as asm;
pub use isaglot_bits as bits;
pub use isaglot_codec as codec;
pub use isaglot_isaspec as isaspec;
pub use isaglot_model as model;
pub use isaglot_source as source;
pub use isaglot_spirv as spirv;
