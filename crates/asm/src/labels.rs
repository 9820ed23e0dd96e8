//! Which places of a stream something jumps to.

use isaglot_bits::limbs::sign_extend;
use isaglot_model::{Field, FieldType};

/// Places in a stream, counted in instructions, or in bytes where instructions differ in length.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    total: u64,
    branches: Vec<u64>,
    calls: Vec<u64>,
}

impl Targets {
    /// None, in a stream with this many places.
    #[must_use]
    pub fn new(total: u64) -> Self {
        let limbs = usize::try_from(total.div_ceil(64)).unwrap_or(0);
        Self { total, branches: vec![0; limbs], calls: vec![0; limbs] }
    }

    /// The number of places.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether something branches there.
    #[must_use]
    pub fn is_branch(&self, position: u64) -> bool {
        test(&self.branches, position)
    }

    /// Whether something calls there.
    #[must_use]
    pub fn is_call(&self, position: u64) -> bool {
        test(&self.calls, position)
    }

    /// Adds a place.
    pub fn add(&mut self, position: u64, call: bool) {
        let set = if call { &mut self.calls } else { &mut self.branches };
        if let Some(limb) = usize::try_from(position / 64).ok().and_then(|at| set.get_mut(at)) {
            *limb |= 1 << (position % 64);
        }
    }
}

fn test(set: &[u64], position: u64) -> bool {
    let limb = usize::try_from(position / 64).ok().and_then(|at| set.get(at));
    limb.is_some_and(|limb| limb >> (position % 64) & 1 == 1)
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
