//! Operations on groups of elements: those of cryptography, which work on four or eight words at once.
//!
//! What the specification reserves is illegal: elements of another width, a `vl` or `vstart` that is not whole groups, register groups
//! too short for one, and a destination that is a source where the instruction does not allow it.

use super::group::{Group, Named};
use super::{Done, cipher, hash, illegal, require};
use crate::machine::Machine;

/// The elements of a group; of four, the first ones.
pub(super) type Block = [u64; 8];

/// What an operation works on.
pub(super) struct Words<'a> {
    /// From `vd` as it was, from `vs2`, and from `vs1`.
    pub(super) d: &'a Block,
    pub(super) a: &'a Block,
    pub(super) b: &'a Block,
    /// The bits of the word in which `vs1` is: a number.
    pub(super) third: u8,
    /// Elements have 64 bits.
    pub(super) is_wide: bool,
}

type Compute = fn(&Words<'_>) -> Option<Block>;

/// An operation.
struct Row {
    /// Elements of a group.
    count: usize,
    /// `vs1` is a register.
    takes_third: bool,
    /// There is one group of `vs2` for all, which is not written.
    is_single: bool,
    /// The destination is not `vs2`, and not `vs1`.
    apart: (bool, bool),
    /// Elements may have 64 bits.
    may_be_wide: bool,
    compute: Compute,
}

const ROW: Row = Row {
    count: 4,
    takes_third: false,
    is_single: false,
    apart: (false, false),
    may_be_wide: false,
    compute: |_| None,
};
const SHA: Row = Row { takes_third: true, apart: (true, true), may_be_wide: true, ..ROW };
const SM3: Row = Row { count: 8, apart: (true, false), ..ROW };

/// The operation with this `funct6`.
fn row(funct6: u8) -> Option<Row> {
    Some(match funct6 {
        0b10_0000 => Row { takes_third: true, compute: |w| Some(hash::sm3_expansion(w)), ..SM3 },
        0b10_0001 => Row { compute: |w| Some(cipher::sm4_keys(w)), ..ROW },
        0b10_0010 => Row { compute: |w| Some(cipher::aes_key_128(w)), ..ROW },
        0b10_1000 => Row { compute: one, ..ROW },
        0b10_1001 => Row { is_single: true, apart: (true, false), compute: one, ..ROW },
        0b10_1010 => Row { compute: |w| Some(cipher::aes_key_256(w)), ..ROW },
        0b10_1011 => Row { compute: |w| Some(hash::sm3_rounds(w)), ..SM3 },
        0b10_1100 => Row { takes_third: true, compute: |w| Some(cipher::ghash(w, Some(w.b))), ..ROW },
        0b10_1101 => Row { compute: |w| Some(hash::schedule(w)), ..SHA },
        0b10_1110 => Row { compute: |w| Some(hash::rounds(w, [w.b[2], w.b[3]])), ..SHA },
        0b10_1111 => Row { compute: |w| Some(hash::rounds(w, [w.b[0], w.b[1]])), ..SHA },
        _ => return None,
    })
}

/// Those that the number in place of `vs1` tells apart.
fn one(w: &Words<'_>) -> Option<Block> {
    match w.third {
        16 => Some(cipher::sm4_rounds(w)),
        17 => Some(cipher::ghash(w, None)),
        which => cipher::aes(which, w),
    }
}

impl Machine {
    /// Runs an operation of cryptography, by its `funct6`.
    #[inline(never)]
    pub(crate) fn vector_group(&mut self, funct6: u8, vd: u8, vs2: u8, third: u8) -> Done {
        let row = row(funct6).ok_or(illegal())?;
        let unit = &mut self.csrs.vector;
        require(unit.is_ready())?;
        let (size, lmul, count) = (unit.size, unit.lmul, row.count);
        let is_wide = size == 3;
        require(size == 2 || is_wide && row.may_be_wide && unit.extent.hashes_wide)?;
        require(unit.most(size, lmul) >= count)?;
        require(unit.vl.is_multiple_of(count) && unit.vstart.is_multiple_of(count))?;
        // One group may be several registers, if these are short.
        let registers = (count << size).div_ceil(unit.width.max(1)).next_power_of_two();
        let single = Group::new(vs2, size, registers.trailing_zeros() as i8);
        let (d, b) = (Group::new(vd, size, lmul), Group::new(third, size, lmul));
        let a = if row.is_single { single } else { Group::new(vs2, size, lmul) };
        let check = |sources: &[Group], apart| {
            Named { destination: Some(d), sources, masked: false, apart }.check(unit.extent.widest)
        };
        check(&[a], row.apart.0)?;
        if row.takes_third {
            check(&[b], row.apart.1)?;
        }
        for group in unit.vstart / count..unit.vl / count {
            let read = |first: u8, group: usize| -> Block {
                std::array::from_fn(|at| if at < count { unit.get(first, group * count + at, size) } else { 0 })
            };
            let a = read(vs2, if row.is_single { 0 } else { group });
            let b = if row.takes_third { read(third, group) } else { Block::default() };
            let words = Words { d: &read(vd, group), a: &a, b: &b, third, is_wide };
            let result = (row.compute)(&words).ok_or(illegal())?;
            for (at, &value) in result.iter().enumerate().take(count) {
                unit.set(vd, group * count + at, size, value);
            }
        }
        unit.done();
        Ok(())
    }
}
