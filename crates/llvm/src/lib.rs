//! LLVM targets as descriptions: instruction records with an operand table to the model.
#![doc = include_str!("../README.md")]
//!
//! # How records become a model
//!
//! The problem: the records have the bits of every instruction and the names of its operands, but how an operand is
//! decoded and printed is C++ that the records only name. The method: [`read`] reads an [`OperandTable`] that says what
//! the names mean, [`lower`] puts both together into the model.
//!
//! * An `Inst` becomes a pattern with fields. `DecoderNamespace`s become ranks within one space. Values that the decoder
//!   of an operand rejects are exceptions of the pattern. Predicates are conditions on features.
//! * An `AsmString` becomes a template. Aliases become cases with guards. An operand whose text depends on its value
//!   becomes a space of its own.
//!
//! Invariant: no code knows a target by name. An operand that the table does not explain decodes as a number, its raw
//! bits, and is listed in [`Lowered::missing`].

mod choose;
pub mod generate;
pub mod limits;
mod lower;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
mod scaffold;
mod table;
mod target;
pub mod tool;

pub use choose::{NoSuch, choose};
pub use lower::{Lowered, Missing, SameBits, lower};
pub use scaffold::{Known, scaffold};
pub use table::formula::Formula;
pub use table::read::read;
pub use table::{
    DecodeStep, Each, Every, Extend, FeatureList, FieldBits, FieldValue, Hook, HookParam, InstFact, LengthLine, Mode,
    ModeLayout, ModeNamespace, NamedOperands, NumberFormat, OperandTable, Part, RecordTable, RegisterNames,
    TableNumber, TextChoice, TextPiece, ValueSet, WordPart,
};
pub use target::fixed_bits::{InstBits, inst_bits};
