//! What was met before, all of it up to a bound: a table from hashes to items that stand close together.
//!
//! Problem: a table in which each hash has one place loses items that share one, long before it is full; to make such an item
//! again costs more than hundreds of searches. Method: small places, at most half of them in use, each with some bits of
//! the hash and the number of an item; a place that is taken is followed by the next. When there are too many items all
//! are forgotten, so that what a program uses now is kept. An item is made when its hash comes for the second time: most of
//! what a short program says comes once.

/// Items by hash.
#[derive(Clone, Debug)]
pub(crate) struct Known<T> {
    /// The upper half of the hash, and 1 + the number of the item; 0: free.
    places: Vec<u64>,
    items: Vec<T>,
    most: usize,
    /// Of the last hash that came for each place, some bits.
    met: Vec<u16>,
}

impl<T> Known<T> {
    /// Keeps at most so many items, a power of two.
    pub(crate) fn new(most: usize) -> Known<T> {
        Known { places: vec![0; 2 * most], items: Vec::new(), most, met: vec![0; 2 * most] }
    }

    /// The item with this hash that `is` it.
    #[inline]
    pub(crate) fn get(&self, hash: u64, is: impl Fn(&T) -> bool) -> Option<&T> {
        let mut at = self.first(hash);
        loop {
            let place = *self.places.get(at)?;
            if place == 0 {
                return None;
            }
            if place >> 32 == hash >> 32
                && let Some(item) = self.items.get((place as u32 - 1) as usize)
                && is(item)
            {
                return Some(item);
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }

    /// Whether a hash whose item was not found came before.
    #[inline]
    pub(crate) fn again(&mut self, hash: u64) -> bool {
        let at = self.first(hash);
        let bits = (hash >> 24) as u16 | 1;
        self.met.get_mut(at).is_some_and(|met| std::mem::replace(met, bits) == bits)
    }

    /// Keeps an item that was not found.
    pub(crate) fn keep(&mut self, hash: u64, item: T) {
        if self.items.len() == self.most {
            self.items.clear();
            self.places.fill(0);
        }
        let mut at = self.first(hash);
        while self.places.get(at).is_some_and(|place| *place != 0) {
            at = (at + 1) & (self.places.len() - 1);
        }
        self.items.push(item);
        if let Some(place) = self.places.get_mut(at) {
            *place = hash >> 32 << 32 | self.items.len() as u64;
        }
    }

    /// Where the search for a hash begins.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        // The upper bits are those that depend on all of what was hashed.
        (hash >> 40) as usize & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Known;

    #[test]
    fn finds_what_was_kept_until_there_is_too_much() {
        let mut known = Known::new(64);
        // Many begin at the same place, and some have the same hash.
        let hash = |n: u64| (n / 2 % 8) << 40 | (n / 2) << 32;
        for n in 0..64u64 {
            assert!(known.get(hash(n), |item| *item == n).is_none());
            known.keep(hash(n), n);
        }
        assert!((0..64).all(|n| known.get(hash(n), |item| *item == n) == Some(&n)));
        known.keep(hash(64), 64);
        assert!((0..64).all(|n| known.get(hash(n), |item| *item == n).is_none()));
        assert_eq!(known.get(hash(64), |item| *item == 64), Some(&64));
        assert_eq!([known.again(hash(70)), known.again(hash(70)), known.again(hash(90))], [false, true, false]);
    }
}
