//! LLVM targets as descriptions: instruction records with an operand table to the model.
//!
//! The problem: LLVM's `Instruction` records have the bits of every instruction and the names of its operands, but how an
//! operand is decoded and printed is C++ that the records only name. The method: [`read`] reads an [`OperandTable`] that
//! says what the names mean, [`lower`] puts both together into the model, and every engine works.
//!
//! * An `Inst` becomes a pattern with fields; `DecoderNamespace`s become ranks within one space; values that the
//!   decoder of an operand refuses are exceptions of the pattern; predicates are conditions on features.
//! * An `AsmString` becomes a template; aliases become cases with guards; an operand whose text depends on its value
//!   becomes a space of its own.
//!
//! Invariant: nothing here knows a target by name. What the table does not explain decodes all the same, with the raw
//! bits as a number, and is listed in [`Lowered::missing`].

mod choose;
pub mod generate;
pub mod limits;
mod lower;
#[cfg(feature = "oracle")]
pub mod oracle;
mod table;
mod target;
pub mod tool;

pub use choose::{NoSuch, choose};
pub use lower::{Lowered, Missing, lower};
pub use table::formula::Formula;
pub use table::read::read;
pub use table::{
    Choice, Extend, Fact, Format, Hook, Num, OperandTable, Part, Piece, RecordTable, RegisterNames, Set, Step,
};
pub use target::fixed_bits::{InstBits, inst_bits};
