//! What names stand for. Labels belong to their section, or where all sections lie in one address space to the whole
//! program; defined numbers always to the whole program.

use isaglot_invariant::Impossible as _;
use std::cell::Cell;

use isaglot_source::{Diagnostic, FileId, Span, closest};
use rustc_hash::FxHashMap;

use super::expression;
use super::statement::TextSlice;
use crate::assemble::number::{self, is_word};
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
    /// What the place is after: see [`Place`].
    items: u32,
    /// What it is, once that was asked for and cannot change any more.
    known: Cell<Option<i64>>,
    /// Whether it is an address and not a distance or size, once that was asked for.
    is_place: Cell<Option<bool>>,
}

/// A label: a place in bytes from the start of a section.
#[derive(Clone, Copy, Debug)]
struct Label {
    section: usize,
    offset: u64,
    items: u32,
    span: Span,
}

/// A place in the first pass: bytes from the start of a section, and after how many of its items whose size may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) section: usize,
    pub(super) offset: u64,
    pub(super) items: u32,
}

/// The name of the place that the offsets of thread-local labels are counted from: a name that no source can write.
pub(super) const THREAD: &[u8] = b".$thread";

/// By how much all addresses are moved to find out which numbers are addresses.
const PROBE: u64 = 1 << 40;

/// All names of a program.
#[derive(Debug)]
pub(super) struct Symbols<'t> {
    file: FileId,
    text: &'t [u8],
    /// Bytes per place.
    place: u64,
    /// Whether numbers that begin with 0 are octal.
    octal: bool,
    /// Whether every label is known in every section.
    shared: bool,
    /// Per section, or one for all: the labels.
    labels: Vec<FxHashMap<&'t [u8], Label>>,
    /// Per section: labels in the order of definition; later ones of a jump table win.
    order: Vec<Vec<&'t [u8]>>,
    /// Per section: its address.
    bases: Vec<u64>,
    /// Where what each thread has begins.
    thread: Option<u64>,
    /// Everything is where it stays.
    settled: bool,
    /// What is added to every address.
    probe: Cell<u64>,
    defined: FxHashMap<&'t [u8], Definition>,
}

impl<'t> Symbols<'t> {
    pub(super) fn new(file: FileId, text: &'t [u8], place: u64, octal: bool, shared: bool) -> Self {
        Symbols {
            file,
            text,
            place: place.max(1),
            octal,
            shared,
            labels: Vec::new(),
            order: Vec::new(),
            bases: Vec::new(),
            thread: None,
            settled: false,
            probe: Cell::new(0),
            defined: FxHashMap::default(),
        }
    }

    /// Makes room for a section.
    pub(super) fn add_section(&mut self) {
        self.labels.push(FxHashMap::default());
        self.order.push(Vec::new());
        self.bases.push(0);
    }

    /// Says where the sections lie, and where what each thread has begins.
    pub(super) fn lie_at(&mut self, bases: Vec<u64>, thread: Option<u64>) {
        self.bases = bases;
        self.thread = thread;
    }

    /// Says that all labels are defined and all sections lie where they stay.
    pub(super) fn settle(&mut self) {
        self.settled = true;
    }

    fn base(&self, section: usize) -> u64 {
        self.bases.get(section).copied().or_impossible(0).wrapping_add(self.probe.get())
    }

    /// The place of a label, or of what a defined name stands for if that is a label or `.` and a number, as the first pass
    /// had it.
    pub(super) fn place_of(&self, section: usize, name: &[u8]) -> Option<Place> {
        let (mut name, mut by) = (name, 0i64);
        for _ in 0..MAX_CHAIN {
            if let Some(label) = self.find(section, name) {
                let offset = label.offset.checked_add_signed(by)?;
                return Some(Place { section: label.section, offset, items: label.items });
            }
            let definition = self.defined.get(name)?;
            let (base, offset) = name_and_offset(definition.value.of(self.text), self.octal)?;
            by = by.checked_add(offset)?;
            if base == b"." {
                let Definition { section, items, .. } = *definition;
                return Some(Place { section, offset: definition.offset.checked_add_signed(by)?, items });
            }
            name = base;
        }
        None
    }

