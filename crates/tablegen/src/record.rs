//! Records, classes and multiclasses, and the layouts that they share.
//!
//! A record is a layout and a column of values. A layout ([`Shape`]) says which fields there are, in which order and of
//! which types; thousands of records share one. Adding a field, or all fields of a class, is a cached step from one
//! layout to the next. Superclass lists are shared in the same way.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::field_locs::LastStep;
use crate::loc::Loc;
use crate::names::Sym;
use crate::ty::Ty;
use crate::value::Val;

/// A record, class, multiclass or prototype, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RecId(pub(crate) u32);

impl RecId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One field of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FieldDesc {
    pub(crate) name: Sym,
    pub(crate) ty: Ty,
    /// Declared with `field`: may stay unresolved.
    pub(crate) loose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShapeId(pub(crate) u32);

impl ShapeId {
    pub(crate) const EMPTY: ShapeId = ShapeId(0);
}

/// A layout.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    pub(crate) fields: Vec<FieldDesc>,
    names: Vec<Sym>,
    /// All field names, as a set of free variables.
    pub(crate) bloom: u64,
}

impl Shape {
    /// The place of a field. Instructions have a hundred of them, so some are looked at together before one is looked for.
    fn place_of(&self, name: Sym) -> Option<usize> {
        const TOGETHER: usize = 16;
        let has = |names: &&[Sym]| names.iter().fold(false, |has, &n| has | (n == name));
        let (at, names) = self.names.chunks(TOGETHER).enumerate().find(|(_, names)| has(names))?;
        Some(at * TOGETHER + names.iter().position(|&n| n == name)?)
    }
}

/// What adding all fields of one layout to another gives.
#[derive(Debug)]
pub(crate) struct Merge {
    pub(crate) shape: ShapeId,
    /// Place in the result of each field that is added.
    pub(crate) place: Box<[u16]>,
    /// Whether the result is just the added layout, field by field.
    pub(crate) plain: bool,
}

/// All layouts.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub(crate) all: Vec<Shape>,
    steps: FxHashMap<(ShapeId, FieldDesc), ShapeId>,
    merges: FxHashMap<(ShapeId, ShapeId), Arc<Merge>>,
    /// Direct-mapped: the last answers to "where is this field".
    recent: Vec<(ShapeId, Sym, u16)>,
}

const RECENT: usize = 1 << 12;

impl Shapes {
    pub(crate) fn new() -> Shapes {
        Shapes {
            all: vec![Shape::default()],
            steps: FxHashMap::default(),
            merges: FxHashMap::default(),
            recent: vec![(ShapeId(u32::MAX), Sym::NONE, 0); RECENT],
        }
    }

    pub(crate) fn get(&self, id: ShapeId) -> &Shape {
        &self.all[id.0 as usize]
    }

    /// The place of a field.
    pub(crate) fn find(&mut self, id: ShapeId, name: Sym) -> Option<usize> {
        let slot = (id.0.wrapping_mul(0x9E37_79B1) ^ name.0.wrapping_mul(0x85EB_CA6B)) as usize % RECENT;
        let (shape, sym, place) = self.recent[slot];
        if shape == id && sym == name {
            return Some(usize::from(place));
        }
        let shape = &self.all[id.0 as usize];
        if shape.bloom & name.bloom() == 0 {
            return None;
        }
        let place = shape.place_of(name)?;
        self.recent[slot] = (id, name, place as u16);
        Some(place)
    }

    /// The place of a field, without the cache.
    pub(crate) fn look(&self, id: ShapeId, name: Sym) -> Option<usize> {
        let shape = self.get(id);
        if shape.bloom & name.bloom() == 0 { None } else { shape.place_of(name) }
    }

    /// The layout with one field more.
    pub(crate) fn push(&mut self, id: ShapeId, field: FieldDesc) -> ShapeId {
        let next = ShapeId(self.all.len() as u32);
        let all = &mut self.all;
        *self.steps.entry((id, field)).or_insert_with(|| {
            let from = &all[id.0 as usize];
            let mut fields = Vec::with_capacity(from.fields.len() + 1);
            fields.extend_from_slice(&from.fields);
            fields.push(field);
            let names = fields.iter().map(|f| f.name).collect();
            all.push(Shape { fields, names, bloom: from.bloom | field.name.bloom() });
            next
        })
    }

