//! Types. A [`Ty`] is one word that says most of what there is to know without a look-up; lists and sets of classes are
//! interned, so equal types are equal words.
//!
//! Two relations matter and differ: `is_a` (may stand where the other is expected as it is) and `convertible` (a
//! conversion may exist). Both are in [`crate::relate`], because for classes they need the records.

use rustc_hash::FxHashMap;

use crate::record::RecId;

/// A type, interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ty(pub(crate) u32);

const TAG: u32 = 7;
const BITS: u32 = 4;
const LIST: u32 = 5;
const RECORD: u32 = 6;

/// A type, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TyKind {
    /// `bit`
    Bit,
    /// `int`
    Int,
    /// `string` and `code`
    String,
    /// `dag`
    Dag,
    /// `bits<N>`
    Bits(u32),
    /// `list<T>`
    List(Ty),
    /// A record of some classes; look them up with [`Types::classes`].
    Record,
    /// No type: the value `?` has none.
    None,
}

impl Ty {
    /// `bit`
    pub(crate) const BIT: Ty = Ty(0);
    /// `int`
    pub(crate) const INT: Ty = Ty(1);
    /// `string`
    pub(crate) const STRING: Ty = Ty(2);
    /// `dag`
    pub(crate) const DAG: Ty = Ty(3);
    /// No type.
    pub(crate) const NONE: Ty = Ty(7);

    /// `bits<n>`; `n` is at most [`crate::limits::MAX_BITS`].
    pub(crate) fn bits(n: u32) -> Ty {
        Ty(n << 3 | BITS)
    }

    /// The width of a `bits` type.
    pub(crate) fn width(self) -> Option<u32> {
        (self.0 & TAG == BITS).then_some(self.0 >> 3)
    }

    pub(crate) fn is_record(self) -> bool {
        self.0 & TAG == RECORD
    }

    pub(crate) fn is_list(self) -> bool {
        self.0 & TAG == LIST
    }

    fn index(self) -> usize {
        (self.0 >> 3) as usize
    }
}

/// All list types and sets of classes.
#[derive(Debug, Default)]
pub(crate) struct Types {
    elements: Vec<Ty>,
    lists: FxHashMap<Ty, Ty>,
    sets: Vec<Box<[RecId]>>,
    records: FxHashMap<Box<[RecId]>, Ty>,
}

impl Types {
    /// `list<element>`
    pub(crate) fn list(&mut self, element: Ty) -> Ty {
        let next = self.elements.len() as u32;
        let elements = &mut self.elements;
        *self.lists.entry(element).or_insert_with(|| {
            elements.push(element);
            Ty(next << 3 | LIST)
        })
    }

    /// The type of records of these classes, which are sorted by name.
    pub(crate) fn record(&mut self, classes: &[RecId]) -> Ty {
        if let Some(&ty) = self.records.get(classes) {
            return ty;
        }
        let ty = Ty((self.sets.len() as u32) << 3 | RECORD);
        self.sets.push(classes.into());
        self.records.insert(classes.into(), ty);
        ty
    }

    /// Takes a type apart.
    pub(crate) fn kind(&self, ty: Ty) -> TyKind {
        match ty.0 & TAG {
            0 => TyKind::Bit,
            1 => TyKind::Int,
            2 => TyKind::String,
            3 => TyKind::Dag,
            BITS => TyKind::Bits(ty.0 >> 3),
            LIST => self.elements.get(ty.index()).map_or(TyKind::None, |&e| TyKind::List(e)),
            RECORD => TyKind::Record,
            _ => TyKind::None,
        }
    }

    /// The element type of a list type.
    pub(crate) fn element(&self, ty: Ty) -> Option<Ty> {
        if ty.is_list() { self.elements.get(ty.index()).copied() } else { None }
    }

    /// The classes of a record type; empty for any other.
    pub(crate) fn classes(&self, ty: Ty) -> &[RecId] {
        if ty.is_record() { self.sets.get(ty.index()).map_or(&[], |c| c) } else { &[] }
    }
}
