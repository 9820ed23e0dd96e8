//! Names of ids → numbers, in the order of first mention.
//!
//! Canonical decimal names (`%17`) index a vector; all others go through open addressing over the text itself. No name
//! is copied. Both grow with what is used and are bounded by the length of the text.

/// One named id of the hash table.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    at: u32,
    len: u32,
    id: u32,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Ids<'t> {
    text: &'t [u8],
    /// Decimal name → id; 0 if not seen.
    numeric: Vec<u32>,
    /// Decimal names below this index the vector.
    numeric_limit: usize,
    /// Upper half: hash; lower half: symbol + 1; 0 if empty.
    slots: Vec<u64>,
    symbols: Vec<Symbol>,
    /// Ids given so far.
    count: u32,
    /// Numbers given in advance (second run with numeric ids kept); sorted by nothing, looked up by value.
    fixed: Option<Fixed>,
}

/// Ids whose numbers are kept.
#[derive(Debug)]
struct Fixed {
    taken: rustc_hash::FxHashSet<u32>,
    next: u32,
    bound: u32,
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
        for chunk in name.get(8..name.len() - 8).unwrap_or(&[]).chunks(8) {
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
        Ids {
            text,
            numeric: Vec::new(),
            numeric_limit: text.len() / 4,
            slots: vec![0; 64],
            symbols: Vec::new(),
            count: 0,
            fixed: None,
        }
    }

    /// A table in which the numeric names among `names` keep their numbers.
    pub(crate) fn with_fixed(text: &'t [u8], names: impl Iterator<Item = u32>) -> Ids<'t> {
        let taken = names.collect();
        Ids { fixed: Some(Fixed { taken, next: 1, bound: 1 }), ..Ids::new(text) }
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
        self.count += 1;
        if let Some(slot) = self.numeric.get_mut(index) {
            *slot = self.count;
        }
        self.count
    }

    /// The id of any other name.
    #[inline]
    pub(crate) fn named(&mut self, at: usize, len: usize) -> u32 {
        let text = self.text;
        let name = text.get(at..at + len).unwrap_or(&[]);
        let h = hash(name);
        let mask = self.slots.len() - 1;
        let mut i = h as usize & mask;
        loop {
            let slot = self.slots.get(i).copied().unwrap_or(0);
            if slot == 0 {
                return self.insert(h, at, len, i);
            }
            if slot >> 32 == h >> 32
                && let Some(s) = self.symbols.get((slot as u32 as usize).wrapping_sub(1))
                && text.get(s.at as usize..(s.at + s.len) as usize) == Some(name)
            {
                return s.id;
            }
            i = (i + 1) & mask;
        }
    }

    fn insert(&mut self, h: u64, at: usize, len: usize, slot: usize) -> u32 {
        let name = self.text.get(at..at + len).unwrap_or(&[]);
        let id = match &mut self.fixed {
            None => {
                self.count += 1;
                self.count
            }
            Some(f) => {
                let id = numeric_value(name).unwrap_or_else(|| {
                    while f.taken.contains(&f.next) {
                        f.next += 1;
                    }
                    f.taken.insert(f.next);
                    f.next
                });
                f.bound = f.bound.max(id.wrapping_add(1));
                id
            }
        };
        self.symbols.push(Symbol { at: at as u32, len: len as u32, id });
        if let Some(s) = self.slots.get_mut(slot) {
            *s = h >> 32 << 32 | self.symbols.len() as u64;
        }
        if self.symbols.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        id
    }

    #[cold]
    fn grow(&mut self) {
        let len = self.slots.len() * 4;
        let mut slots = vec![0u64; len];
        for (n, s) in self.symbols.iter().enumerate() {
            let h = hash(self.text.get(s.at as usize..(s.at + s.len) as usize).unwrap_or(&[]));
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

    /// One more than the greatest id given.
    pub(crate) fn bound(&self) -> u32 {
        self.fixed.as_ref().map_or(self.count + 1, |f| f.bound)
    }

    /// All names with their ids: decimal ones in numeric order, then the others in order of first mention.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Name<'t>, u32)> + '_ {
        let numeric = self.numeric.iter().enumerate().filter(|(_, id)| **id != 0);
        let decimal = numeric.map(|(n, &id)| (Name::Decimal(n as u32), id));
        let text = self.text;
        let named = self
            .symbols
            .iter()
            .map(move |s| (Name::Text(text.get(s.at as usize..(s.at + s.len) as usize).unwrap_or(&[])), s.id));
        decimal.chain(named)
    }
}

/// The name of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name<'t> {
    /// A decimal number without leading zero.
    Decimal(u32),
    /// Any other.
    Text(&'t [u8]),
}

impl Name<'_> {
    /// The number that the name is, if any.
    pub(crate) fn number(self) -> Option<u32> {
        match self {
            Name::Decimal(n) => Some(n),
            Name::Text(t) => numeric_value(t),
        }
    }
}
