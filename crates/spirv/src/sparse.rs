//! A map from ids to 32-bit facts: a plain vector for the ids that a module of its size can use, a hash map for the
//! absurd ones, so that memory stays in proportion to the input. Zero means absent.

use rustc_hash::FxHashMap;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct IdMap {
    dense: Vec<u32>,
    limit: usize,
    spill: FxHashMap<u32, u32>,
}

impl IdMap {
    /// Ids below `limit` get a slot in the vector.
    pub(crate) fn new(limit: usize) -> IdMap {
        IdMap { dense: Vec::new(), limit, spill: FxHashMap::default() }
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> u32 {
        match self.dense.get(id as usize) {
            Some(&v) => v,
            None => self.get_spilled(id),
        }
    }

    #[cold]
    fn get_spilled(&self, id: u32) -> u32 {
        self.spill.get(&id).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn set(&mut self, id: u32, value: u32) {
        match self.dense.get_mut(id as usize) {
            Some(slot) => *slot = value,
            None => self.set_new(id, value),
        }
    }

    #[cold]
    fn set_new(&mut self, id: u32, value: u32) {
        let id_index = id as usize;
        if id_index >= self.limit {
            self.spill.insert(id, value);
            return;
        }
        let len = (id_index + 1).max(self.dense.len() * 2).clamp(64.min(self.limit), self.limit);
        self.dense.resize(len, 0);
        if let Some(slot) = self.dense.get_mut(id_index) {
            *slot = value;
        }
    }
}
