//! Text into instructions.
//!
//! A line is read left to right without going back: predicate, mnemonic, channels, flag modifier, operands, options.
//! What is wrong with a line is reported and the line left out; reading goes on with the next.

mod cursor;
mod instruction;
mod load_store;
mod message;
mod operand;
mod options;
mod seen;

use isaglot_codec::Symbol;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};
use rustc_hash::FxHashMap;

use crate::inst::{Form, Inst};
use crate::isa::Xe;

/// In place of a length: a branch operand that is a number rather than a label.
pub(crate) const DISTANCE: i16 = i16::MIN;

/// An instruction of a text.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The instruction; the labels of its branch operands are indices of [`Source::labels`].
    pub inst: Inst,
    /// Where it stands.
    pub span: Span,
}

/// A label of a text.
#[derive(Clone, Debug)]
pub struct SourceLabel {
    /// Its name.
    pub name: String,
    /// Before which of [`Source::lines`] it stands, once it was defined.
    pub at: Option<usize>,
    /// Where it was first named.
    pub span: Span,
}

/// A text, read.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Instructions in order.
    pub lines: Vec<Line>,
    /// Labels, those that are only named included.
    pub labels: Vec<SourceLabel>,
}

impl Xe {
    /// Reads a text; every problem is added to `out`.
    pub fn parse(&self, file: FileId, text: &[u8], out: &mut Diagnostics) -> Source {
        let mut source = Source { lines: Vec::with_capacity(text.len() / USUAL_LINE), labels: Vec::new() };
        let mut names: FxHashMap<&[u8], u32> = FxHashMap::default();
        let mut warnings = Diagnostics::new();
        let mut seen = seen::Seen::default();
        let mut start = 0;
        while let Some(rest) = text.get(start..).filter(|r| !r.is_empty()) {
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or(rest);
            let line = line.get(..content(line)).unwrap_or(line);
            let end = start + line.len();
            let (source, names, warnings, seen) = (&mut source, &mut names, &mut warnings, &mut seen);
            let mut p = Parser { xe: self, text, rest: line, end, file, source, names, warnings, seen };
            if let Err(d) = p.line() {
                out.push(*d);
            }
            start += length + 1;
        }
        out.append(warnings);
        source
    }
}

/// Bytes of a line, about: the room to begin with.
const USUAL_LINE: usize = 80;

/// Length of a line without its comment and end.
fn content(line: &[u8]) -> usize {
    let comment = memchr::memchr_iter(b'/', line).find(|at| line.get(at + 1) == Some(&b'/'));
    let mut end = comment.unwrap_or(line.len());
    while end > 0 && line[end - 1].is_ascii_whitespace() {
        end -= 1;
    }
    end
}

struct Parser<'a, 's> {
    xe: &'a Xe,
    text: &'a [u8],
    /// What is left of the line, and the offset of its end.
    rest: &'a [u8],
    end: usize,
    file: FileId,
    source: &'s mut Source,
    names: &'s mut FxHashMap<&'a [u8], u32>,
    warnings: &'s mut Diagnostics,
    seen: &'s mut seen::Seen,
}

// Boxed: results are handed up through every step of every line.
type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl<'a> Parser<'a, '_> {
    pub(super) fn label_id(&mut self, name: &'a [u8], start: usize) -> u32 {
        let next = self.source.labels.len() as u32;
        let id = *self.names.entry(name).or_insert(next);
        if id == next {
            let span = self.span(start);
            self.source.labels.push(SourceLabel { name: String::from_utf8_lossy(name).into_owned(), at: None, span });
        }
        id
    }

    fn line(&mut self) -> Result<()> {
        loop {
            self.space();
            let before = self.rest;
            let start = self.at();
            let name = self.name();
            if name.is_empty() || self.peek() != b':' {
                self.rest = before;
                break;
            }
            let id = self.label_id(name, start);
            self.skip(1);
            let at = self.source.lines.len();
            let span = self.span(start);
            let Some(label) = self.source.labels.get_mut(id as usize) else { continue };
            if label.at.replace(at).is_some() {
                let first = label.span;
                let name = String::from_utf8_lossy(name);
                return Err(Diagnostic::error("xe-label-twice", format!("label `{name}` is defined twice"))
                    .label(span, "second definition")
                    .secondary(first, "first seen here")
                    .into());
            }
            label.span = span;
        }
        if self.rest.is_empty() {
            return Ok(());
        }
        let start = self.at();
        let inst = self.instruction()?;
        self.space();
        if !self.rest.is_empty() {
            return Err(self.expected("the end of the instruction"));
        }
        let span = self.span(start);
        let info = self.xe.op(inst.op);
        for (unused, what) in [
            (inst.pred.is_some() && !info.pred, "a predicate"),
            (inst.sat && !info.sat, "saturation"),
            (!info.cond && inst.form != Form::Math && inst.cond != Symbol::NONE, "a flag modifier"),
        ] {
            if unused {
                let message = format!("`{}` has no use for {what}; it is dropped", info.name);
                self.warnings.push(Diagnostic::warning("xe-unused", message).label(span, "here"));
            }
        }
        self.source.lines.push(Line { inst, span });
        Ok(())
    }
}
