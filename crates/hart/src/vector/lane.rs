//! What the computation of one element sees beside its operands, and the rounding of fixed point.

use crate::float::{Context, DOUBLE, Format, HALF, SINGLE};

/// What does not change from element to element, and what is collected from them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// The size of what is computed: of the result, where it is wider than the operands, and of the narrow result else.
    pub(super) size: u8,
    /// The mask's bit for operations that take it as a carry or a choice.
    pub(super) carry: bool,
    /// How fixed point is rounded.
    pub(super) vxrm: u8,
    /// Something was saturated.
    pub(super) saturated: bool,
    pub(super) float: Context,
}

/// Shifts right and rounds: to nearest up, to nearest even, down, to odd.
pub(super) fn round_off(value: i128, by: u32, vxrm: u8) -> i128 {
    if by == 0 {
        return value;
    }
    let kept = value >> by;
    let half = value >> (by - 1) & 1 == 1;
    let below = value & ((1 << (by - 1)) - 1) != 0;
    let up = match vxrm {
        0 => half,
        1 => half && (below || kept & 1 == 1),
        2 => false,
        _ => kept & 1 == 0 && (half || below),
    };
    kept + i128::from(up)
}

impl Lane {
    /// Bits of what is computed.
    pub(super) fn bits(&self) -> u32 {
        8 << self.size
    }

    /// The amount of a shift of elements of this size.
    pub(super) fn amount(&self, b: u64, size: u8) -> u32 {
        b as u32 & ((8 << size) - 1)
    }

    /// The nearest number with sign that fits.
    pub(super) fn saturate(&mut self, value: i128) -> u64 {
        let most = (1_i128 << (self.bits() - 1)) - 1;
        let result = value.clamp(-most - 1, most);
        self.saturated |= result != value;
        result as u64
    }

    /// The nearest number without sign that fits.
    pub(super) fn saturate_unsigned(&mut self, value: i128) -> u64 {
        let result = value.clamp(0, (1_i128 << self.bits()) - 1);
        self.saturated |= result != value;
        result as u64
    }

    pub(super) fn round(&self, value: i128, by: u32) -> i128 {
        round_off(value, by, self.vxrm)
    }
}

/// The format of floating point of a size.
pub(super) fn format(size: u8) -> Format {
    match size {
        1 => HALF,
        2 => SINGLE,
        _ => DOUBLE,
    }
}
