//! Lines that were assembled before, and what they became.
//!
//! Programs repeat themselves: `ret`, `addi sp,sp,-16`, `mv a0,s0`. A text that depends on no symbol and no place
//! becomes the same word every time, so the word is kept with the whole text, in a table of fixed size. Of a text with a
//! symbol at its end that is not known yet, the form and the width are kept, for they are the same for every symbol.

use isaglot_bits::Word;
use isaglot_invariant::{Impossible as _, impossible};

use super::limits::{MEMO_BITS, MEMO_FIRST_BITS};

/// Bytes of text that an entry holds: with the rest of the entry, one cache line.
const TEXT: usize = 48;

/// A line and its word. An entry without a line has length 0.
#[derive(Clone, Copy, Debug)]
struct KeptLine {
    word: u64,
    /// Width of the word in bits.
    bits: u16,
    /// The width that was asked for; 0 for any.
    asked: u16,
    len: u8,
    text: [u8; TEXT],
}

const EMPTY: KeptLine = KeptLine { word: 0, bits: 0, asked: 0, len: 0, text: [0; TEXT] };

/// Lines and their words.
#[derive(Debug, Default)]
pub(super) struct Memo {
    entries: Vec<KeptLine>,
    bits: u32,
    /// Lines that were put in since it has this size.
    filled: usize,
}

/// A line to look up.
pub(super) struct Key {
    text: [u8; TEXT],
    len: u8,
    asked: u16,
    hash: u64,
}

/// What stands for the name at the end of a line that differs in nothing else.
const ANY_NAME: u8 = 1;

/// The line as a key in which the name from `at` on does not count.
pub(super) fn key_to(line: &[u8], at: usize, width: Option<u32>) -> Option<Key> {
    let mut text = [0; TEXT];
    let start = line.get(..at)?;
    text.get_mut(..at)?.copy_from_slice(start);
    *text.get_mut(at)? = ANY_NAME;
    key(text.get(..at + 1)?, width)
}

/// The line as a key, if the table may hold it.
#[inline]
pub(super) fn key(line: &[u8], width: Option<u32>) -> Option<Key> {
    let asked = u16::try_from(width.unwrap_or(0)).ok()?;
    let mut text = [0; TEXT];
    text.get_mut(..line.len()).filter(|_| !line.is_empty())?.copy_from_slice(line);
    // Eight bytes at a time; bytes after the text are 0, so equal texts have equal limbs.
    let mut hash = u64::from(asked);
    let (limbs, _) = text.as_chunks::<8>();
    for limb in limbs.iter().take(line.len().div_ceil(8)) {
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(*limb)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    Some(Key { text, len: line.len() as u8, asked, hash: hash ^ (hash >> 29) })
}

impl KeptLine {
    #[inline]
    fn is(&self, key: &Key) -> bool {
        self.len == key.len && self.asked == key.asked && self.text == key.text
    }
}

impl Memo {
    #[inline]
    fn place(&self, hash: u64) -> usize {
        (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.bits.max(1))) as usize
    }

    /// The word of a line and its width, if it is known.
    #[inline]
    pub(super) fn get(&self, key: &Key) -> Option<(u64, u32)> {
        // An entry has two places.
        let at = self.place(key.hash);
        let found = [at, at ^ 1].into_iter().filter_map(|at| self.entries.get(at)).find(|entry| entry.is(key))?;
        Some((found.word, u32::from(found.bits)))
    }

    /// Keeps the word of a line, if it is of the kind that can be kept.
    pub(super) fn put(&mut self, key: &Key, word: &Word) {
        if let Some(value) = word.to_u64() {
            self.keep(key, value, word.width());
        }
    }

    /// Keeps a value with a width for a line.
    pub(super) fn keep(&mut self, key: &Key, value: u64, bits: u32) {
        let Ok(bits) = u16::try_from(bits) else { return };
        if self.filled >= self.entries.len() && self.bits < MEMO_BITS {
            let bits = if self.entries.is_empty() { MEMO_FIRST_BITS } else { (self.bits + 3).min(MEMO_BITS) };
            let old = std::mem::replace(self, Memo { entries: vec![EMPTY; 1 << bits], bits, filled: 0 });
            for entry in old.entries.iter().filter(|entry| entry.len > 0) {
                let text = entry.text.get(..usize::from(entry.len)).or_impossible(&[]);
                let asked = Some(u32::from(entry.asked)).filter(|&asked| asked > 0);
                if let Some(key) = self::key(text, asked) {
                    self.insert(key.hash, *entry);
                }
            }
        }
        self.insert(key.hash, KeptLine { word: value, bits, asked: key.asked, len: key.len, text: key.text });
    }

    /// The new one goes to its first place, what was there to its second.
    fn insert(&mut self, hash: u64, entry: KeptLine) {
        self.filled += 1;
        let at = self.place(hash);
        let Some(first) = self.entries.get_mut(at) else { return impossible(()) };
        let old = std::mem::replace(first, entry);
        if old.len > 0
            && let Some(second) = self.entries.get_mut(at ^ 1)
        {
            *second = old;
        }
    }
}

#[cfg(test)]
mod tests {
    use isaglot_bits::Word;

    use super::{Memo, key};

    #[test]
    fn gives_back_what_was_put_in_or_nothing() {
        let mut memo = Memo::default();
        let mut hits = 0;
        for round in 0..2 {
            for n in 0..5_000u64 {
                let text = format!("addi a0,a0,{n}");
                let width = if n % 3 == 0 { Some(32) } else { None };
                let key = key(text.as_bytes(), width).expect("short");
                match memo.get(&key) {
                    Some(found) => {
                        assert_eq!(found, (n, 32));
                        hits += 1;
                    }
                    None => memo.put(&key, &Word::from_u64(n, 32)),
                }
                assert!(round == 1 || hits == 0);
            }
        }
        assert!(hits > 3_000, "{hits}");
        let absent = [key(b"addi a0,a0,3", None), key(b"addi a0,a0,1", Some(32)), key(b"addi a0,a0,", None)];
        assert!(absent.into_iter().flatten().all(|key| memo.get(&key).is_none()));
        assert!(key(b"", None).is_none() && key(&[b'a'; 49], None).is_none());
    }
}
