//! What stops the assembler: the reference's class and message, the place, and what would have been right there.

use std::borrow::Cow;

use isaglot_source::{Diagnostic, FileId, Span};

use crate::limits::SHOWN_BYTES;

/// Class of a failure; the exit status of the reference is this number's low byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
pub struct Failure {
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

/// A token as messages show it: one that nobody would read is cut.
pub(super) fn shown(token: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(token.get(..SHOWN_BYTES).unwrap_or(token))
}
