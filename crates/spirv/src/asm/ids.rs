//! Names of ids → numbers, in the order of first mention.
//!
//! Canonical decimal names (`%17`) index a vector; all others go through open addressing over the text itself. No name
//! is copied. Both grow with what is used and are bounded by the length of the text.

use isaglot_invariant::Impossible as _;

use super::lex::{at, is_name};

/// See the module.
#[derive(Debug)]
pub(crate) struct Ids<'t> {
    text: &'t [u8],
    /// Decimal name → id; 0 if not seen.
    numeric: Vec<u32>,
    /// Decimal names below this index the vector.
    numeric_limit: usize,
    /// Upper half: hash; lower half: index into `order` + 1; 0 if empty.
    slots: Vec<u64>,
    /// How many slots are used.
    used: usize,
    /// Where the names stand, by id from 1; with fixed numbers by the order of first mention.
    order: Vec<u32>,
    /// Numbers given in advance (second run with numeric ids kept).
    fixed: Option<Fixed>,
    /// Every name is a number and that is its id; nothing is kept.
    identity: bool,
}

/// Ids whose numbers are kept.
#[derive(Debug)]
struct Fixed {
    taken: rustc_hash::FxHashSet<u32>,
    next: u32,
    bound: u32,
    /// The ids of the names in `order`.
    ids: Vec<u32>,
}

#[inline]
fn hash(name: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let (a, b) = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (name.iter().fold(0, |a, &b| a << 8 | u64::from(b)), 0),
    };
    let mut h = (a ^ (name.len() as u64) << 57).wrapping_mul(K) ^ b.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(31);
    if name.len() > 16 {
        // The middle counts too, or names could be made that all collide.
        for chunk in name.get(8..name.len() - 8).or_impossible(&[]).chunks(8) {
            let w = chunk.iter().fold(0u64, |a, &b| a << 8 | u64::from(b));
            h = (h ^ w).wrapping_mul(K).rotate_left(23);
        }
    }
    let h = h.wrapping_mul(0xff51_afd7_ed55_8ccd);
    h ^ h >> 32
}

/// The value of a name that is a number for C++ streams with base 0.
pub(crate) fn numeric_value(name: &[u8]) -> Option<u32> {
    crate::number::integer::unsigned(name, 32).map(|v| v as u32)
}