    /// Moves every place by what lengths that were chosen since the first pass make of it: per section, and after so many
    /// items.
    pub(super) fn shift(&mut self, moves: &[Vec<i64>]) {
        let by = |section: usize, items: u32| {
            moves.get(section).and_then(|moves| moves.get(items as usize)).copied().unwrap_or(0)
        };
        for label in self.labels.iter_mut().flat_map(FxHashMap::values_mut) {
            label.offset = label.offset.wrapping_add_signed(by(label.section, label.items));
        }
        for definition in self.defined.values_mut() {
            definition.offset = definition.offset.wrapping_add_signed(by(definition.section, definition.items));
        }
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
    pub(super) fn label(&mut self, place: Place, name: &'t [u8], span: Span) -> Result<(), Diagnostic> {
        let Place { section, offset, items } = place;
        let other = self.find(section, name).map(|label| label.span);
        if let Some(other) = other.or_else(|| self.defined.get(name).map(|d| d.name)) {
            return Err(twice(name, span, other));
        }
        let table = self.table(section);
        if let (Some(labels), Some(order)) = (self.labels.get_mut(table), self.order.get_mut(section)) {
            labels.insert(name, Label { section, offset, items, span });
            order.push(name);
        }
        Ok(())
    }

    /// Defines a number.
    pub(super) fn define(
        &mut self,
        place: Place,
        name: &'t [u8],
        span: Span,
        value: TextSlice,
    ) -> Result<(), Diagnostic> {
        let Place { section, offset, items } = place;
        let label = self.labels.iter().find_map(|labels| labels.get(name)).map(|label| label.span);
        if let Some(other) = label.or_else(|| self.defined.get(name).map(|d| d.name)) {
            return Err(twice(name, span, other));
        }
        let definition =
            Definition { value, name: span, section, offset, items, known: Cell::new(None), is_place: Cell::new(None) };
        self.defined.insert(name, definition);
        Ok(())
    }

    /// What a name stands for in an operand.
    pub(super) fn operand(&self, section: usize, name: &[u8]) -> Option<Symbol> {
        if let Some(label) = self.find(section, name) {
            return Some(Symbol::Place(self.address(label)));
        }
        let definition = self.defined.get(name)?;
        let value = self.definition(definition, 0).ok()?;
        let is_place = self.shared && self.is_place(definition, value);
        Some(if is_place { Symbol::Place(value.cast_unsigned()) } else { Symbol::Number(value) })
    }

    /// Whether a defined number is an address: it moves with all addresses.
    fn is_place(&self, definition: &Definition, value: i64) -> bool {
        if let Some(known) = definition.is_place.get() {
            return known;
        }
        self.probe.set(PROBE);
        let moved = self.definition(definition, 0);
        self.probe.set(0);
        let is_place = moved.is_ok_and(|moved| moved.wrapping_sub(value) == PROBE.cast_signed());
        definition.is_place.set(Some(is_place).filter(|_| self.settled));
        is_place
    }

    fn definition(&self, definition: &Definition, chain: usize) -> Result<i64, Diagnostic> {
        let as_it_is = self.probe.get() == 0;
        if let Some(known) = definition.known.get().filter(|_| as_it_is) {
            return Ok(known);
        }
        let value = self.evaluate(definition.section, definition.offset, definition.value, chain + 1)?;
        definition.known.set(Some(value).filter(|_| self.settled && as_it_is));
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
        expression::evaluate(self.file, self.text, bounds, self.octal, &mut |name, span| {
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
        if name == THREAD {
            let missing =
                || Diagnostic::error("asm-undefined", "the program has nothing that each thread has a copy of");
            let at = self.thread.ok_or_else(|| missing().label(span, "this is counted from there"))?;
            return Ok(place(at.wrapping_add(self.probe.get())));
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

/// `NAME`, `NAME + NUMBER` or `NAME - NUMBER`, where the name may be `.`.
fn name_and_offset(text: &[u8], octal: bool) -> Option<(&[u8], i64)> {
    let length = symbol_length(text);
    let (name, rest) = text.split_at(length);
    let rest = rest.trim_ascii();
    let (sign, digits) = match rest.split_first() {
        None => return (length > 0).then_some((name, 0)),
        Some((b'+', digits)) => (1, digits.trim_ascii()),
        Some((b'-', digits)) => (-1, digits.trim_ascii()),
        Some(_) => return None,
    };
    let (value, read) = number::c_literal(digits, octal)?;
    let value = i64::try_from(value?).ok().filter(|_| read == digits.len() && length > 0)?;
    Some((name, sign * value))
}

fn twice(name: &[u8], span: Span, other: Span) -> Diagnostic {
    let message = format!("`{}` is defined twice", String::from_utf8_lossy(name));
    Diagnostic::error("asm-defined-twice", message).label(span, "again here").secondary(other, "first here")
}
