//! A set of byte strings, asked for every member that a text begins with.
//!
//! Used for mnemonics, enum texts, register and custom names. Bytes are first mapped to the few classes that the set
//! distinguishes, so that a node is a short row of one table and a step is two loads.
//!
//! Example: the set `add`, `and`, `add.f` has the bytes `a d n . f`, which are the classes 1 to 5; all other bytes are class
//! 0. The table has six columns, and a row for the start and for each of `a`, `ad`, `an`, `add`, `and`, `add.`, `add.f`.
//! Asked for `add.x`, the walk takes `a`, `d`, `d` (where `add` is found) and `.`; `x` is class 0, so it ends.

use isaglot_invariant::Impossible as _;

/// Maps byte strings to numbers; one string may have several.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie {
    /// Byte to class; class 0 is "in no string".
    classes: Vec<u16>,
    /// Number of classes, 0 included.
    width: usize,
    /// Row per node: class to node, 0 for none.
    next: Vec<u32>,
    /// Per node: range of `values`.
    ends: Vec<(u32, u32)>,
    values: Vec<u32>,
}

impl Trie {
    /// The set of these strings. Of equal strings the values are kept in order.
    pub(crate) fn new<'s>(entries: impl IntoIterator<Item = (&'s [u8], u32)>) -> Trie {
        let entries: Vec<(&[u8], u32)> = entries.into_iter().collect();
        let mut classes = vec![0u16; 256];
        let mut width = 1usize;
        for &byte in entries.iter().flat_map(|(text, _)| *text) {
            let class = &mut classes[byte as usize];
            if *class == 0 {
                *class = width as u16;
                width += 1;
            }
        }
        let mut trie = Trie { classes, width, next: vec![0; width], ends: Vec::new(), values: Vec::new() };
        let mut lists: Vec<Vec<u32>> = vec![Vec::new()];
        for (text, value) in entries {
            let mut node = 0usize;
            for &byte in text {
                let cell = node * width + trie.classes[byte as usize] as usize;
                if trie.next[cell] == 0 {
                    trie.next[cell] = lists.len() as u32;
                    trie.next.resize(trie.next.len() + width, 0);
                    lists.push(Vec::new());
                }
                node = trie.next[cell] as usize;
            }
            lists[node].push(value);
        }
        for list in lists {
            let from = trie.values.len() as u32;
            trie.values.extend(list);
            trie.ends.push((from, trie.values.len() as u32));
        }
        trie
    }

    /// Calls `found` with the length and the values of every beginning of `text` that is one of a member, shorter ones
    /// first. There are no values where it is no member itself.
    #[inline(always)]
    fn walk(&self, text: &[u8], mut found: impl FnMut(usize, &[u32])) {
        let mut node = 0usize;
        let mut len = 0usize;
        loop {
            if let Some(&(from, to)) = self.ends.get(node) {
                found(len, self.values.get(from as usize..to as usize).or_impossible(&[]));
            }
            let Some(&byte) = text.get(len) else { return };
            let class = self.classes.get(byte as usize).copied().or_impossible(0) as usize;
            if class == 0 {
                return;
            }
            node = self.next.get(node * self.width + class).copied().or_impossible(0) as usize;
            if node == 0 {
                return;
            }
            len += 1;
        }
    }

    /// Calls `found` with the length and value of every member that `text` begins with, shorter ones first.
    #[inline]
    pub(crate) fn prefixes(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        self.walk(text, |len, values| values.iter().for_each(|&value| found(len, value)));
    }

    /// The longest member that `text` begins with: its length, its last value, and whether there is any other.
    #[inline]
    pub(crate) fn longest(&self, text: &[u8]) -> Option<(usize, u32, bool)> {
        let mut found: Option<(usize, u32)> = None;
        let mut others = false;
        self.walk(text, |len, values| {
            if let Some(&value) = values.last() {
                others |= found.is_some() || values.len() > 1;
                found = Some((len, value));
            }
        });
        found.map(|(len, value)| (len, value, others))
    }

    /// The bytes with which members begin.
    pub(crate) fn first_bytes(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255u8).filter(|&byte| {
            let class = self.classes.get(byte as usize).copied().or_impossible(0) as usize;
            class != 0 && self.next.get(class).copied().or_impossible(0) != 0
        })
    }

    /// Whether the empty string is a member.
    pub(crate) fn has_empty(&self) -> bool {
        self.ends.first().is_some_and(|(from, to)| from != to)
    }
}

#[cfg(test)]
mod tests {
    use super::Trie;

    #[test]
    fn finds_every_prefix() {
        let trie = Trie::new([(&b"br"[..], 1), (b"brac", 2), (b"", 3), (b"br", 4), (b"x", 5)]);
        let all = |text: &[u8]| {
            let mut found = Vec::new();
            trie.prefixes(text, |len, value| found.push((len, value)));
            found
        };
        assert_eq!(all(b"brac.3"), [(0, 3), (2, 1), (2, 4), (4, 2)]);
        assert_eq!(all(b"q"), [(0, 3)]);
        assert_eq!(trie.longest(b"brac.3"), Some((4, 2, true)));
        assert_eq!(trie.longest(b"bra"), Some((2, 4, true)));
        assert_eq!(trie.longest(b"q"), Some((0, 3, false)));
        assert!(trie.has_empty());
        assert_eq!(trie.first_bytes().collect::<Vec<_>>(), [b'b', b'x']);
    }
}
