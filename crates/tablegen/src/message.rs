//! Messages, in the order in which they arise. Their first line is worded as llvm-tblgen words it; what Isaglot has to
//! say beyond that is kept apart, in `help`.

use isaglot_source::Severity;

use crate::limits;
use crate::loc::Loc;

/// One message.
#[derive(Clone, Debug)]
pub struct Message {
    /// How bad.
    pub severity: Severity,
    /// Stable code, `tblgen-…`; empty for notes.
    pub code: &'static str,
    /// The place, or [`Loc::NONE`].
    pub loc: Loc,
    /// The sentence, as bytes: it may quote a TableGen string.
    pub text: Vec<u8>,
    /// Further sentences of ours, with a place each where there is one.
    pub help: Vec<(Loc, String)>,
}

/// All messages of a run.
#[derive(Debug, Default)]
pub struct Messages {
    /// In order.
    pub list: Vec<Message>,
    /// Number of errors.
    pub errors: usize,
    /// After a fatal error nothing more is said.
    pub(crate) closed: bool,
}

impl Messages {
    fn push(&mut self, severity: Severity, loc: Loc, code: &'static str, text: &[u8]) {
        if self.closed || self.list.len() > limits::MAX_ERRORS * 10 {
            return;
        }
        self.errors += usize::from(severity == Severity::Error);
        self.list.push(Message { severity, code, loc, text: text.to_vec(), help: Vec::new() });
    }

    pub(crate) fn error(&mut self, loc: Loc, code: &'static str, text: &[u8]) {
        self.push(Severity::Error, loc, code, text);
    }

    pub(crate) fn warning(&mut self, loc: Loc, code: &'static str, text: &[u8]) {
        self.push(Severity::Warning, loc, code, text);
    }

    pub(crate) fn note(&mut self, loc: Loc, text: &[u8]) {
        self.push(Severity::Note, loc, "", text);
    }

    /// An error at the first place, and a note for each further one.
    pub(crate) fn error_chain(&mut self, locs: &[Loc], code: &'static str, text: &[u8]) {
        self.error(locs.first().copied().unwrap_or(Loc::NONE), code, text);
        for &loc in locs.iter().skip(1) {
            self.note(loc, b"instantiated from multiclass");
        }
    }

    /// Adds a sentence of ours to the last message that is no note.
    pub(crate) fn help(&mut self, loc: Loc, text: impl Into<String>) {
        if self.closed {
            return;
        }
        if let Some(last) = self.list.iter_mut().rev().find(|m| m.severity != Severity::Note) {
            last.help.push((loc, text.into()));
        }
    }
}
