//! What names stand for. Labels belong to their section, or where all sections lie in one address space to the whole
//! program; defined numbers always to the whole program.

use isaglot_invariant::Impossible as _;
use std::cell::Cell;

use isaglot_source::{Diagnostic, FileId, Span, closest};
use rustc_hash::FxHashMap;

use super::expression;
use super::statement::TextSlice;
use crate::assemble::number::is_word;
use crate::assemble::symbol::{Symbol, symbol_length};

/// Definitions that refer to definitions, in a chain: what ends a circle.
const MAX_CHAIN: usize = 32;

/// A defined number: its expression, and the place that `.` is in it.
#[derive(Clone, Debug)]
struct Definition {
    value: TextSlice,
    name: Span,
    section: usize,
    offset: u64,
    /// What it is, once that was asked for and cannot change any more.
    known: Cell<Option<i64>>,
}

/// A label: a place in bytes from the start of a section.
#[derive(Clone, Copy, Debug)]
struct Label {
    section: usize,
    offset: u64,
    span: Span,
}

/// All names of a program.
#[derive(Debug)]
pub(super) struct Symbols<'t> {
    file: FileId,
    text: &'t [u8],
    /// Bytes per place.
    place: u64,
    /// Whether every label is known in every section.
    shared: bool,
    /// Per section, or one for all: the labels.
    labels: Vec<FxHashMap<&'t [u8], Label>>,
    /// Per section: labels in the order of definition; later ones of a jump table win.
    order: Vec<Vec<&'t [u8]>>,
    /// Per section: its address.
    bases: Vec<u64>,
    /// Everything is where it stays.
    settled: bool,
    defined: FxHashMap<&'t [u8], Definition>,
}

impl<'t> Symbols<'t> {
    pub(super) fn new(file: FileId, text: &'t [u8], place: u64, shared: bool) -> Self {
        Symbols {
            file,
            text,
            place: place.max(1),
            shared,
            labels: Vec::new(),
            order: Vec::new(),
            bases: Vec::new(),
            settled: false,
            defined: FxHashMap::default(),
        }
    }

    /// Makes room for a section.
    pub(super) fn add_section(&mut self) {
        self.labels.push(FxHashMap::default());
        self.order.push(Vec::new());
        self.bases.push(0);
    }

    /// Says where the sections lie.
    pub(super) fn lie_at(&mut self, bases: Vec<u64>) {
        self.bases = bases;
    }

    /// Says that all labels are defined and all sections lie where they stay.
    pub(super) fn settle(&mut self) {
        self.settled = true;
    }

    fn base(&self, section: usize) -> u64 {
        self.bases.get(section).copied().or_impossible(0)
    }

    /// The number of the table that a section's labels are in.
    fn table(&self, section: usize) -> usize {
        if self.shared { 0 } else { section }
    }

    fn find(&self, section: usize, name: &[u8]) -> Option<&Label> {
        self.labels.get(self.table(section))?.get(name)
    }

    /// Where a label is, in bytes.
    fn address(&self, label: &Label) -> u64 {
        self.base(label.section).wrapping_add(label.offset)
    }

