//! Numbers that look random and are the same in every run (SplitMix64).

use isaglot_bits::Word;

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Any word of this width.
    pub(crate) fn word(&mut self, bits: u32) -> Word {
        let limbs: Vec<u64> = (0..bits).step_by(64).map(|_| self.next()).collect();
        Word::from_limbs(&limbs, bits)
    }
}
