//! What an instruction does to registers and to the flow of control, without its full semantics: enough for labels,
//! blocks, def-use, and the headers of generated code.

use isaglot_source::Span;

use crate::encoding::GenRange;
use crate::ids::{ExprId, RegisterFileId};
use crate::names::Name;
use crate::semantics::Width;

/// A set of numbered registers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct RegisterFile {
    /// Its name: `x`, `f`, `acc`.
    pub name: String,
    /// Width of one register.
    pub width: Width,
    /// How each register prints, by number; `None` where a number does not name a register.
    pub names: Vec<Option<String>>,
    /// Further names that assemblers take, with the register's number.
    pub aliases: Vec<(String, u32)>,
    /// The register that reads as zero and ignores writes.
    pub zero: Option<u32>,
    /// The file in whose bytes these registers lie, one after the other from its first byte, on these gens; elsewhere
    /// they have bytes of their own.
    pub within: Option<(RegisterFileId, GenRange)>,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// Whether a value is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum Access {
    /// Read only.
    Read,
    /// Written only.
    Write,
    /// Read, then written.
    ReadWrite,
}

impl Access {
    /// Whether it is read.
    pub fn reads(self) -> bool {
        self != Access::Write
    }

    /// Whether it is written.
    pub fn writes(self) -> bool {
        self != Access::Read
    }
}

/// One operand, named by a field or implied by the instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// What happens to it.
    pub access: Access,
    /// How many registers from the first on, or how many bytes of memory; 1 where nothing is said.
    pub count: u32,
    /// What of this depends on the word.
    pub varies: Varies,
    /// Where it is declared.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// What an operand is, as far as that depends on other fields: expressions in the scope of its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Varies {
    /// There is such an operand only where this is not 0.
    pub when: Option<ExprId>,
    /// How many registers, instead of [`Operand::count`].
    pub count: Option<ExprId>,
    /// Which registers from the first on: bit `n` is the `n`-th. Instead of a count.
    pub mask: Option<ExprId>,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum OperandKind {
    /// The register of this file whose number is the field's value.
    Register(Name, RegisterFileId),
    /// The register of this file whose number is the value of the expression.
    Computed(ExprId, RegisterFileId),
    /// What the field is decided as: the operands of that encoding, accessed as this says, those that it implies aside.
    Part(Name),
    /// A fixed register that is not in the word.
    Implicit(RegisterFileId, u32),
    /// The field's value itself.
    Immediate(Name),
    /// The field's value is a code address.
    Label(Name),
    /// Memory at the address held in the register that the field names.
    Memory(Name, RegisterFileId),
}

/// Where control goes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum Flow {
    /// To the next instruction.
    #[default]
    Next,
    /// To the field's target; also to the next instruction if `conditional`.
    Branch {
        /// The field with the target.
        target: Name,
        /// Whether the next instruction is reached too.
        conditional: bool,
    },
    /// To an address that is only known at run time.
    Indirect {
        /// Whether it comes back.
        call: bool,
    },
    /// To the field's target, and back.
    Call {
        /// The field with the target.
        target: Name,
    },
    /// Back to the caller.
    Return,
    /// To a trap handler, which may come back.
    Trap,
    /// Nowhere: the program ends.
    End,
}