    /// Defines a label.
    pub(super) fn label(&mut self, section: usize, name: &'t [u8], span: Span, offset: u64) -> Result<(), Diagnostic> {
        let other = self.find(section, name).map(|label| label.span);
        if let Some(other) = other.or_else(|| self.defined.get(name).map(|d| d.name)) {
            return Err(twice(name, span, other));
        }
        let table = self.table(section);
        if let (Some(labels), Some(order)) = (self.labels.get_mut(table), self.order.get_mut(section)) {
            labels.insert(name, Label { section, offset, span });
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
        value: TextSlice,
        offset: u64,
    ) -> Result<(), Diagnostic> {
        let label = self.labels.iter().find_map(|labels| labels.get(name)).map(|label| label.span);
        if let Some(other) = label.or_else(|| self.defined.get(name).map(|d| d.name)) {
            return Err(twice(name, span, other));
        }
        self.defined.insert(name, Definition { value, name: span, section, offset, known: Cell::new(None) });
        Ok(())
    }

    /// What a name stands for in an operand.
    pub(super) fn operand(&self, section: usize, name: &[u8]) -> Option<Symbol> {
        if let Some(label) = self.find(section, name) {
            return Some(Symbol::Place(self.address(label)));
        }
        let definition = self.defined.get(name)?;
        self.definition(definition, 0).ok().map(Symbol::Number)
    }

    fn definition(&self, definition: &Definition, chain: usize) -> Result<i64, Diagnostic> {
        if let Some(known) = definition.known.get() {
            return Ok(known);
        }
        let value = self.evaluate(definition.section, definition.offset, definition.value, chain + 1)?;
        definition.known.set(Some(value).filter(|_| self.settled));
        Ok(value)
    }

    /// Why a defined number has no value.
    pub(super) fn without_value(&self, name: &[u8]) -> Option<Diagnostic> {
        self.definition(self.defined.get(name)?, 0).err()
    }

    /// The value of a defined number, if it has one.
    pub(super) fn defined(&self, name: &[u8]) -> Option<i64> {
        self.definition(self.defined.get(name)?, 0).ok()
    }

    /// Why a defined number that stands in a text has no value.
    pub(super) fn broken(&self, text: &[u8]) -> Option<Diagnostic> {
        let mut rest = text;
        while !rest.is_empty() {
            let len = symbol_length(rest);
            let (name, after) = rest.split_at(len);
            if let Some(d) = self.without_value(name) {
                return Some(d);
            }
            // The rest of a word that is not a name is skipped whole.
            let word = if len > 0 { 0 } else { after.iter().take_while(|&&byte| is_word(byte)).count().max(1) };
            rest = after.get(word..).or_impossible(&[]);
        }
        None
    }

    /// The value of an expression at an offset in a section.
    pub(super) fn evaluate(
        &self,
        section: usize,
        offset: u64,
        value: TextSlice,
        chain: usize,
    ) -> Result<i64, Diagnostic> {
        let here = self.base(section).wrapping_add(offset);
        let bounds = (value.start as usize, value.end as usize);
        expression::evaluate(self.file, self.text, bounds, &mut |name, span| {
            self.number(section, here, name, span, chain)
        })
    }

    /// The value of a name in an expression: a label counts places.
    fn number(&self, section: usize, here: u64, name: &[u8], span: Span, chain: usize) -> Result<i64, Diagnostic> {
        // The upper half of 64 address bits is as negative as it is for the machine.
        let place = |offset: u64| if self.place == 1 { offset.cast_signed() } else { (offset / self.place) as i64 };
        if name == b"." {
            return Ok(place(here));
        }
        if let Some(label) = self.find(section, name) {
            return Ok(place(self.address(label)));
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
        // A label of another section explains more than a name that is spelled alike.
        let elsewhere = self.labels.iter().find_map(|labels| labels.get(name));
        if let Some(label) = elsewhere {
            return Err(d.label(span, "not in this section").secondary(label.span, "labels belong to their section"));
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
        let seen = move |at: &usize| self.shared || *at == section;
        let labels = (0..self.order.len()).filter(seen).filter_map(|at| self.order.get(at)).flatten().copied();
        labels.chain(defined)
    }

    /// The labels of a section in the order of the source, with their offsets in bytes.
    pub(super) fn labels(&self, section: usize) -> impl Iterator<Item = (&'t [u8], u64)> + '_ {
        let offset = move |name: &&'t [u8]| self.find(section, name).map_or(0, |label| label.offset);
        self.order.get(section).into_iter().flatten().map(move |name| (*name, offset(name)))
    }
}

fn twice(name: &[u8], span: Span, other: Span) -> Diagnostic {
    let message = format!("`{}` is defined twice", String::from_utf8_lossy(name));
    Diagnostic::error("asm-defined-twice", message).label(span, "again here").secondary(other, "first here")
}
