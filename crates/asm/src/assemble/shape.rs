//! What a description can print, as a shape that is quick to compare with: literal text, and runs of bytes of a set.
//!
//! The problem: an assembler has syntax of its own (comments, labels, directives), and a description may display any
//! characters. Invariant: every text that the disassembler prints for an encoding has one of its shapes; the reverse need
//! not hold. The method: guards are not looked at. A field is any number of bytes that one of its definitions can print,
//! a sub-encoding any number of bytes of any text of its space.
//!
//! Example. The template `{NAME} {A}:{B}` of the encoding `ld`, where `A` is a number and `B` prints `.w` or nothing, has the
//! shape `ld `, any of `0-9`, `:`, any of `.w`. The text `ld 12:.w` has it, and so has `ld :ww`, which nothing prints.

use isaglot_model::{Encoding, Field, FieldType, Isa, Name, TemplatePart};
use rustc_hash::FxHashMap;

use super::program::Bytes;
use crate::names::Names;

const DIGITS: &[u8] = b"0123456789";
const WORD: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/// A part of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShapePart {
    /// This byte.
    Byte(u8),
    /// Any number of these bytes; none only if the set has the end.
    Any(Bytes),
}

/// What the texts of one case of an encoding look like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) parts: Vec<ShapePart>,
}

impl Bytes {
    fn of(bytes: &[u8]) -> Bytes {
        let mut set = Bytes::default();
        bytes.iter().for_each(|&byte| set.add(byte));
        set
    }

    /// All bytes of the set.
    pub(super) fn list(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255u8).filter(|&byte| self.has(Some(byte)))
    }

    /// Whether all bytes of `other` are in it.
    pub(super) fn covers(&self, other: &Bytes) -> bool {
        self.set.iter().zip(other.set).all(|(all, some)| some & !all == 0)
    }
}

impl Shape {
    /// The bytes that a text of this shape can have.
    pub(super) fn can(&self) -> Bytes {
        let mut all = Bytes::default();
        for part in &self.parts {
            match part {
                ShapePart::Byte(byte) => all.add(*byte),
                ShapePart::Any(set) => all.join(set),
            }
        }
        all
    }

    /// The bytes but blanks that every text of this shape has.
    pub(super) fn needs(&self) -> Bytes {
        let mut all = Bytes::default();
        for part in &self.parts {
            if let ShapePart::Byte(byte) = part
                && !byte.is_ascii_whitespace()
            {
                all.add(*byte);
            }
        }
        all
    }

    /// The same for what people write: without blanks, with any number or name where a number can stand.
    pub(super) fn relaxed(&self) -> Shape {
        let relax = |part: &ShapePart| match part {
            ShapePart::Byte(byte) => (!byte.is_ascii_whitespace()).then_some(ShapePart::Byte(*byte)),
            ShapePart::Any(set) => {
                let mut set = *set;
                set.end = true;
                if set.covers(&Bytes::of(DIGITS)) {
                    set.join(&Bytes::of(WORD));
                    set.join(&Bytes::of(b".$@#+-'"));
                }
                Some(ShapePart::Any(set))
            }
        };
        Shape { parts: self.parts.iter().filter_map(relax).collect() }
    }

    /// The start of the shape up to its first line break, then anything; `None` if it has no line break.
    pub(super) fn first_line(&self) -> Option<Shape> {
        let breaks = |part: &ShapePart| match part {
            ShapePart::Byte(byte) => *byte == b'\n',
            ShapePart::Any(set) => set.has(Some(b'\n')),
        };
        let at = self.parts.iter().position(breaks)?;
        let mut parts = self.parts.get(..at)?.to_vec();
        parts.push(ShapePart::Any(Bytes { set: [u64::MAX; 4], end: true }));
        Some(Shape { parts })
    }

    /// Whether a text has this shape.
    pub(super) fn has(&self, text: impl Iterator<Item = u8>) -> bool {
        // Which parts may come next; the last one is the end.
        let end = self.parts.len();
        let mut at = vec![false; end + 1];
        let mut next = vec![false; end + 1];
        if let Some(first) = at.first_mut() {
            *first = true;
        }
        self.pass(&mut at);
        for byte in text {
            next.fill(false);
            let mut any = false;
            for (i, part) in self.parts.iter().enumerate() {
                if !at.get(i).copied().unwrap_or(false) {
                    continue;
                }
                let (on, stays) = match part {
                    ShapePart::Byte(this) => (*this == byte, false),
                    ShapePart::Any(set) => (set.has(Some(byte)), true),
                };
                if on && let Some([this, after]) = next.get_mut(i..i + 2) {
                    (*this, *after, any) = (*this || stays, true, true);
                }
            }
            if !any {
                return false;
            }
            self.pass(&mut next);
            std::mem::swap(&mut at, &mut next);
        }
        at.get(end).copied().unwrap_or(false)
    }

    /// Goes past parts that may be empty.
    fn pass(&self, at: &mut [bool]) {
        for (i, part) in self.parts.iter().enumerate() {
            if matches!(part, ShapePart::Any(set) if set.end)
                && at.get(i).copied().unwrap_or(false)
                && let Some(slot) = at.get_mut(i + 1)
            {
                *slot = true;
            }
        }
    }
}

/// The bytes that fields and spaces can print.
#[derive(Debug)]
pub(super) struct Sets<'i> {
    isa: &'i Isa,
    names: &'i Names,
    /// By space.
    spaces: Vec<Bytes>,
    /// By name: what a field handed to a sub-encoding under this name can print there.
    params: FxHashMap<Name, Bytes>,
}

