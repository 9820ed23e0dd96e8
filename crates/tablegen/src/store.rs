//! What a run makes: names, types, values, layouts and records, each a number in a table. Equal things are equal numbers.
//!
//! A store only grows. Looking things up needs a shared borrow, so printers and the API work on a store alone; making a
//! value needs a mutable one, and no other state of the run.

use rustc_hash::FxHashMap;

use isaglot_invariant::Impossible as _;

use crate::field_locs::FieldLocs;
use crate::loc::{Loc, Places};
use crate::names::{Names, Sym};
use crate::record::{RecId, RecKind, Record, Shapes, SuperLists};
use crate::ty::{Ty, Types};
use crate::value::{Val, Vals};

/// All tables of a run.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) names: Names,
    pub(crate) types: Types,
    pub(crate) vals: Vals,
    pub(crate) shapes: Shapes,
    pub(crate) supers: SuperLists,
    pub(crate) records: Vec<Record>,
    pub(crate) field_locs: FieldLocs,
    pub(crate) class_by_name: FxHashMap<Sym, RecId>,
    /// Finished records in the order in which they were finished.
    pub(crate) defs: Vec<RecId>,
    /// By name; `u32::MAX` where there is none.
    def_by_name: Vec<u32>,
    pub(crate) globals: FxHashMap<Sym, Val>,
    next_anonymous: u32,
    /// The names of unnamed records by their numbers, as far as they were asked for.
    pub(crate) anonymous_texts: Vec<Sym>,
    /// The last such name that was made.
    pub(crate) anonymous_text: Vec<u8>,
    /// Files, and the places in them.
    pub(crate) places: Places,
    /// Last answers of the type relation.
    pub(crate) relation: FxHashMap<(Ty, Ty), bool>,
    /// Bytes of the text of one value; lower for a run on a budget.
    pub(crate) max_text: usize,
    /// Where each `Class<args>` is first written, for the newest language: its record is there.
    pub(crate) written_at: FxHashMap<Val, Loc>,
    /// Values fold and print as in LLVM 22 rather than 19.
    pub(crate) newest: bool,
}

impl Store {
    pub(crate) fn new(max_text: usize) -> Store {
        Store {
            names: Names::new(),
            types: Types::default(),
            vals: Vals::new(),
            shapes: Shapes::new(),
            supers: SuperLists::new(),
            records: Vec::new(),
            field_locs: FieldLocs::default(),
            class_by_name: FxHashMap::default(),
            defs: Vec::new(),
            def_by_name: Vec::new(),
            globals: FxHashMap::default(),
            next_anonymous: 0,
            anonymous_texts: Vec::new(),
            anonymous_text: ANONYMOUS.to_vec(),
            written_at: FxHashMap::default(),
            newest: false,
            places: Places::default(),
            relation: FxHashMap::default(),
            max_text,
        }
    }

    // ---- Records -------------------------------------------------------------------------------------------------

    pub(crate) fn rec(&self, id: RecId) -> &Record {
        &self.records[id.index()]
    }

    pub(crate) fn rec_mut(&mut self, id: RecId) -> &mut Record {
        &mut self.records[id.index()]
    }

    /// The finished record of that name.
    pub(crate) fn def(&self, name: Sym) -> Option<RecId> {
        self.def_by_name.get(name.index()).filter(|&&id| id != u32::MAX).map(|&id| RecId(id))
    }

    /// Files a finished record under its name; of two of one name the first stays.
    pub(crate) fn file_def(&mut self, id: RecId) {
        let Some(name) = self.vals.as_str(self.rec(id).name) else { return };
        if self.def_by_name.len() <= name.index() {
            let len = (name.index() + 1).max(self.def_by_name.len() * 2);
            self.def_by_name.resize(len, u32::MAX);
        }
        let slot = &mut self.def_by_name[name.index()];
        if *slot == u32::MAX {
            *slot = id.0;
            self.defs.push(id);
        }
    }

    pub(crate) fn new_anonymous_name(&mut self) -> Val {
        let n = self.next_anonymous;
        self.next_anonymous += 1;
        self.vals.anonymous(n)
    }

    /// Says that a field of a record got its value there.
    pub(crate) fn set_field_loc(&mut self, rec: RecId, at: usize, loc: Loc) {
        let before = self.rec(rec).field_locs;
        self.rec_mut(rec).field_locs = self.field_locs.set(before, at, loc);
    }

    /// Where a field of a record got its value.
    pub(crate) fn field_loc(&self, rec: RecId, at: usize) -> Option<Loc> {
        self.field_locs.get(self.rec(rec).field_locs, at)
    }

