//! Text into instructions.
//!
//! A line is read left to right without going back: predicate, mnemonic, channels, flag modifier, operands, options.
//! What is wrong with a line is reported and the line left out; reading goes on with the next.

mod cursor;
mod expression;
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
    /// The instruction; the labels of its branch operands are indices of the list of labels.
    pub inst: Inst,
    /// Where it stands.
    pub span: Span,
}

/// A label of a text.
#[derive(Clone, Debug)]
pub struct SourceLabel {
    /// Its name.
    pub name: String,
    /// The number of the instruction before which it stands, once it was defined.
    pub at: Option<usize>,
    /// Where it was first named.
    pub span: Span,
}

/// A text that is being read, line by line.
pub(crate) struct Reader<'a> {
    text: &'a [u8],
    file: FileId,
    /// Where the next line begins.
    next: usize,
    /// Labels, those that are only named included.
    pub(crate) labels: Vec<SourceLabel>,
    names: FxHashMap<&'a [u8], u32>,
    /// What is to be said at the end.
    pub(crate) warnings: Diagnostics,
    /// Where the destination and the sources of the last instruction stand, as far as they can have holes.
    pub(crate) operands: [usize; 4],
    seen: seen::Seen,
}

/// A line of a text without its comment and end.
#[derive(Clone, Copy)]
pub(crate) struct RawLine<'a> {
    /// What it says, without the blanks around it.
    pub(crate) text: &'a [u8],
    /// Where that ends.
    pub(crate) end: usize,
}

impl RawLine<'_> {
    /// Where it begins.
    pub(crate) fn start(&self) -> usize {
        self.end - self.text.len()
    }

    /// Whether the line begins with this instruction, with no label before it.
    pub(crate) fn is_all(&self, line: &Line) -> bool {
        line.span.start as usize + self.text.len() == self.end
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: FileId, text: &'a [u8]) -> Reader<'a> {
        Reader {
            text,
            file,
            next: 0,
            labels: Vec::new(),
            names: FxHashMap::default(),
            warnings: Diagnostics::new(),
            operands: [usize::MAX; 4],
            seen: seen::Seen::default(),
        }
    }

    /// The next line that is not empty.
    pub(crate) fn line(&mut self) -> Option<RawLine<'a>> {
        loop {
            let rest = self.text.get(self.next..).filter(|r| !r.is_empty())?;
            // Nearly all lines have no slash, so one search does.
            let found = memchr::memchr2(b'\n', b'/', rest).unwrap_or(rest.len());
            let (length, content) = match rest.get(found) {
                Some(b'/') => {
                    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    (length, content(rest.get(..length).unwrap_or(rest)))
                }
                _ => (found, found),
            };
            let line = rest.get(..content).unwrap_or(rest).trim_ascii_end();
            let end = self.next + line.len();
            self.next += length + 1;
            let text = line.trim_ascii_start();
            if !text.is_empty() {
                return Some(RawLine { text, end });
            }
        }
    }

    /// Reads a line: its labels, which stand before instruction number `count`, and the instruction, if there is one.
    pub(crate) fn read(&mut self, xe: &Xe, line: RawLine<'a>, count: usize) -> Result<Option<Line>> {
        let Reader { text, file, labels, names, warnings, operands, seen, .. } = self;
        *operands = [usize::MAX; 4];
        let (rest, end, file) = (line.text, line.end, *file);
        Parser { xe, text, rest, end, file, count, labels, names, warnings, operands, seen }.line()
    }

    /// The text from a line on.
    pub(crate) fn from(&self, line: RawLine<'a>) -> &'a [u8] {
        self.text.get(line.start()..).unwrap_or(&[])
    }
}

/// Length of a line without its comment.
fn content(line: &[u8]) -> usize {
    let comment = memchr::memchr_iter(b'/', line).find(|at| line.get(at + 1) == Some(&b'/'));
    comment.unwrap_or(line.len())
}

struct Parser<'a, 's, 'd> {
    xe: &'s Xe<'d>,
    text: &'a [u8],
    /// What is left of the line, and the offset of its end.
    rest: &'a [u8],
    end: usize,
    file: FileId,
    /// The number of the instruction that comes next.
    count: usize,
    labels: &'s mut Vec<SourceLabel>,
    names: &'s mut FxHashMap<&'a [u8], u32>,
    warnings: &'s mut Diagnostics,
    operands: &'s mut [usize; 4],
    seen: &'s mut seen::Seen,
}

// Boxed: results are handed up through every step of every line.
pub(crate) type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl<'a> Parser<'a, '_, '_> {
    pub(super) fn label_id(&mut self, name: &'a [u8], start: usize) -> u32 {
        let next = self.labels.len() as u32;
        let id = *self.names.entry(name).or_insert(next);
        if id == next {
            let span = self.span(start);
            self.labels.push(SourceLabel { name: String::from_utf8_lossy(name).into_owned(), at: None, span });
        }
        id
    }

    fn line(&mut self) -> Result<Option<Line>> {
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
            let at = self.count;
            let span = self.span(start);
            let Some(label) = self.labels.get_mut(id as usize) else { continue };
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
            return Ok(None);
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
        Ok(Some(Line { inst, span }))
    }
}
