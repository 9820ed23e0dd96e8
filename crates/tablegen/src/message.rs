//! Messages, in the order in which they arise. Their sentence is worded as llvm-tblgen words it; what Isaglot adds is in
//! the labels and notes of the diagnostic.

use isaglot_source::{Diagnostic, Severity};

use crate::limits;
use crate::loc::{Loc, Places};

/// One message: a diagnostic, and what llvm-tblgen's form needs beside it.
#[derive(Clone, Debug)]
pub struct Message {
    /// What is said. Its code is `tblgen-…`; notes of llvm-tblgen have none. The primary label is the place, the others
    /// and the notes are help of ours.
    pub diagnostic: Diagnostic,
    /// The place, or [`Loc::NONE`]. It also says through which includes the file was opened.
    pub loc: Loc,
    /// The sentence where it is not UTF-8, because it quotes a TableGen string.
    bytes: Option<Box<[u8]>>,
    /// Only a consequence of the message before it: said in llvm-tblgen's own form alone.
    pub(crate) follows: bool,
}

impl Message {
    fn new(places: &Places, severity: Severity, loc: Loc, code: &'static str, text: &[u8]) -> Message {
        let lossless = std::str::from_utf8(text).is_ok();
        let mut diagnostic = Diagnostic::new(severity, code, String::from_utf8_lossy(text));
        if let Some(span) = places.span(loc) {
            diagnostic = diagnostic.label(span, "");
        }
        Message { diagnostic, loc, bytes: (!lossless).then(|| text.into()), follows: false }
    }

    /// The sentence, as bytes: it may quote a TableGen string.
    pub fn text(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.diagnostic.message.as_bytes())
    }

    /// Whether Isaglot added a sentence of its own.
    pub(crate) fn has_help(&self) -> bool {
        !self.diagnostic.notes.is_empty() || self.diagnostic.labels.iter().any(|label| !label.primary)
    }
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
    fn push(&mut self, places: &Places, severity: Severity, loc: Loc, code: &'static str, text: &[u8]) {
        if self.closed || self.list.len() > limits::MAX_ERRORS * 10 {
            return;
        }
        self.errors += usize::from(severity == Severity::Error);
        let mut message = Message::new(places, severity, loc, code, text);
        message.follows = severity == Severity::Error && self.is_consequence(places, loc, text);
        self.list.push(message);
    }

    /// Whether an error is only that the parser is lost after the last one: a token that the lexer refused is not a value, and a
    /// statement whose value is wrong does not end where it should.
    fn is_consequence(&self, places: &Places, loc: Loc, text: &[u8]) -> bool {
        let is_lost = text.starts_with(b"Unknown or reserved token") || text.starts_with(b"expected ';' after");
        let line = |loc: Loc| places.line_col(loc).map(|(file, line, _)| (file.to_owned(), line));
        let last = self.list.last().filter(|last| last.diagnostic.severity == Severity::Error);
        is_lost && last.is_some_and(|last| last.loc != Loc::NONE && (last.loc == loc || line(last.loc) == line(loc)))
    }

    /// The number of errors that are not mere consequences of others.
    pub(crate) fn causes(&self) -> usize {
        self.errors.saturating_sub(self.list.iter().filter(|message| message.follows).count())
    }

    pub(crate) fn error(&mut self, places: &Places, loc: Loc, code: &'static str, text: &[u8]) {
        self.push(places, Severity::Error, loc, code, text);
    }

    pub(crate) fn warning(&mut self, places: &Places, loc: Loc, code: &'static str, text: &[u8]) {
        self.push(places, Severity::Warning, loc, code, text);
    }

    pub(crate) fn note(&mut self, places: &Places, loc: Loc, text: &[u8]) {
        self.push(places, Severity::Note, loc, "", text);
    }

    /// An error at the first place, and a note for each further one.
    pub(crate) fn error_chain(&mut self, places: &Places, locs: &[Loc], code: &'static str, text: &[u8]) {
        self.error(places, locs.first().copied().unwrap_or(Loc::NONE), code, text);
        for &loc in locs.iter().skip(1) {
            self.note(places, loc, b"instantiated from multiclass");
        }
    }

    /// Adds a sentence of ours to the last message that is not a note.
    pub(crate) fn help(&mut self, places: &Places, loc: Loc, text: impl Into<String>) {
        if self.closed {
            return;
        }
        let Some(last) = self.list.iter_mut().rev().find(|m| m.diagnostic.severity != Severity::Note) else { return };
        match places.span(loc) {
            Some(span) => {
                last.diagnostic.labels.push(isaglot_source::Label { span, message: text.into(), primary: false })
            }
            None => last.diagnostic.notes.push(text.into()),
        }
    }

    /// The messages as diagnostics: a note of llvm-tblgen is a label or note of the message that it belongs to.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = Vec::new();
        for message in self.list.iter().filter(|message| !message.follows) {
            let d = &message.diagnostic;
            match all.last_mut().filter(|_| d.severity == Severity::Note) {
                Some(last) => match d.span() {
                    Some(span) => {
                        last.labels.push(isaglot_source::Label { span, message: d.message.clone(), primary: false });
                    }
                    None => last.notes.push(d.message.clone()),
                },
                None => all.push(Diagnostic { code: if d.code.is_empty() { "tblgen" } else { d.code }, ..d.clone() }),
            }
        }
        all
    }
}
