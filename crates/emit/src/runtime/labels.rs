//! Which places of a stream something jumps to.

use super::decode::sign_extend;
use super::exact::Line;
use super::out::Out;

/// Places in a stream, counted in instructions, or in bytes where instructions differ in length: one bit each.
#[derive(Debug)]
pub struct Targets<'b> {
    total: u64,
    branches: &'b mut [u64],
    calls: &'b mut [u64],
    /// Where instructions start; empty where one starts at every place.
    starts: &'b mut [u64],
}

impl<'b> Targets<'b> {
    /// For `total` places: two sets of so many bits, all 0. Places beyond the sets get no label.
    #[must_use]
    pub fn new(total: u64, branches: &'b mut [u64], calls: &'b mut [u64]) -> Self {
        Targets { total, branches, calls, starts: &mut [] }
    }

    /// With a third set, all 0, for where instructions start. It is needed where they differ in length: without it a jump
    /// into the middle of an instruction refers to a label that stands nowhere.
    #[must_use]
    pub fn with_starts(self, starts: &'b mut [u64]) -> Self {
        Targets { starts, ..self }
    }

    /// Says that an instruction starts there.
    #[inline]
    pub fn start(&mut self, position: u64) {
        set(self.starts, position);
    }

    /// The number of places.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether something branches there.
    #[inline]
    #[must_use]
    pub fn is_branch(&self, position: u64) -> bool {
        test(self.branches, position)
    }

    /// Whether something calls there.
    #[inline]
    #[must_use]
    pub fn is_call(&self, position: u64) -> bool {
        test(self.calls, position)
    }

    /// Adds a place.
    pub fn add(&mut self, position: u64, call: bool) {
        set(if call { &mut *self.calls } else { &mut *self.branches }, position);
    }
}

#[inline]
fn set(set: &mut [u64], position: u64) {
    if let Some(limb) = usize::try_from(position / 64).ok().and_then(|at| set.get_mut(at)) {
        *limb |= 1 << (position % 64);
    }
}

#[inline]
fn test(set: &[u64], position: u64) -> bool {
    let limb = usize::try_from(position / 64).ok().and_then(|at| set.get(at));
    limb.is_some_and(|limb| limb >> (position % 64) & 1 == 1)
}

/// Where a code address leads, if that is one of `total` places: from `position`, `bytes` apart.
#[must_use]
pub fn target(
    (absolute, unit): (bool, u32),
    width: u32,
    value: u64,
    (position, bytes, total): (u64, u64, u64),
) -> Option<u64> {
    let signed = sign_extend(value, width.min(64)) as i64;
    let target = if unit == 0 {
        i64::from(if absolute { value as i32 } else { (signed as i32).wrapping_add(position as i32) })
    } else {
        let base = if absolute { 0 } else { i128::from(position) * i128::from(bytes) };
        let offset = if absolute { i128::from(value) } else { i128::from(signed) };
        let address = base + offset * i128::from(unit);
        let bytes = i128::from(bytes.max(1));
        if address % bytes != 0 {
            return None;
        }
        i64::try_from(address / bytes).ok()?
    };
    u64::try_from(target).ok().filter(|&target| target < total)
}

/// Prints a code address as a label, if labels are on and an instruction of the stream is there.
pub(crate) fn print(
    (absolute, call, unit): (bool, bool, u32),
    width: u32,
    value: u64,
    line: &mut Line<'_, '_>,
    out: &mut Out<'_>,
) -> bool {
    let Some(targets) = line.targets.as_deref_mut() else { return false };
    let places = (line.position, line.place, targets.total);
    let Some(target) = target((absolute, unit), width, value, places) else { return false };
    targets.add(target, call);
    if !targets.starts.is_empty() && !test(targets.starts, target) {
        return false;
    }
    out.bytes(if call { b"fxn" } else { b"l" });
    out.unsigned(target);
    true
}
