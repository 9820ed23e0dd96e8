//! Instructions out of a stream of bytes: how long each one is, and its limbs.
//!
//! The rules for lengths are about the first parcel, or a few more. Where all of them give little-endian words of at most 64 bits, one
//! load and a few masks say everything; everything else is put together byte by byte.

use isaglot_bits::{Pattern, Word, limbs};
use isaglot_codec::Plan;
use isaglot_model::ByteOrder;

/// Limbs that an instruction can have without its own allocation.
const INLINE_LIMBS: usize = 4;

/// An instruction from the stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fetched {
    limbs: [u64; INLINE_LIMBS],
    /// Width in bits.
    pub bits: u32,
    /// Size in bytes.
    pub size: usize,
    /// Whether its length is known; if not, this is one parcel that starts no instruction.
    pub known: bool,
    /// The whole word, where it has more limbs.
    wide: Option<Word>,
}

impl Fetched {
    /// Its limbs, the least significant first; missing ones are 0.
    #[inline]
    #[must_use]
    pub fn limbs(&self) -> &[u64] {
        match &self.wide {
            Some(word) => word.limbs(),
            None => &self.limbs,
        }
    }

    /// The same as a word.
    #[must_use]
    pub fn word(&self) -> Word {
        match &self.wide {
            Some(word) => word.clone(),
            None => Word::from_limbs(&self.limbs, self.bits),
        }
    }
}

/// A rule for the length of instructions whose first bits are so.
#[derive(Clone, Debug)]
struct Rule {
    pattern: Pattern,
    /// The pattern again, as far as a limb goes.
    value: u64,
    care: u64,
    /// Width of the instruction in bits.
    bits: u32,
    /// The bits of a word of that width, where they fit a limb.
    mask: u64,
}

/// Reads a stream of one instruction set.
#[derive(Clone, Debug)]
pub struct Fetcher {
    little: bool,
    max_bits: u32,
    parcel_bits: u32,
    /// How many of the first bits the rules look at.
    start_bits: u32,
    /// All instructions have one length.
    fixed: bool,
    /// None where all instructions have one length. In order: the first that fits counts.
    rules: Vec<Rule>,
    quick: Quick,
}

/// Which instructions can be loaded at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quick {
    /// All, and each has so many bytes.
    Fixed(usize),
    /// All whose length the rules know.
    Ruled,
    None,
}

/// Bytes of a load for [`Quick::Ruled`].
const LOAD: usize = 8;

impl Fetcher {
    /// For the lengths and the byte order of this instruction set, with the features of the plan.
    #[must_use]
    pub fn new(plan: &Plan<'_>) -> Fetcher {
        let format = plan.isa().format();
        let start_bits = format.start_bits();
        let little = format.byte_order == ByteOrder::Little;
        let mut rules = Vec::new();
        for rule in plan.lengths() {
            let (value, care) = (rule.pattern.value().low_u64(), rule.pattern.care().low_u64());
            let wide = Pattern::new(&rule.pattern.value().resized(start_bits), rule.pattern.care().resized(start_bits));
            let (pattern, mask) = (wide, limbs::mask(rule.bits.min(64)));
            rules.push(Rule { pattern, value, care, bits: rule.bits, mask });
        }
        let size = (format.max_bits / 8) as usize;
        // A load of eight bytes holds the parcel that decides and the whole instruction.
        let fixed = format.lengths.is_empty();
        let short = start_bits <= 64 && rules.iter().all(|rule| rule.bits <= 64);
        let quick = match fixed {
            true if little && matches!(size, 4 | 8 | 16) => Quick::Fixed(size),
            false if little && short => Quick::Ruled,
            _ => Quick::None,
        };
        Fetcher { little, max_bits: format.max_bits, parcel_bits: format.parcel_bits, start_bits, fixed, rules, quick }
    }