impl<'t> Ids<'t> {
    /// A table for a text.
    pub(crate) fn new(text: &'t [u8]) -> Ids<'t> {
        Ids { slots: vec![0; 64], numeric_limit: text.len() / 4, ..Ids::identity(text) }.kept()
    }

    /// A table in which the numeric names keep their numbers, which are `taken`.
    pub(crate) fn with_fixed(text: &'t [u8], taken: rustc_hash::FxHashSet<u32>) -> Ids<'t> {
        Ids { fixed: Some(Fixed { taken, next: 1, bound: 1, ids: Vec::new() }), ..Ids::new(text) }
    }

    /// A table for a text in which all names are numbers and shall be these ids.
    pub(crate) fn identity(text: &'t [u8]) -> Ids<'t> {
        Ids {
            text,
            numeric: Vec::new(),
            numeric_limit: 0,
            slots: Vec::new(),
            used: 0,
            order: Vec::new(),
            fixed: None,
            identity: true,
        }
    }

    fn kept(self) -> Ids<'t> {
        Ids { identity: false, ..self }
    }

    /// The id of a decimal name without leading zero, whose value is `n` and whose text is `at..at + len`.
    #[inline]
    pub(crate) fn decimal(&mut self, n: u32, at: usize, len: usize) -> u32 {
        if let Some(&id) = self.numeric.get(n as usize)
            && id != 0
        {
            return id;
        }
        self.decimal_new(n, at, len)
    }

    #[cold]
    fn decimal_new(&mut self, n: u32, at: usize, len: usize) -> u32 {
        let index = n as usize;
        if index >= self.numeric_limit || self.fixed.is_some() {
            return self.named(at, len);
        }
        if index >= self.numeric.len() {
            let len = (index + 1).max(self.numeric.len() * 2).min(self.numeric_limit);
            self.numeric.resize(len, 0);
        }
        self.order.push(at as u32);
        let id = self.order.len() as u32;
        if let Some(slot) = self.numeric.get_mut(index) {
            *slot = id;
        }
        id
    }

    /// The id of any other name.
    #[inline]
    pub(crate) fn named(&mut self, from: usize, len: usize) -> u32 {
        let text = self.text;
        let name = text.get(from..from + len).or_impossible(&[]);
        let h = hash(name);
        let mask = self.slots.len().wrapping_sub(1);
        let mut i = h as usize & mask;
        loop {
            let slot = self.slots.get(i).copied().unwrap_or(0);
            if slot == 0 {
                return self.insert(h, from, len, i);
            }
            if slot >> 32 == h >> 32
                && let n = (slot as u32 as usize).wrapping_sub(1)
                && let Some(&known) = self.order.get(n)
                && let end = known as usize + len
                && text.get(known as usize..end) == Some(name)
                && !is_name(at(text, end))
            {
                return self.id(n);
            }
            i = (i + 1) & mask;
        }
    }

    /// The id of an entry of `order`.
    #[inline]
    fn id(&self, n: usize) -> u32 {
        match &self.fixed {
            None => n as u32 + 1,
            Some(fixed) => fixed.ids.get(n).copied().or_impossible(0),
        }
    }

    fn insert(&mut self, h: u64, from: usize, len: usize, slot: usize) -> u32 {
        let name = self.text.get(from..from + len).or_impossible(&[]);
        if self.identity {
            return numeric_value(name).unwrap_or(0);
        }
        if let Some(f) = &mut self.fixed {
            let id = numeric_value(name).unwrap_or_else(|| {
                while f.taken.contains(&f.next) {
                    f.next += 1;
                }
                f.taken.insert(f.next);
                f.next
            });
            f.bound = f.bound.max(id.wrapping_add(1));
            f.ids.push(id);
        }
        self.order.push(from as u32);
        let n = self.order.len();
        if let Some(s) = self.slots.get_mut(slot) {
            *s = h >> 32 << 32 | n as u64;
        }
        self.used += 1;
        if self.used * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.id(n - 1)
    }

    #[cold]
    fn grow(&mut self) {
        let len = self.slots.len() * 2;
        // The old ones go before the new ones come: everything is in the text.
        self.slots = Vec::new();
        let mut slots = vec![0u64; len];
        for n in 0..self.order.len() {
            let Name::Text { text, .. } = self.name(n) else { continue };
            let h = hash(text);
            let mut i = h as usize & (len - 1);
            while slots.get(i).is_some_and(|s| *s != 0) {
                i = (i + 1) & (len - 1);
            }
            if let Some(s) = slots.get_mut(i) {
                *s = h >> 32 << 32 | (n as u64 + 1);
            }
        }
        self.slots = slots;
    }

    /// The name of an entry of `order`.
    fn name(&self, n: usize) -> Name<'t> {
        let from = self.order.get(n).copied().or_impossible(0);
        let rest = self.text.get(from as usize..).or_impossible(&[]);
        let len = rest.iter().position(|&b| !is_name(b)).unwrap_or(rest.len());
        let text = rest.get(..len).or_impossible(&[]);
        let decimal = match text {
            [b'1'..=b'9', ..] if len <= 9 => numeric_value(text),
            _ => None,
        };
        match decimal.filter(|&d| self.numeric.get(d as usize) == Some(&(n as u32 + 1))) {
            Some(d) => Name::Decimal(d),
            None => Name::Text { at: from, text },
        }
    }

    /// The text.
    pub(super) fn text(&self) -> &'t [u8] {
        self.text
    }

    /// One more than the greatest id given.
    pub(crate) fn bound(&self) -> u32 {
        self.fixed.as_ref().map_or(self.order.len() as u32 + 1, |f| f.bound)
    }

    /// All names with their ids, in the order of first mention.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Name<'t>, u32)> + '_ {
        (0..self.order.len()).map(|n| (self.name(n), self.id(n)))
    }
}

/// The name of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name<'t> {
    /// A decimal number without leading zero.
    Decimal(u32),
    /// Any other.
    Text {
        /// Where it stands.
        at: u32,
        /// The name.
        text: &'t [u8],
    },
}

impl Name<'_> {
    /// The name as messages show it.
    pub(super) fn shown(self) -> String {
        match self {
            Name::Decimal(n) => n.to_string(),
            Name::Text { text, .. } => super::failure::shown(text).into_owned(),
        }
    }

    /// The number that the name is, if any.
    pub(crate) fn number(self) -> Option<u32> {
        match self {
            Name::Decimal(n) => Some(n),
            Name::Text { text, .. } => numeric_value(text),
        }
    }
}
