//! Everything that parsing and evaluation share: names, types, values, records and messages. The evaluator is a set of
//! functions over this one struct, a file for each part of the work.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::limits;
use crate::loc::{Loc, Places};
use crate::message::Messages;
use crate::names::{Names, Sym};
use crate::origin::Origins;
use crate::record::{RecId, RecKind, Record, Shapes, SuperLists};
use crate::resolve::Resolver;
use crate::ty::{Ty, Types};
use crate::value::{Kind, Val, Vals};

/// Bounds that one run may set lower than [`crate::limits`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) steps: u64,
    pub(crate) pool_words: usize,
    pub(crate) string_bytes: usize,
    pub(crate) records: usize,
    pub(crate) eval_depth: u32,
    pub(crate) parse_depth: u32,
    /// Elements of a list, bytes of a string.
    pub(crate) large: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            steps: limits::MAX_STEPS,
            pool_words: limits::MAX_POOL_WORDS,
            string_bytes: limits::MAX_STRING_BYTES,
            records: limits::MAX_RECORDS,
            eval_depth: limits::MAX_EVAL_DEPTH,
            parse_depth: limits::MAX_PARSE_DEPTH,
            large: usize::MAX,
        }
    }
}

impl Bounds {
    /// Lowers the bounds for a run that must be short.
    pub(crate) fn shrink(&mut self, budget: u32) {
        let words = budget as usize;
        self.steps = u64::from(budget);
        self.pool_words = self.pool_words.min(words.saturating_mul(4));
        self.string_bytes = self.string_bytes.min(words.saturating_mul(16));
        self.records = self.records.min(words);
        self.large = self.large.min(words.max(1 << 10));
    }
}

/// The state of one run.
#[derive(Debug)]
pub(crate) struct Ctx {
    pub(crate) names: Names,
    pub(crate) types: Types,
    pub(crate) vals: Vals,
    pub(crate) shapes: Shapes,
    pub(crate) supers: SuperLists,
    pub(crate) records: Vec<Record>,
    pub(crate) places: Places,
    pub(crate) messages: Messages,
    pub(crate) origins: Origins,
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
    /// Runs of values that are being made, one behind the other.
    pub(crate) scratch: Vec<u32>,
    /// Resolvers that are not in use, for their memory.
    pub(crate) idle: Vec<Resolver>,
    /// Instantiations: `Class<args>` to the record.
    pub(crate) instances: FxHashMap<Val, Val>,
    /// Results of the resolver in progress: its generation and whether something stayed free, then the value.
    pub(crate) memo: Vec<(u32, Val)>,
    pub(crate) generation: u32,
    pub(crate) steps: u64,
    pub(crate) depth: u32,
    /// A fatal error happened: nothing that follows counts.
    pub(crate) stopped: bool,
    pub(crate) bounds: Bounds,
    /// Last answers of the type relation.
    pub(crate) relation: FxHashMap<(Ty, Ty), bool>,
}

impl Ctx {
    pub(crate) fn new(bounds: Bounds, trace: bool) -> Ctx {
        Ctx {
            names: Names::new(),
            types: Types::default(),
            vals: Vals::new(),
            shapes: Shapes::new(),
            supers: SuperLists::new(),
            records: Vec::new(),
            places: Places::default(),
            messages: Messages::default(),
            origins: Origins::new(trace),
            class_by_name: FxHashMap::default(),
            defs: Vec::new(),
            def_by_name: Vec::new(),
            globals: FxHashMap::default(),
            next_anonymous: 0,
            anonymous_texts: Vec::new(),
            anonymous_text: ANONYMOUS.to_vec(),
            scratch: Vec::new(),
            idle: Vec::new(),
            instances: FxHashMap::default(),
            memo: Vec::new(),
            generation: 0,
            steps: 0,
            depth: 0,
            stopped: false,
            bounds,
            relation: FxHashMap::default(),
        }
    }

    // ---- Records -------------------------------------------------------------------------------------------------

    pub(crate) fn rec(&self, id: RecId) -> &Record {
        &self.records[id.index()]
    }

    pub(crate) fn rec_mut(&mut self, id: RecId) -> &mut Record {
        &mut self.records[id.index()]
    }

    pub(crate) fn add_record(&mut self, record: Record) -> RecId {
        if self.records.len() >= self.bounds.records {
            self.too_much("records");
        }
        self.records.push(record);
        RecId(self.records.len() as u32 - 1)
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

    /// Sorts by name. Most names differ in their first 16 bytes, so those are compared as a number.
    fn by_name(&self, ids: &[RecId]) -> Vec<RecId> {
        let key = |&id: &RecId| {
            let name = self.class_name(id);
            let mut head = [0; 16];
            let len = name.len().min(head.len());
            head[..len].copy_from_slice(&name[..len]);
            (u128::from_be_bytes(head), id)
        };
        // Unnamed records, often most of all, lie together and need only their numbers compared.
        let mut unnamed: Vec<u64> = Vec::new();
        let mut keyed: Vec<(u128, RecId)> = Vec::new();
        for id in ids {
            match digits_key(self.class_name(*id)) {
                Some(digits) => unnamed.push(u64::from(digits) << 32 | u64::from(id.0)),
                None => keyed.push(key(id)),
            }
        }
        unnamed.sort_unstable();
        keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.class_name(a.1).cmp(self.class_name(b.1))));
        let mut sorted: Vec<RecId> = keyed.into_iter().map(|k| k.1).collect();
        let at = sorted.partition_point(|&id| self.class_name(id) < ANONYMOUS);
        if sorted.get(at).is_some_and(|&id| self.class_name(id).starts_with(ANONYMOUS)) {
            // Some other name begins like theirs.
            sorted.extend(unnamed.into_iter().map(|u| RecId(u as u32)));
            sorted.sort_by(|&a, &b| self.class_name(a).cmp(self.class_name(b)));
        } else {
            sorted.splice(at..at, unnamed.into_iter().map(|u| RecId(u as u32)));
        }
        sorted
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

