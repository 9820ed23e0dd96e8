//! What stops the assembler: the reference's class and message, the place, and what would have been right there.

use std::borrow::Cow;
use std::fmt;

use isaglot_source::{Diagnostic, FileId, Span};

use crate::limits::SHOWN_BYTES;

/// Why a text does not assemble, for programs that act on it. The message and the place of the [`Failure`] say the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The text ends where something must follow, or there is none.
    EndOfText,
    /// What stands here cannot stand here.
    UnexpectedToken,
    /// The version of the target has no instruction of this name.
    UnknownOpcode,
    /// The kind of operand has no value of this name.
    UnknownEnumerant,
    /// No extended instruction set is imported under this id, or there is none of this name.
    UnknownExtendedSet,
    /// The extended set has no instruction of this name.
    UnknownExtendedInstruction,
    /// The instruction cannot stand inside `OpSpecConstantOp`.
    NotInSpecConstantOp,
    /// `%id =` stands before an instruction that has no result, or is missing before one that has.
    ResultMismatch,
    /// An operand is missing.
    MissingOperand,
    /// An id is due and what stands here is not a well-formed one.
    InvalidId,
    /// A number is not well-formed, or does not fit its type.
    InvalidNumber,
    /// The type has no literals: numbers of more than 64 bits.
    UnsupportedNumber,
    /// A number whose type is not a scalar type that stands before it.
    UntypedNumber,
    /// A string is due and what stands here is not one.
    InvalidString,
    /// `OpTypeInt` or `OpTypeFloat` with operands that make no type.
    InvalidType,
    /// An id is made a type or an import for the second time.
    Redefined,
    /// A word given by `!` is not a number, or what follows it cannot follow.
    InvalidWord,
    /// The text, or one instruction of more than 65,535 words.
    TooLong,
    /// Parameters of parameters, deeper than [`limits`](crate::limits) allows.
    TooDeep,
}

/// Class of a failure; the exit status of the reference is this number's low byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The tool cannot do it.
    Internal = -1,
    /// The binary is wrong.
    InvalidBinary = -4,
    /// The text is wrong.
    InvalidText = -5,
    /// No such opcode or mask name.
    InvalidLookup = -9,
    /// An id is wrong.
    InvalidId = -10,
}

impl Status {
    /// The exit status of the reference's commands.
    pub fn exit_code(self) -> u8 {
        (self as i32 & 0xff) as u8
    }
}

/// One problem of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// Why.
    pub reason: Reason,
    /// Class.
    pub status: Status,
    /// Byte offset at which the reference says it is.
    pub at: usize,
    /// Bytes of the offending token, from `at` on; 0 where something is missing.
    pub len: usize,
    /// The reference's message.
    pub message: String,
    /// What would have been right.
    pub expected: Option<String>,
    /// Line from 1, as the reference counts.
    pub line: u32,
    /// Column in bytes, from 1, as the reference counts.
    pub column: u32,
}

impl Failure {
    /// The line that the reference writes to standard error, without line end.
    pub fn line(&self) -> String {
        format!("error: {}: {}: {}", self.line, self.column, self.message)
    }

    /// As a diagnostic on `file`, which holds the text.
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let message = self.message.strip_suffix('.').unwrap_or(&self.message).to_owned();
        let code = match self.status {
            Status::InvalidLookup => "spirv-unknown-name",
            Status::Internal => "spirv-unsupported",
            _ => "spirv-syntax",
        };
        let label = self.expected.as_ref().map_or_else(String::new, |e| format!("expected {e}"));
        Diagnostic::error(code, message).label(Span::new(file, self.at, self.at + self.len), label)
    }
}

impl fmt::Display for Failure {
    /// `LINE:COLUMN: what is wrong`, and what was expected if the message does not say it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message.strip_suffix('.').unwrap_or(&self.message))?;
        self.expected.iter().try_for_each(|expected| write!(f, "; expected {expected}"))
    }
}

impl core::error::Error for Failure {}

/// A token as messages show it: one that nobody would read is cut.
pub(super) fn shown(token: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(token.get(..SHOWN_BYTES).unwrap_or(token))
}
