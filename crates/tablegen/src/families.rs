//! Which records are of a class.
//!
//! The problem: a back end asks for the records of dozens of classes, and each time a hundred thousand records would be looked at. The
//! method: records with the same list of superclasses are a family, of which there are a few hundred; whether a class is among
//! the superclasses is asked once for each. Families are made when they are asked for first: the records do not change any more then.

use crate::record::{RecId, SupersId};
use crate::store::Store;

/// The families of the records that are not classes.
#[derive(Debug)]
pub(crate) struct Families {
    /// The superclasses, and the places of the records in the order in which they were finished.
    list: Vec<(SupersId, Vec<u32>)>,
}

impl Families {
    pub(crate) fn new(store: &Store) -> Families {
        let mut list: Vec<(SupersId, Vec<u32>)> = Vec::new();
        let mut known: Vec<Option<usize>> = vec![None; store.supers.all.len()];
        for (&id, place) in store.defs.iter().zip(0u32..) {
            let supers = store.rec(id).supers;
            let Some(at) = known.get_mut(supers.0 as usize) else { continue };
            let at = *at.get_or_insert_with(|| {
                list.push((supers, Vec::new()));
                list.len() - 1
            });
            if let Some((_, places)) = list.get_mut(at) {
                places.push(place);
            }
        }
        Families { list }
    }

    /// The records of a class, in the order in which they were finished.
    pub(crate) fn of(&self, store: &Store, class: RecId) -> Vec<RecId> {
        let number = store.class_number(class);
        // The places of all, as a set of bits: it is in their order.
        let mut set = vec![0u64; store.defs.len().div_ceil(64)];
        for (_, places) in self.list.iter().filter(|(supers, _)| store.supers.get(*supers).has(number)) {
            for &place in places {
                if let Some(word) = set.get_mut(place as usize / 64) {
                    *word |= 1 << (place % 64);
                }
            }
        }
        let mut found = Vec::new();
        for (word, first) in set.into_iter().zip((0usize..).step_by(64)) {
            let mut rest = word;
            while rest != 0 {
                found.extend(store.defs.get(first + rest.trailing_zeros() as usize).copied());
                rest &= rest - 1;
            }
        }
        found
    }
}
