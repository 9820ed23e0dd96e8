//! What the assembler remembers about ids: which are scalar types, which values have which type, which are imports.

use rustc_hash::FxHashMap;

use crate::number::NumberType;
use crate::sparse::IdMap;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Types {
    /// Type id → entry of `numbers` + 1.
    types: IdMap,
    numbers: Vec<Option<NumberType>>,
    /// Value id → type id.
    values: IdMap,
    imports: FxHashMap<u32, Import>,
}

/// What an extended instruction import chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Import {
    /// A set of the grammar.
    Set(u8),
    /// A non-semantic set that the grammar does not know.
    Unknown,
}

/// What is known about an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    ty: u32,
    value: u32,
    import: Option<Import>,
}

impl Types {
    pub(crate) fn new(limit: usize) -> Types {
        Types {
            types: IdMap::new(limit),
            numbers: Vec::new(),
            values: IdMap::new(limit),
            imports: FxHashMap::default(),
        }
    }

    /// Records a type; false if the id is one already.
    pub(crate) fn add_type(&mut self, id: u32, number: Option<NumberType>) -> bool {
        if self.types.get(id) != 0 {
            return false;
        }
        self.numbers.push(number);
        self.types.set(id, self.numbers.len() as u32);
        true
    }

    /// Records the type of a value; the first one stays.
    #[inline]
    pub(crate) fn add_value(&mut self, id: u32, ty: u32) {
        if self.values.get(id) == 0 {
            self.values.set(id, ty);
        }
    }

    /// The number type that a type id stands for.
    pub(crate) fn number(&self, ty: u32) -> Option<NumberType> {
        let entry = (self.types.get(ty) as usize).checked_sub(1)?;
        self.numbers.get(entry).copied().flatten()
    }

    /// The number type of a value.
    pub(crate) fn number_of_value(&self, id: u32) -> Option<NumberType> {
        match self.values.get(id) {
            0 => None,
            ty => self.number(ty),
        }
    }

    /// Records an import; false if the id is one already.
    pub(crate) fn add_import(&mut self, id: u32, import: Import) -> bool {
        self.imports.insert(id, import).is_none()
    }

    /// All that is known about an id.
    pub(crate) fn about(&self, id: u32) -> About {
        About { ty: self.types.get(id), value: self.values.get(id), import: self.import(id) }
    }

    /// Takes back what was said about an id since.
    pub(crate) fn restore(&mut self, id: u32, before: About) {
        if self.types.get(id) != before.ty {
            self.types.set(id, before.ty);
        }
        if self.values.get(id) != before.value {
            self.values.set(id, before.value);
        }
        match before.import {
            Some(import) => drop(self.imports.insert(id, import)),
            None => drop(self.imports.remove(&id)),
        }
    }

    /// What an import id chose.
    pub(crate) fn import(&self, id: u32) -> Option<Import> {
        self.imports.get(&id).copied()
    }
}
