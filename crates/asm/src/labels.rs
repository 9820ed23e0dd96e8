//! Which places of a stream something jumps to.
//!
//! A *place* is an instruction number where all instructions have one length, else a byte offset. Two bits are kept for
//! each: whether something branches there, and whether something calls it. Example: in a stream of 4-byte instructions
//! `beq` at place 3 with the offset -8 in bytes (`unit` 1) marks place 1, since 3 * 4 - 8 is byte 4; with `unit` 0 an offset
//! of -2 counts instructions and marks the same.
//!
//! Where instructions differ in length a jump may lead into the middle of one. No label can stand there, so the places where
//! instructions start are kept too, and only these are called by labels.

use std::collections::BTreeMap;

use isaglot_bits::limbs::sign_extend;
use isaglot_model::{Field, FieldType};

/// Places in a stream, counted in instructions, or in bytes where instructions differ in length: two bits for each, and in
/// the second case a third.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    total: u64,
    limbs: Vec<u64>,
    /// One bit for each place where an instruction starts; `None` where one starts at every place.
    starts: Option<Vec<u64>>,
    /// What places are called instead of `l8` or `fxn8`.
    names: BTreeMap<u64, Vec<u8>>,
    /// No later than the first place after the one that was passed last: see [`Targets::pass`].
    next: u64,
}

/// Places in a limb.
const PER_LIMB: u64 = 32;

/// The bit of a place that something branches to.
const BRANCH: u64 = 1;

/// The bit of a place that something calls.
const CALL: u64 = 2;

impl Targets {
    /// None, in a stream with this many places, at each of which an instruction starts.
    #[must_use]
    pub fn new(total: u64) -> Self {
        let limbs = usize::try_from(total.div_ceil(PER_LIMB)).unwrap_or(0);
        Self { total, limbs: vec![0; limbs], starts: None, names: BTreeMap::new(), next: 0 }
    }

    /// None, in a stream with this many places, where instructions start at those that [`Targets::start`] tells.
    #[must_use]
    pub fn with_starts(total: u64) -> Self {
        let limbs = usize::try_from(total.div_ceil(u64::from(u64::BITS))).unwrap_or(0);
        Self { starts: Some(vec![0; limbs]), ..Self::new(total) }
    }

    /// Gives a place a name; of several the last stays.
    pub fn name(&mut self, position: u64, name: &[u8]) {
        self.names.insert(position, name.to_owned());
    }

    /// The name of a place.
    #[must_use]
    pub fn name_of(&self, position: u64) -> Option<&[u8]> {
        self.names.get(&position).map(Vec::as_slice)
    }

    /// Says that an instruction starts there.
    #[inline]
    pub fn start(&mut self, position: u64) {
        let starts = self.starts.as_mut();
        if let Some(limb) = starts.and_then(|s| s.get_mut(usize::try_from(position / u64::from(u64::BITS)).ok()?)) {
            *limb |= 1 << (position % u64::from(u64::BITS));
        }
    }

    /// Whether an instruction starts there, so that a label can stand before it.
    #[must_use]
    pub fn is_start(&self, position: u64) -> bool {
        let limb = |s: &Vec<u64>| s.get(usize::try_from(position / u64::from(u64::BITS)).ok()?).copied();
        let limb = self.starts.as_ref().map(limb);
        limb.is_none_or(|limb| limb.unwrap_or(0) >> (position % u64::from(u64::BITS)) & 1 != 0)
    }

    /// The number of places.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    #[inline]
    fn bits(&self, position: u64) -> u64 {
        let limb = usize::try_from(position / PER_LIMB).ok().and_then(|at| self.limbs.get(at));
        limb.map_or(0, |limb| limb >> (position % PER_LIMB * 2)) & (BRANCH | CALL)
    }

    /// Whether something branches there or calls it.
    #[inline]
    #[must_use]
    pub fn is_target(&self, position: u64) -> bool {
        self.bits(position) != 0
    }

    /// Whether something branches there.
    #[must_use]
    pub fn is_branch(&self, position: u64) -> bool {
        self.bits(position) & BRANCH != 0
    }

    /// Whether something calls there.
    #[must_use]
    pub fn is_call(&self, position: u64) -> bool {
        self.bits(position) & CALL != 0
    }

    /// Adds a place.
    #[inline]
    pub fn add(&mut self, position: u64, call: bool) {
        let limb = usize::try_from(position / PER_LIMB).ok().and_then(|at| self.limbs.get_mut(at));
        let bit = if call { CALL } else { BRANCH } << (position % PER_LIMB * 2);
        if let Some(limb) = limb
            && *limb & bit == 0
        {
            *limb |= bit;
            self.next = self.next.min(position);
        }
    }

    /// No place from the last one passed up to here is a target.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Looks for the next place after this one, for [`Targets::next`].
    pub(crate) fn pass(&mut self, position: u64) {
        self.next = position + 1;
        while self.next < self.total {
            let limb = usize::try_from(self.next / PER_LIMB).ok().and_then(|at| self.limbs.get(at));
            // The rest of the limb from this place on, two bits a place.
            let rest = limb.map_or(0, |limb| limb >> (self.next % PER_LIMB * 2));
            if rest != 0 {
                self.next += u64::from(rest.trailing_zeros() / 2);
                return;
            }
            self.next = (self.next / PER_LIMB + 1) * PER_LIMB;
        }
    }
}

/// Whether a name is one that a label without a name can have, such as `l8` or `fxn8`.
#[must_use]
pub fn is_automatic(name: &[u8]) -> bool {
    let digits = name.strip_prefix(b"fxn").or_else(|| name.strip_prefix(b"l"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// How places relate to addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Bytes from one place to the next.
    pub bytes: u64,
}

/// Where a code address leads, if that is a place in the stream: `value` is the raw value of `field` in the instruction
/// at `position`. The reference computes in C's `int`, so do we where the unit is an instruction.
#[must_use]
pub fn target(field: &Field, value: u64, position: u64, places: Places, total: u64) -> Option<(u64, bool)> {
    let FieldType::Branch { absolute, call, unit } = field.ty else { return None };
    let signed = sign_extend(value, field.width.min(64));
    let target = if unit == 0 {
        let target = if absolute { value as i32 } else { (signed as i32).wrapping_add(position as i32) };
        i64::from(target)
    } else {
        let base = if absolute { 0 } else { i128::from(position) * i128::from(places.bytes) };
        let offset = if absolute { i128::from(value) } else { i128::from(signed) };
        let address = base + offset * i128::from(unit);
        let bytes = i128::from(places.bytes.max(1));
        if address % bytes != 0 {
            return None;
        }
        i64::try_from(address / bytes).ok()?
    };
    u64::try_from(target).ok().filter(|&target| target < total).map(|target| (target, call))
}
