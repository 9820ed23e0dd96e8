//! What names stand for. Labels belong to their section, defined numbers to the whole program.

use isaglot_source::{Diagnostic, FileId, Span, closest};
use rustc_hash::FxHashMap;

use super::expression;
use super::statement::Piece;
use crate::assemble::machine::Symbol;

/// Definitions that refer to definitions, in a chain: what ends a circle.
const MAX_CHAIN: usize = 32;

/// A defined number: its expression, and the place that `.` is in it.
#[derive(Clone, Copy, Debug)]
struct Definition {
    value: Piece,
    name: Span,
    section: usize,
    here: u64,
}

/// All names of a program.
#[derive(Debug)]
pub(super) struct Symbols<'t> {
    file: FileId,
    text: &'t [u8],
    /// Bytes per place.
    place: u64,
    /// Per section: label to offset in bytes.
    labels: Vec<FxHashMap<&'t [u8], (u64, Span)>>,
    /// Labels in the order of definition, per section: later ones of a jump table win.
    order: Vec<Vec<&'t [u8]>>,
    defined: FxHashMap<&'t [u8], Definition>,
}

impl<'t> Symbols<'t> {
    pub(super) fn new(file: FileId, text: &'t [u8], place: u64) -> Self {
        Symbols {
            file,
            text,
            place: place.max(1),
            labels: Vec::new(),
            order: Vec::new(),
            defined: FxHashMap::default(),
        }
    }

    /// Makes room for a section.
    pub(super) fn add_section(&mut self) {
        self.labels.push(FxHashMap::default());
        self.order.push(Vec::new());
    }

    /// Defines a label.
    pub(super) fn label(&mut self, section: usize, name: &'t [u8], span: Span, offset: u64) -> Result<(), Diagnostic> {
        let Some(labels) = self.labels.get_mut(section) else { return Ok(()) };
        let other = labels.get(name).map(|&(_, span)| span).or_else(|| self.defined.get(name).map(|d| d.name));
        if let Some(other) = other {
            return Err(twice(name, span, other));
        }
        labels.insert(name, (offset, span));
        if let Some(order) = self.order.get_mut(section) {
            order.push(name);
        }
        Ok(())
    }

    /// Defines a number.
    pub(super) fn define(
        &mut self,
        section: usize,
        name: &'t [u8],
        span: Span,
        value: Piece,
        here: u64,
    ) -> Result<(), Diagnostic> {
        let label = self.labels.iter().find_map(|labels| labels.get(name)).map(|&(_, span)| span);
        if let Some(other) = label.or_else(|| self.defined.get(name).map(|d| d.name)) {
            return Err(twice(name, span, other));
        }
        self.defined.insert(name, Definition { value, name: span, section, here });
        Ok(())
    }

    /// What a name stands for in an operand.
    pub(super) fn operand(&self, section: usize, name: &[u8]) -> Option<Symbol> {
        if let Some(&(offset, _)) = self.labels.get(section).and_then(|labels| labels.get(name)) {
            return Some(Symbol::Place(offset));
        }
        let definition = self.defined.get(name)?;
        self.definition(definition, 0).ok().map(Symbol::Number)
    }

    fn definition(&self, definition: &Definition, chain: usize) -> Result<i64, Diagnostic> {
        self.evaluate(definition.section, definition.here, definition.value, chain + 1)
    }

    /// The value of an expression at a place of a section.
    pub(super) fn evaluate(&self, section: usize, here: u64, value: Piece, chain: usize) -> Result<i64, Diagnostic> {
        let bounds = (value.start as usize, value.end as usize);
        expression::evaluate(self.file, self.text, bounds, &mut |name, span| {
            self.number(section, here, name, span, chain)
        })
    }

    /// The value of a name in an expression: a label counts places.
    fn number(&self, section: usize, here: u64, name: &[u8], span: Span, chain: usize) -> Result<i64, Diagnostic> {
        let place = |offset: u64| i64::try_from(offset / self.place).unwrap_or(i64::MAX);
        if name == b"." {
            return Ok(place(here));
        }
        if let Some(&(offset, _)) = self.labels.get(section).and_then(|labels| labels.get(name)) {
            return Ok(place(offset));
        }
        if let Some(definition) = self.defined.get(name) {
            if chain > MAX_CHAIN {
                let d = Diagnostic::error("asm-expression", "definitions that need each other");
                return Err(d.label(span, "this one leads back to itself").secondary(definition.name, "defined here"));
            }
            return self.definition(definition, chain);
        }
        let text = String::from_utf8_lossy(name).into_owned();
        let d = Diagnostic::error("asm-undefined", format!("no label or symbol is called `{text}`"));
        let elsewhere = self.labels.iter().find_map(|labels| labels.get(name));
        if let Some(&(_, other)) = elsewhere {
            return Err(d.label(span, "not in this section").secondary(other, "labels belong to their section"));
        }
        let known: Vec<String> = self.names(section).map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        Err(match closest(&text, known.iter().map(String::as_str)) {
            Some(near) => d.label(span, format!("did you mean `{near}`?")),
            None => d.label(span, "not defined"),
        })
    }

    /// All names that mean something in a section; labels in order, then definitions.
    pub(super) fn names(&self, section: usize) -> impl Iterator<Item = &'t [u8]> + '_ {
        let mut defined: Vec<&[u8]> = self.defined.keys().copied().collect();
        defined.sort_unstable();
        self.order.get(section).into_iter().flatten().copied().chain(defined)
    }

    /// The labels of a section in the order of the source, with their offsets in bytes.
    pub(super) fn labels(&self, section: usize) -> impl Iterator<Item = (&'t [u8], u64)> + '_ {
        let offset = move |name: &&'t [u8]| self.labels.get(section).and_then(|l| l.get(*name)).map_or(0, |l| l.0);
        self.order.get(section).into_iter().flatten().map(move |name| (*name, offset(name)))
    }
}

fn twice(name: &[u8], span: Span, other: Span) -> Diagnostic {
    let message = format!("`{}` is defined twice", String::from_utf8_lossy(name));
    Diagnostic::error("asm-defined-twice", message).label(span, "again here").secondary(other, "first here")
}