    /// The value of a field.
    pub(crate) fn field(&mut self, rec: RecId, name: Sym) -> Option<Val> {
        let shape = self.rec(rec).shape;
        let at = self.shapes.find(shape, name)?;
        self.rec(rec).values.get(at).copied()
    }

    /// Type of a field, which may be a template argument's qualified name.
    pub(crate) fn field_ty(&mut self, rec: RecId, name: Sym) -> Option<Ty> {
        let shape = self.rec(rec).shape;
        match self.shapes.find(shape, name) {
            Some(at) => Some(self.shapes.get(shape).fields[at].ty),
            None => self.rec(rec).args().iter().find(|a| a.name == name).map(|a| a.ty),
        }
    }

    /// Type of `value.name`.
    pub(crate) fn type_of_field(&mut self, value: Val, name: Sym) -> Option<Ty> {
        if let Some(def) = self.as_def(value) {
            let shape = self.rec(def).shape;
            let at = self.shapes.find(shape, name)?;
            return Some(self.shapes.get(shape).fields[at].ty);
        }
        let ty = self.vals.ty(value);
        for i in 0..self.types.classes(ty).len() {
            let shape = self.rec(self.types.classes(ty)[i]).shape;
            if let Some(at) = self.shapes.find(shape, name) {
                return Some(self.shapes.get(shape).fields[at].ty);
            }
        }
        None
    }

    /// Finished records by name, bytewise.
    pub(crate) fn sorted_defs(&self) -> Vec<RecId> {
        self.by_name(&self.defs)
    }

    /// Sorts by name.
    fn by_name(&self, ids: &[RecId]) -> Vec<RecId> {
        // Unnamed records, often most of all, lie together and have an order of their own.
        let mut unnamed: Vec<(u32, RecId)> = Vec::new();
        let mut named: Vec<(u64, RecId)> = Vec::with_capacity(ids.len());
        for &id in ids {
            match number_of(self.class_name(id)) {
                Some(number) => unnamed.push((number, id)),
                None => named.push((0, id)),
            }
        }
        let unnamed = by_digits(&unnamed);
        self.sort_by_parts(&mut named);
        let mut sorted: Vec<RecId> = named.into_iter().map(|k| k.1).collect();
        // Other names may begin like theirs.
        let from = sorted.partition_point(|&id| self.class_name(id) < ANONYMOUS);
        let alike = sorted.iter().skip(from).take_while(|&&id| self.class_name(id).starts_with(ANONYMOUS)).count();
        let mut merged = Vec::with_capacity(alike + unnamed.len());
        let mut rest = unnamed.into_iter().peekable();
        for &id in sorted.iter().skip(from).take(alike) {
            let name = self.class_name(id);
            merged.extend(std::iter::from_fn(|| rest.next_if(|&other| self.class_name(other) < name)));
            merged.push(id);
        }
        merged.extend(rest);
        sorted.splice(from..from + alike, merged);
        sorted
    }

    /// Sorts by eight bytes of the names at a time, as a number; those that are equal so far by the next eight. The number beside
    /// a record is the memory for that.
    fn sort_by_parts(&self, all: &mut [(u64, RecId)]) {
        let mut ties = vec![(0, 0..all.len())];
        while let Some((from, run)) = ties.pop() {
            let Some(tied) = all.get_mut(run.clone()) else { continue };
            for (part, id) in tied.iter_mut() {
                let name = self.class_name(*id).get(from..).unwrap_or(&[]);
                *part = match name.first_chunk::<PART>() {
                    Some(&bytes) => u64::from_be_bytes(bytes),
                    None => name.iter().rev().fold(0, |part, &b| part >> 8 | u64::from(b) << 56),
                };
            }
            tied.sort_unstable_by_key(|&(part, _)| part);
            let mut at = run.start;
            for same in tied.chunk_by_mut(|a, b| a.0 == b.0) {
                let end = at + same.len();
                match same.len() {
                    1 => {}
                    // A name that ends within the part is told from one that goes on with zeros only by its length.
                    _ if same[0].0 & 0xFF == 0 => {
                        same.sort_unstable_by(|a, b| self.class_name(a.1).cmp(self.class_name(b.1)))
                    }
                    _ => ties.push((from + PART, at..end)),
                }
                at = end;
            }
        }
    }

    /// Classes by name, bytewise.
    pub(crate) fn sorted_classes(&self) -> Vec<RecId> {
        let classes: Vec<RecId> = self.class_by_name.values().copied().collect();
        self.by_name(&classes)
    }