    /// The layout with all fields of another added.
    pub(crate) fn merge(&mut self, to: ShapeId, from: ShapeId) -> Arc<Merge> {
        if let Some(merge) = self.merges.get(&(to, from)) {
            return Arc::clone(merge);
        }
        let merge = if to == ShapeId::EMPTY {
            let place = (0..self.get(from).fields.len() as u16).collect();
            Merge { shape: from, place, plain: true }
        } else {
            let mut shape = to;
            let mut place = Vec::new();
            for field in self.get(from).fields.clone() {
                let at = match self.look(shape, field.name) {
                    Some(at) => at,
                    None => {
                        shape = self.push(shape, field);
                        self.get(shape).fields.len() - 1
                    }
                };
                place.push(at as u16);
            }
            Merge { shape, place: place.into(), plain: false }
        };
        let merge = Arc::new(merge);
        self.merges.insert((to, from), Arc::clone(&merge));
        merge
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SupersId(pub(crate) u32);

impl SupersId {
    pub(crate) const NONE: SupersId = SupersId(0);
}

/// A list of superclasses, each class after its own superclasses.
#[derive(Debug, Default)]
pub(crate) struct Supers {
    pub(crate) list: Vec<RecId>,
    /// One bit for each class, by the class's number.
    set: Vec<u64>,
    /// The type of a record of these classes, once asked for.
    pub(crate) ty: Option<Ty>,
}

impl Supers {
    pub(crate) fn has(&self, class_number: u32) -> bool {
        self.set.get(class_number as usize / 64).is_some_and(|w| w >> (class_number % 64) & 1 == 1)
    }
}

/// All lists of superclasses.
#[derive(Debug)]
pub(crate) struct SuperLists {
    pub(crate) all: Vec<Supers>,
    steps: FxHashMap<(SupersId, RecId), SupersId>,
}

impl SuperLists {
    pub(crate) fn new() -> SuperLists {
        SuperLists { all: vec![Supers::default()], steps: FxHashMap::default() }
    }

    pub(crate) fn get(&self, id: SupersId) -> &Supers {
        &self.all[id.0 as usize]
    }

    /// The list with one class more.
    pub(crate) fn push(&mut self, id: SupersId, class: RecId, class_number: u32) -> SupersId {
        let next = SupersId(self.all.len() as u32);
        let all = &mut self.all;
        *self.steps.entry((id, class)).or_insert_with(|| {
            let from = &all[id.0 as usize];
            let mut list = from.list.clone();
            list.push(class);
            let mut set = from.set.clone();
            let word = class_number as usize / 64;
            if set.len() <= word {
                set.resize(word + 1, 0);
            }
            set[word] |= 1 << (class_number % 64);
            all.push(Supers { list, set, ty: None });
            next
        })
    }
}

/// What sort of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecKind {
    Def,
    /// Made without a name of its own.
    AnonymousDef,
    Class,
    MultiClass,
}

/// A template argument of a class or multiclass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TemplateArg {
    /// Qualified: `Class:arg`, `Multi::arg`.
    pub(crate) name: Sym,
    /// As it is written.
    pub(crate) plain: Sym,
    pub(crate) ty: Ty,
    pub(crate) default: Val,
    pub(crate) used: bool,
    pub(crate) loc: Loc,
}

/// What only classes and multiclasses have.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassPart {
    pub(crate) args: Vec<TemplateArg>,
    /// Number among the classes, for superclass sets.
    pub(crate) number: u32,
    /// The qualified name of the implicit argument.
    pub(crate) implicit: u32,
}

/// An assertion that is checked when the record is complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assertion {
    pub(crate) loc: Loc,
    pub(crate) condition: Val,
    pub(crate) message: Val,
    /// The condition before fields were put in, for messages.
    pub(crate) written: Val,
}

/// A message that is printed when the record is complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dump {
    pub(crate) loc: Loc,
    pub(crate) message: Val,
}

/// Assertions and dumps of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checks {
    pub(crate) assertions: Vec<Assertion>,
    pub(crate) dumps: Vec<Dump>,
}

/// A few places; hardly ever more than there is room for without memory of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locs {
    first: [Loc; 4],
    len: u8,
    more: Vec<Loc>,
}

impl Locs {
    pub(crate) fn new(loc: Loc) -> Locs {
        let mut locs = Locs::default();
        locs.push(loc);
        locs
    }

    pub(crate) fn push(&mut self, loc: Loc) {
        match self.first.get_mut(usize::from(self.len)) {
            Some(slot) => {
                *slot = loc;
                self.len += 1;
            }
            None => self.more.push(loc),
        }
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = Loc> + '_ {
        self.first.iter().take(usize::from(self.len)).chain(&self.more).copied()
    }
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) name: Val,
    pub(crate) kind: RecKind,
    pub(crate) shape: ShapeId,
    pub(crate) supers: SupersId,
    pub(crate) values: Vec<Val>,
    /// Where its fields got their values, by LLVM's rules of which assignments move them.
    pub(crate) field_locs: LastStep,
    /// Where each field's value came from, if that is recorded.
    pub(crate) origins: Vec<u32>,
    /// The definition, then the `defm` that instantiated it, outermost last.
    pub(crate) locs: Locs,
    pub(crate) class: Option<Box<ClassPart>>,
    pub(crate) checks: Option<Box<Checks>>,
}

impl Record {
    pub(crate) fn new(name: Val, loc: Loc, kind: RecKind) -> Record {
        Record {
            name,
            kind,
            shape: ShapeId::EMPTY,
            supers: SupersId::NONE,
            values: Vec::new(),
            field_locs: LastStep::NONE,
            origins: Vec::new(),
            locs: Locs::new(loc),
            class: None,
            checks: None,
        }
    }

    pub(crate) fn is_class(&self) -> bool {
        self.kind == RecKind::Class
    }

    pub(crate) fn args(&self) -> &[TemplateArg] {
        self.class.as_ref().map_or(&[], |c| &c.args)
    }

    pub(crate) fn loc(&self) -> Loc {
        self.locs.iter().next().unwrap_or(Loc::NONE)
    }
}