impl<'i> Sets<'i> {
    /// Those of the active encodings, with these names of values.
    pub(super) fn new(isa: &'i Isa, names: &'i Names, active: &dyn Fn(&Encoding) -> bool) -> Sets<'i> {
        let mut sets =
            Sets { isa, names, spaces: vec![Bytes::default(); isa.spaces().len()], params: FxHashMap::default() };
        // What a space prints may be what another one prints. Sets only grow, so this ends.
        loop {
            let before = (sets.spaces.clone(), sets.params.clone());
            for encoding in isa.encodings().iter().filter(|encoding| active(encoding)) {
                sets.hand_on(encoding);
                if encoding.space == isa.root() {
                    continue;
                }
                let mut set = Bytes::default();
                for case in &encoding.cases {
                    let Some(template) = case.template else { continue };
                    sets.shape(encoding, &isa[template].parts).parts.iter().for_each(|part| match part {
                        ShapePart::Byte(byte) => set.add(*byte),
                        ShapePart::Any(any) => set.join(any),
                    });
                }
                if let Some(all) = sets.spaces.get_mut(encoding.space.0 as usize) {
                    all.join(&set);
                }
            }
            if (&before.0, &before.1) == (&sets.spaces, &sets.params) {
                return sets;
            }
        }
    }

    /// Notes what the fields that an encoding hands to sub-encodings can print.
    fn hand_on(&mut self, encoding: &Encoding) {
        for field in encoding.cases.iter().flat_map(|case| &case.fields) {
            for param in &field.params {
                let set = self.field(encoding, param.name);
                self.params.entry(param.as_name).or_default().join(&set);
            }
        }
    }

    /// What a name can print in an encoding.
    fn field(&self, encoding: &Encoding, name: Name) -> Bytes {
        let mut set = Bytes::default();
        let mut always = false;
        for case in &encoding.cases {
            if let Some(field) = case.fields.iter().find(|field| field.name == name) {
                set.join(&self.value(field));
                always |= case.guard.is_none();
            }
        }
        set.end |= !always;
        if encoding.space != self.isa.root()
            && let Some(param) = self.params.get(&name)
        {
            set.join(param);
        }
        set
    }

    /// What a field can print.
    fn value(&self, field: &Field) -> Bytes {
        let isa = self.isa;
        // Whether every value has a text.
        let all = |texts: u64| field.width < u64::BITS && texts >> field.width != 0;
        let mut set = Bytes::default();
        match &field.ty {
            FieldType::Bool(Some(text)) | FieldType::BoolInv(Some(text)) => {
                set.join(&Bytes::of(text.as_bytes()));
                set.end = true;
            }
            FieldType::Bool(None) | FieldType::BoolInv(None) | FieldType::Uint => set.join(&Bytes::of(DIGITS)),
            FieldType::Int => set.join(&Bytes::of(b"0123456789-")),
            FieldType::Hex => set.join(&Bytes::of(b"0123456789abcdef")),
            FieldType::Offset | FieldType::Uoffset => {
                set.join(&Bytes::of(b"0123456789+-"));
                set.end = true;
            }
            FieldType::Float => set.join(&Bytes::of(b"0123456789.-+einfa")),
            // A label, too.
            FieldType::Branch { .. } => {
                set.join(&Bytes::of(WORD));
                set.join(&Bytes::of(b"-.$@"));
            }
            FieldType::Custom => {
                set.join(&Bytes::of(WORD));
                set.end = true;
                for text in self.names.all() {
                    set.join(&Bytes::of(text));
                }
            }
            FieldType::Enum(id) => {
                let values = &isa[*id].values;
                for value in values {
                    set.join(&Bytes::of(value.display.as_bytes()));
                    set.end |= value.display.is_empty();
                }
                let mut known: Vec<u64> = values.iter().map(|value| value.value).collect();
                known.sort_unstable();
                known.dedup();
                if !all(known.len() as u64) || isa[*id].numbers {
                    set.join(&Bytes::of(DIGITS));
                }
            }
            FieldType::Register(id) => {
                let names = &isa[*id].names;
                for name in names.iter().flatten() {
                    set.join(&Bytes::of(name.as_bytes()));
                    set.end |= name.is_empty();
                }
                if !all(names.iter().flatten().count() as u64) {
                    set.join(&Bytes::of(DIGITS));
                }
            }
            FieldType::Sub(space) => {
                // A word that no encoding has prints nothing.
                set.end = true;
                if let Some(known) = self.spaces.get(space.0 as usize) {
                    set.join(known);
                }
            }
        }
        set
    }

    /// The shape of a template of an encoding.
    pub(super) fn shape(&self, encoding: &Encoding, template: &[TemplatePart]) -> Shape {
        let mut parts = Vec::new();
        let align = |parts: &mut Vec<ShapePart>, column: u32| {
            if column > 0 {
                parts.push(ShapePart::Any(Bytes { end: true, ..Bytes::of(b" ") }));
            }
        };
        for part in template {
            match part {
                TemplatePart::Literal(text) => parts.extend(text.iter().copied().map(ShapePart::Byte)),
                TemplatePart::Align(column) => align(&mut parts, *column),
                TemplatePart::Mnemonic { align: column, .. } => {
                    align(&mut parts, *column);
                    parts.extend(encoding.display_name.bytes().map(ShapePart::Byte));
                }
                TemplatePart::Field { name, align: column, .. } => {
                    align(&mut parts, *column);
                    parts.push(ShapePart::Any(self.field(encoding, *name)));
                }
            }
        }
        Shape { parts }
    }
}