    /// The size of every instruction in bytes, if all have one that [`small`] reads.
    pub(crate) fn fixed(&self) -> Option<usize> {
        match self.quick {
            Quick::Fixed(size) => Some(size),
            Quick::Ruled | Quick::None => None,
        }
    }

    /// Whether [`Fetcher::quick`] can give anything.
    pub(crate) fn has_quick(&self) -> bool {
        self.quick != Quick::None
    }

    /// The limbs of the instruction at `at`, and its size in bytes, if one load gives it.
    #[inline(always)]
    #[must_use]
    pub fn quick(&self, bytes: &[u8], at: usize) -> Option<([u64; 2], usize)> {
        match self.quick {
            Quick::Fixed(size) => small(bytes.get(at..at + size)?).map(|limbs| (limbs, size)),
            Quick::Ruled => {
                let load = bytes.get(at..at + LOAD)?.first_chunk()?;
                let load = u64::from_le_bytes(*load);
                let rule = self.rules.iter().find(|rule| (load ^ rule.value) & rule.care == 0)?;
                Some(([load & rule.mask, 0], (rule.bits / 8) as usize))
            }
            Quick::None => None,
        }
    }

    /// The instruction that these bytes begin with; `None` if they are less than one.
    #[inline]
    #[must_use]
    pub fn next(&self, bytes: &[u8]) -> Option<Fetched> {
        let (mut bits, mut known) = (self.max_bits, true);
        if !self.fixed {
            let parcel = bytes.get(..(self.parcel_bits / 8) as usize)?;
            // Big-endian words have rules about one parcel only.
            let start = if self.little { bytes.get(..(self.start_bits / 8) as usize).unwrap_or(bytes) } else { parcel };
            let start = word_at(start, self.start_bits, self.little);
            let rule = self.rules.iter().find(|rule| rule.pattern.matches(&start));
            (bits, known) = (rule.map_or(self.parcel_bits, |rule| rule.bits), rule.is_some());
        }
        let size = (bits / 8) as usize;
        let bytes = bytes.get(..size)?;
        let mut fetched = Fetched { limbs: [0; INLINE_LIMBS], bits, size, known, wide: None };
        if !self.little || size > 8 * INLINE_LIMBS {
            let word = word_at(bytes, bits, self.little);
            match fetched.limbs.get_mut(..word.limbs().len()) {
                Some(limbs) => limbs.copy_from_slice(word.limbs()),
                None => fetched.wide = Some(word),
            }
            return Some(fetched);
        }
        let (whole, rest) = bytes.as_chunks::<8>();
        for (limb, chunk) in fetched.limbs.iter_mut().zip(whole) {
            *limb = u64::from_le_bytes(*chunk);
        }
        if !rest.is_empty()
            && let Some(limb) = fetched.limbs.get_mut(whole.len())
        {
            *limb = rest.iter().rev().fold(0, |value, &byte| (value << 8) | u64::from(byte));
        }
        Some(fetched)
    }
}

/// The limbs of a little-endian word of 4, 8 or 16 bytes.
#[inline]
pub(crate) fn small(bytes: &[u8]) -> Option<[u64; 2]> {
    if let Ok(word) = <[u8; 4]>::try_from(bytes) {
        return Some([u64::from(u32::from_le_bytes(word)), 0]);
    }
    if let Ok(word) = <[u8; 8]>::try_from(bytes) {
        return Some([u64::from_le_bytes(word), 0]);
    }
    let word = u128::from_le_bytes(<[u8; 16]>::try_from(bytes).ok()?);
    Some([word as u64, (word >> 64) as u64])
}

/// The word of these bytes.
fn word_at(bytes: &[u8], bits: u32, little: bool) -> Word {
    if little {
        return Word::from_le_bytes(bytes, bits);
    }
    let mut word = Word::zero(bits);
    for (i, &byte) in bytes.iter().rev().enumerate() {
        word.insert(8 * i as u32, 8, u64::from(byte));
    }
    word
}