    pub(crate) fn is_subclass(&self, rec: RecId, class: RecId) -> bool {
        let Some(part) = &self.rec(class).class else { return false };
        self.supers.get(self.rec(rec).supers).has(part.number)
    }

    /// The number of a class.
    pub(crate) fn class_number(&self, class: RecId) -> u32 {
        self.rec(class).class.as_ref().map_or(u32::MAX, |c| c.number)
    }

    /// The superclasses that no other superclass brings, last first.
    pub(crate) fn direct_supers(&self, rec: RecId) -> Vec<RecId> {
        let mut list = self.supers.get(self.rec(rec).supers).list.as_slice();
        let mut direct = Vec::new();
        while let Some((&last, rest)) = list.split_last() {
            direct.push(last);
            let below = self.supers.get(self.rec(last).supers).list.len();
            list = &rest[..rest.len().saturating_sub(below)];
        }
        direct
    }

    /// The type of a record: its direct superclasses.
    pub(crate) fn record_ty(&mut self, rec: RecId) -> Ty {
        let id = self.rec(rec).supers;
        if let Some(ty) = self.supers.get(id).ty {
            return ty;
        }
        let direct = self.direct_supers(rec);
        let ty = self.record_ty_of(direct);
        self.supers.all[id.0 as usize].ty = Some(ty);
        ty
    }

    /// The type of records of these classes.
    pub(crate) fn record_ty_of(&mut self, mut classes: Vec<RecId>) -> Ty {
        classes.sort_by(|&a, &b| self.class_name(a).cmp(self.class_name(b)));
        self.types.record(&classes)
    }

    /// The name of a class or a finished record.
    pub(crate) fn class_name(&self, class: RecId) -> &[u8] {
        self.vals.as_str(self.rec(class).name).map_or(&[], |s| self.names.get(s))
    }

    /// The symbol of a class's name.
    pub(crate) fn class_sym(&self, class: RecId) -> Sym {
        self.vals.as_str(self.rec(class).name).or_impossible(Sym::NONE)
    }

    /// Looks for a name among records and global variables.
    pub(crate) fn global(&mut self, name: Sym) -> Option<Val> {
        match self.def(name) {
            Some(rec) => Some(self.def_val(rec)),
            None => self.globals.get(&name).copied(),
        }
    }

    /// The kind of a record, for those who only have its number.
    pub(crate) fn kind_of(&self, rec: RecId) -> RecKind {
        self.rec(rec).kind
    }
}

/// Bytes of names that are compared at once.
const PART: usize = 8;

/// How names of unnamed records begin.
const ANONYMOUS: &[u8] = b"anonymous_";

/// The number of an unnamed record; none for other names, and for digits that are not written as a number is.
fn number_of(name: &[u8]) -> Option<u32> {
    const MAX_DIGITS: usize = 8;
    let digits = name.strip_prefix(ANONYMOUS)?;
    let is_written_so = match digits {
        [] => false,
        [b'0', _, ..] => false,
        digits => digits.len() <= MAX_DIGITS && digits.iter().all(u8::is_ascii_digit),
    };
    is_written_so.then(|| digits.iter().fold(0, |number, &d| number * 10 + u32::from(d - b'0')))
}

/// Sorts by the texts of the numbers, which are all different.
fn by_digits(numbered: &[(u32, RecId)]) -> Vec<RecId> {
    let Some(max) = numbered.iter().map(|&(number, _)| number).max() else { return Vec::new() };
    if max as usize > numbered.len().saturating_mul(8) {
        // Few of many numbers: a walk over all would be longer than sorting.
        let mut texts: Vec<(String, RecId)> = numbered.iter().map(|&(number, id)| (number.to_string(), id)).collect();
        texts.sort_unstable();
        return texts.into_iter().map(|(_, id)| id).collect();
    }
    let mut ids = vec![None; max as usize + 1];
    for &(number, id) in numbered {
        if let Some(slot) = ids.get_mut(number as usize) {
            *slot = Some(id);
        }
    }
    // 0, 1, 10, 100, 101, …, 11, …: a number's tenfold comes right after it, and after the last with its digits the next one.
    let mut sorted = Vec::with_capacity(numbered.len());
    sorted.extend(ids.first().copied().flatten());
    let mut number = 1;
    for _ in 0..max {
        sorted.extend(ids.get(number as usize).copied().flatten());
        if number * 10 <= max {
            number *= 10;
            continue;
        }
        while number % 10 == 9 || number == max {
            number /= 10;
        }
        number += 1;
    }
    sorted
}
