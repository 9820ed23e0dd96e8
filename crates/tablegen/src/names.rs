//! Interned byte strings. Every identifier, string value and qualified name is a [`Sym`]; equal text is an equal number,
//! so nothing compares text after the lexer. TableGen strings are bytes, not UTF-8, and stay so.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use isaglot_invariant::{Impossible as _, impossible};
use rustc_hash::FxBuildHasher;

use crate::lex::token::KEYWORDS;

/// An interned byte string; [`Sym::NONE`] stands for "no name".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Sym(pub(crate) u32);

impl Sym {
    /// No name at all: an unnamed argument of a dag, say.
    pub(crate) const NONE: Sym = Sym(0);
    /// The empty string.
    pub(crate) const EMPTY: Sym = Sym(1);
    /// `NAME`, the implicit template argument.
    pub(crate) const NAME: Sym = Sym(2);
    /// The first of the words that are not identifiers; the others follow it.
    pub(crate) const FIRST_KEYWORD: Sym = Sym(3);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// The bit of this name in the set of free variables of a value.
    pub(crate) fn bloom(self) -> u64 {
        1 << (self.0.wrapping_mul(0x9E37_79B1) >> 26)
    }
}

/// The table of all names.
#[derive(Debug)]
pub(crate) struct Names {
    text: Vec<u8>,
    /// Start in `text`; the end is the next start.
    starts: Vec<u32>,
    /// Hash and name.
    table: HashTable<(u32, u32)>,
    /// Direct-mapped: short words of sources and their names, by their bytes.
    words: Vec<(u128, Sym)>,
}

/// Bytes of a short word.
const SHORT: usize = 16;

/// Places of [`Names::words`].
const WORDS: usize = 1 << 11;

impl Names {
    pub(crate) fn new() -> Names {
        let mut names = Names {
            text: Vec::new(),
            starts: vec![0, 0],
            table: HashTable::with_capacity(1 << 14),
            words: vec![(0, Sym::EMPTY); WORDS],
        };
        names.intern(b"");
        names.intern(b"NAME");
        for (word, _) in KEYWORDS {
            names.intern(word.as_bytes());
        }
        names
    }

    pub(crate) fn intern(&mut self, bytes: &[u8]) -> Sym {
        let hash = FxBuildHasher.hash_one(bytes) as u32;
        let (text, starts) = (&self.text, &self.starts);
        let same = |&(h, i): &(u32, u32)| {
            let i = i as usize;
            h == hash && text[starts[i] as usize..starts[i + 1] as usize] == *bytes
        };
        if let Some(&(_, found)) = self.table.find(spread(hash), same) {
            return Sym(found);
        }
        self.text.extend_from_slice(bytes);
        self.add_last(hash)
    }

    /// The name of one text after another.
    pub(crate) fn intern_joined(&mut self, first: Sym, second: Sym) -> Sym {
        // The text is made where it stays if it is new.
        let from = self.text.len();
        for part in [first, second] {
            let at = part.index();
            if let (Some(&start), Some(&end)) = (self.starts.get(at), self.starts.get(at + 1)) {
                self.text.extend_from_within(start as usize..end as usize);
            }
        }
        let (text, starts) = (&self.text, &self.starts);
        let Some(joined) = text.get(from..) else { return impossible(Sym::EMPTY) };
        let hash = FxBuildHasher.hash_one(joined) as u32;
        let same = |&(h, i): &(u32, u32)| {
            let i = i as usize;
            h == hash && text[starts[i] as usize..starts[i + 1] as usize] == *joined
        };
        if let Some(&(_, found)) = self.table.find(spread(hash), same) {
            self.text.truncate(from);
            return Sym(found);
        }
        self.add_last(hash)
    }

    /// Makes the text after the last name a name.
    fn add_last(&mut self, hash: u32) -> Sym {
        let id = self.starts.len() as u32 - 1;
        self.starts.push(self.text.len() as u32);
        self.table.insert_unique(spread(hash), (hash, id), |&(h, _)| spread(h));
        Sym(id)
    }

    /// The name of the first `len` bytes, of which none is 0; the bytes after them help to look at a short word at once.
    #[inline]
    pub(crate) fn intern_word(&mut self, bytes: &[u8], len: usize) -> Sym {
        let word = bytes.get(..len).or_impossible(&[]);
        let Some(first) = bytes.first_chunk::<SHORT>().filter(|_| (1..=SHORT).contains(&len)) else {
            return self.intern(word);
        };
        let key = u128::from_le_bytes(*first) & u128::MAX >> (8 * (SHORT - len));
        let mixed = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> 32) as usize % WORDS;
        match self.words.get(place) {
            Some(&(known, name)) if known == key => name,
            _ => {
                let name = self.intern(word);
                if let Some(slot) = self.words.get_mut(place) {
                    *slot = (key, name);
                }
                name
            }
        }
    }

    /// The name if it was ever interned.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<Sym> {
        let hash = FxBuildHasher.hash_one(bytes) as u32;
        let same = |&(h, i): &(u32, u32)| h == hash && self.get(Sym(i)) == bytes;
        self.table.find(spread(hash), same).map(|&(_, i)| Sym(i))
    }

    #[inline]
    pub(crate) fn get(&self, sym: Sym) -> &[u8] {
        let i = sym.index();
        match (self.starts.get(i), self.starts.get(i + 1)) {
            (Some(&from), Some(&to)) => &self.text[from as usize..to as usize],
            _ => &[],
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }
}

/// A 32-bit hash made into the 64 bits that the table wants: it takes its tag from the top and its place from the bottom.
pub(crate) fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_is_an_equal_number() {
        let mut names = Names::new();
        assert_eq!(names.intern(b""), Sym::EMPTY);
        assert_eq!(names.intern(b"NAME"), Sym::NAME);
        let a = names.intern(b"a\xff");
        assert_eq!(names.intern(b"a\xff"), a);
        assert_eq!(names.get(a), b"a\xff");
        let b = names.intern(b"b");
        let joined = names.intern_joined(a, b);
        assert_eq!(names.get(joined), b"a\xffb");
        assert_eq!(names.intern(b"a\xffb"), joined);
        assert_eq!(names.intern_joined(a, b), joined);
        assert_eq!(names.intern_joined(Sym::EMPTY, b), b);
        assert_eq!(names.find(b"nowhere"), None);
        let many: Vec<Sym> = (0..10_000).map(|i| names.intern(format!("n{i}").as_bytes())).collect();
        assert!((0..10_000).all(|i| names.find(format!("n{i}").as_bytes()) == Some(many[i])));
    }
}
