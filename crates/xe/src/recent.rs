//! What was met before: a table of bounded size that programs which repeat themselves find their instructions in.
//!
//! A small table says which hashes were met, so that what is new costs little and the caller can leave it until it comes again.
//! Each hash has two places. What was found since it was last in the way stays when something else comes; so a program
//! that goes round in a circle too large for the table still finds most of it, and one that repeats nothing replaces
//! everything. Invariant: what is found is what the caller said equals its key, never what merely has the same hash.

use crate::limits::{KEPT_LINES, MET_LINES};

/// Items by hash.
pub(crate) struct Recent<T> {
    table: Vec<Option<Entry<T>>>,
    /// Of the last two hashes that were met for each place, some bits.
    met: Vec<u32>,
}

/// Whether an item was met before.
pub(crate) enum Met<'t, T> {
    /// Never, or long ago.
    New,
    /// It was, but is not kept.
    Again,
    /// It is kept.
    Kept(&'t T),
}

#[derive(Clone, Copy)]
struct Entry<T> {
    item: T,
    /// Found again since it was last in the way.
    found: bool,
}

impl<T: Copy> Recent<T> {
    pub(crate) fn new() -> Recent<T> {
        Recent { table: vec![None; KEPT_LINES], met: vec![0; MET_LINES] }
    }

    /// The item with this hash that `is` it.
    #[inline]
    pub(crate) fn get(&mut self, hash: u64, is: impl Fn(&T) -> bool) -> Met<'_, T> {
        let Some(met) = self.met.get_mut((hash >> (64 - MET_LINES.trailing_zeros())) as usize) else { return Met::New };
        // These bits are not those that a place is made of.
        let bits = (hash >> 32) as u16;
        let [last, other] = [*met as u16, (*met >> 16) as u16];
        if last != bits {
            *met = u32::from(last) << 16 | u32::from(bits);
            if other != bits {
                return Met::New;
            }
        }
        self.kept(hash, is).map_or(Met::Again, Met::Kept)
    }

    #[inline]
    fn kept(&mut self, hash: u64, is: impl Fn(&T) -> bool) -> Option<&T> {
        let pair = self.table.get_mut(place(hash)..)?.first_chunk_mut::<2>()?;
        let [first, second] = pair;
        let entry = match first {
            Some(e) if is(&e.item) => e,
            _ => second.as_mut().filter(|e| is(&e.item))?,
        };
        entry.found = true;
        Some(&entry.item)
    }

    /// Keeps an item that was not found, unless both its places are in use.
    pub(crate) fn put(&mut self, hash: u64, item: T) {
        let Some(pair) = self.table.get_mut(place(hash)..).and_then(|t| t.first_chunk_mut::<2>()) else { return };
        let new = Some(Entry { item, found: false });
        if let Some(free) = pair.iter_mut().find(|place| place.is_none()) {
            *free = new;
            return;
        }
        for place in pair {
            match place {
                Some(entry) if entry.found => entry.found = false,
                _ => {
                    *place = new;
                    return;
                }
            }
        }
    }
}

/// The first of the two places of a hash.
#[inline]
fn place(hash: u64) -> usize {
    (hash >> (64 - KEPT_LINES.trailing_zeros())) as usize & !1
}

const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of a word.
#[inline]
pub(crate) fn hash_word(word: u128) -> u64 {
    let low = (word as u64).wrapping_mul(SPREAD);
    (low.rotate_left(29) ^ (word >> 64) as u64).wrapping_mul(SPREAD)
}

/// The hash of a text.
#[inline]
pub(crate) fn hash_text(text: &[u8]) -> u64 {
    let mix = |hash: u64, bytes: [u8; 8]| (hash.rotate_left(23) ^ u64::from_le_bytes(bytes)).wrapping_mul(SPREAD);
    let (mut even, mut odd) = (text.len() as u64, SPREAD);
    let (pairs, rest) = text.as_chunks::<16>();
    // Two at a time: the processor need not wait for one product before it begins the other.
    for pair in pairs {
        let [a, b, c, d, e, f, g, h, rest @ ..] = *pair;
        even = mix(even, [a, b, c, d, e, f, g, h]);
        odd = mix(odd, rest);
    }
    // The end, some of it again; a shorter text with zeros.
    let mut last = [0; 16];
    match text.last_chunk::<16>() {
        Some(end) => last = *end,
        None => last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from),
    }
    let [a, b, c, d, e, f, g, h, rest @ ..] = last;
    even = mix(even, [a, b, c, d, e, f, g, h]);
    odd = mix(odd, rest);
    (even.rotate_left(32) ^ odd).wrapping_mul(SPREAD)
}

#[cfg(test)]
mod tests {
    use super::{Met, Recent, hash_text, hash_word};
    use crate::limits::KEPT_LINES;

    #[test]
    fn finds_what_was_put_in_or_nothing() {
        let mut recent = Recent::new();
        let mut hits = 0;
        let circle = KEPT_LINES as u64;
        for n in (0..circle).cycle().take(circle as usize * 5) {
            let hash = hash_word(u128::from(n) << 40);
            match recent.get(hash, |m| *m == n) {
                Met::Kept(found) => {
                    assert_eq!(*found, n);
                    hits += 1;
                }
                Met::Again => recent.put(hash, n),
                Met::New => {}
            }
        }
        // As many as the table has places, so that some are in the way of others: most are found in the rounds after
        // the second.
        assert!(hits > KEPT_LINES, "{hits}");
        assert!(!matches!(recent.get(hash_word(1), |_| false), Met::Kept(_)));
    }

    #[test]
    fn texts_that_differ_anywhere_have_other_hashes() {
        let text = b"(W)     mov (16|M0)               r4.0<1>:ud    0x0:ud";
        for length in 0..text.len() {
            let text = &text[..length];
            let hash = hash_text(text);
            for at in 0..length {
                let mut other = text.to_vec();
                other[at] ^= 1;
                assert_ne!(hash_text(&other), hash, "{length} {at}");
            }
            assert_ne!(hash_text(&[text, b"\0"].concat()), hash);
        }
    }
}
