//! Random inputs that are the same in every run.

/// A generator of pseudo-random numbers (SplitMix64). Any seed is good, 0 too.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; equal seeds give equal numbers.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Any number of 64 bits.
    pub fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Any number of 32 bits.
    pub fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    /// Any byte.
    pub fn u8(&mut self) -> u8 {
        (self.u64() >> 56) as u8
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.u64() % n.max(1)
    }

    /// A place in something of this length; 0 if it is empty.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// True half of the time.
    pub fn bool(&mut self) -> bool {
        self.one_in(2)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// The low `width` bits are random, the others 0; `width` is at most 64.
    pub fn bits(&mut self, width: u32) -> u64 {
        if width == 0 { 0 } else { self.u64() >> (64 - width.min(64)) }
    }

    /// A word of any width as limbs of 64 bits, lowest first; bits above the width are 0.
    pub fn limbs(&mut self, width: u32) -> Vec<u64> {
        (0..width).step_by(64).map(|low| self.bits((width - low).min(64))).collect()
    }

    /// So many random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.u8()).collect()
    }

    /// One of several.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        assert!(!from.is_empty(), "nothing to pick from");
        &from[self.index(from.len())]
    }

    /// So many random pieces one after the other.
    pub fn text(&mut self, pieces: &[&str], count: usize) -> String {
        (0..count).map(|_| *self.pick(pieces)).collect()
    }

    /// A changed copy: one to six times a part is removed, repeated or overwritten, a byte or a piece is inserted, or the
    /// rest is cut off. Such inputs get further into a parser than random bytes.
    pub fn mutated(&mut self, seed: &[u8], pieces: &[&str]) -> Vec<u8> {
        let mut data = seed.to_vec();
        for _ in 0..=self.index(6) {
            let at = self.index(data.len() + 1);
            let end = |length: usize, data: &[u8]| (at + length).min(data.len());
            match self.index(8) {
                0 => data.truncate(at),
                1 => data.insert(at, self.u8()),
                2 => drop(data.drain(at..end(self.index(40), &data))),
                3 => {
                    let copy = data[at..end(self.index(200), &data)].to_vec();
                    let to = self.index(data.len() + 1);
                    data.splice(to..to, copy);
                }
                4 | 5 if !pieces.is_empty() => {
                    let piece = self.pick(pieces).bytes();
                    data.splice(at..at, piece);
                }
                6 => data.iter_mut().skip(at).take(1).for_each(|b| *b ^= 1 << self.index(8)),
                _ => data.iter_mut().skip(at).take(1).for_each(|b| *b = self.u8()),
            }
        }
        data
    }
}