    fn class_name(&self, class: RecId) -> &[u8] {
        self.vals.as_str(self.rec(class).name).map_or(&[], |s| self.names.get(s))
    }

    /// The symbol of a class's name.
    pub(crate) fn class_sym(&self, class: RecId) -> Sym {
        self.vals.as_str(self.rec(class).name).unwrap_or(Sym::NONE)
    }

    /// Looks for a name among records and global variables.
    pub(crate) fn global(&mut self, name: Sym) -> Option<Val> {
        match self.def(name) {
            Some(rec) => Some(self.def_val(rec)),
            None => self.globals.get(&name).copied(),
        }
    }

    // ---- Field assignment ----------------------------------------------------------------------------------------

    /// Adds a field with value `?`, which for `bits` is as many `?`.
    pub(crate) fn push_field(&mut self, rec: RecId, field: crate::record::FieldDesc, value: Val, loc: Loc) {
        let shape = self.rec(rec).shape;
        if self.shapes.get(shape).fields.len() >= MAX_FIELDS {
            return self.too_much("fields of one record");
        }
        let shape = self.shapes.push(shape, field);
        let r = self.rec_mut(rec);
        r.shape = shape;
        r.values.push(value);
        Arc::make_mut(&mut r.field_locs).push(loc);
    }

    /// Gives a field a value, converted to the field's type; `false` if it cannot be.
    pub(crate) fn set_field(&mut self, rec: RecId, at: usize, value: Val) -> bool {
        let ty = self.shapes.get(self.rec(rec).shape).fields[at].ty;
        if self.vals.ty(value) == ty && ty.width().is_none() {
            self.rec_mut(rec).values[at] = value;
            return true;
        }
        let value = self.field_value(value, ty);
        self.rec_mut(rec).values[at] = value.unwrap_or(Val::MISSING);
        value.is_some()
    }

    /// A value as a field of that type holds it.
    pub(crate) fn field_value(&mut self, value: Val, ty: Ty) -> Option<Val> {
        let value = self.cast_to(value, ty)?;
        match ty.width() {
            Some(width) if self.vals.kind(value) != Kind::Bits => {
                let bits: Vec<u32> = (0..width).map(|i| self.bit_of(value, i).0).collect();
                Some(self.bits(&bits))
            }
            _ => Some(value),
        }
    }

    pub(crate) fn max_list(&self) -> usize {
        limits::MAX_LIST.min(self.bounds.large)
    }

    /// Bytes of the text of one value; lower for a run on a budget.
    pub(crate) fn max_text(&self) -> usize {
        limits::MAX_TEXT.min(self.bounds.large.saturating_mul(16))
    }

    pub(crate) fn max_string(&self) -> usize {
        limits::MAX_STRING.min(self.bounds.large)
    }

    // ---- Bounds --------------------------------------------------------------------------------------------------

    /// Stops the run because an input asks for too much.
    pub(crate) fn too_much(&mut self, what: &str) {
        self.fatal(Loc::NONE, "tblgen-limit", format!("the input needs too many or too large {what}").as_bytes());
    }

    /// Counts a step of evaluation; `false` when the run is over.
    #[inline]
    pub(crate) fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps & 0xFFF == 0 || self.vals.too_deep {
            self.look_at_bounds();
        }
        !self.stopped
    }

    #[cold]
    fn look_at_bounds(&mut self) {
        if self.vals.too_deep {
            self.too_much("values within values");
        }
        {
            if self.steps > self.bounds.steps {
                self.too_much("computations");
            } else if self.vals.pool_words() > self.bounds.pool_words
                || self.vals.len() > self.bounds.pool_words.min(limits::MAX_VALUES)
            {
                self.too_much("values");
            } else if self.names.bytes() > self.bounds.string_bytes {
                self.too_much("strings");
            }
        }
    }

    /// An error after which nothing counts.
    pub(crate) fn fatal(&mut self, loc: Loc, code: &'static str, text: &[u8]) {
        if !self.stopped {
            self.messages.error(loc, code, text);
            self.stopped = true;
            self.messages.closed = true;
        }
    }

    /// A fatal error at a record and the `defm`s that made it.
    pub(crate) fn fatal_at(&mut self, rec: Option<RecId>, code: &'static str, text: &[u8]) {
        if self.stopped {
            return;
        }
        self.error_at(rec, code, text);
        self.stopped = true;
        self.messages.closed = true;
    }

    /// An error at a record and the `defm`s that made it.
    pub(crate) fn error_at(&mut self, rec: Option<RecId>, code: &'static str, text: &[u8]) {
        let locs: Vec<Loc> = rec.map_or_else(Vec::new, |r| self.rec(r).locs.iter().collect());
        self.messages.error_chain(&locs, code, text);
    }

    /// The kind of a record, for those who only have its number.
    pub(crate) fn kind_of(&self, rec: RecId) -> RecKind {
        self.rec(rec).kind
    }
}

/// How names of unnamed records begin.
const ANONYMOUS: &[u8] = b"anonymous_";

/// A number that orders the names of unnamed records as their texts are ordered; none for other names.
fn digits_key(name: &[u8]) -> Option<u32> {
    let digits = name.strip_prefix(ANONYMOUS)?;
    if digits.is_empty() || digits.len() > 8 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let key = digits.iter().fold(0, |key, &d| key << 4 | u32::from(d - b'0' + 1));
    Some(key << (4 * (8 - digits.len())))
}

/// Fields of one record.
const MAX_FIELDS: usize = 1 << 11;
