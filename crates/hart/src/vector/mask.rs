//! Operations on masks, a bit for each element.

use super::group::{Group, Named};
use super::{Done, require};
use crate::machine::{Fault, Machine};

impl Machine {
    /// Bit by bit, by the low three bits of `funct6`.
    #[inline(never)]
    pub(crate) fn vector_mask(&mut self, operation: u8, vd: u8, vs2: u8, vs1: u8) -> Done {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready())?;
        for number in unit.vstart..unit.vl {
            let (a, b) = (unit.bit(vs2, number), unit.bit(vs1, number));
            let result = match operation & 7 {
                0 => a && !b,
                1 => a && b,
                2 => a || b,
                3 => a != b,
                4 => a || !b,
                5 => !(a && b),
                6 => !(a || b),
                _ => a == b,
            };
            unit.set_bit(vd, number, result);
        }
        unit.done();
        Ok(())
    }

    /// How many bits of a mask are set.
    #[inline(never)]
    pub(crate) fn vector_count(&mut self, vs2: u8, vm: u8) -> Result<u64, Fault> {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready() && unit.vstart == 0)?;
        let count = (0..unit.vl).filter(|&n| (vm == 1 || unit.bit(0, n)) && unit.bit(vs2, n)).count();
        unit.done();
        Ok(count as u64)
    }

    /// The first bit of a mask that is set, or −1.
    #[inline(never)]
    pub(crate) fn vector_find(&mut self, vs2: u8, vm: u8) -> Result<u64, Fault> {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready() && unit.vstart == 0)?;
        let found = (0..unit.vl).find(|&n| (vm == 1 || unit.bit(0, n)) && unit.bit(vs2, n));
        unit.done();
        Ok(self.cut(found.map_or(u64::MAX, |n| n as u64)))
    }

    /// The bits before the first that is set (1), that one alone (2), or all up to it (3).
    #[inline(never)]
    pub(crate) fn vector_mask_first(&mut self, which: u8, vd: u8, vs2: u8, vm: u8) -> Done {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready() && unit.vstart == 0 && vd != vs2 && (vm == 1 || vd != 0))?;
        let mut found = false;
        for number in 0..unit.vl {
            if vm == 0 && !unit.bit(0, number) {
                continue;
            }
            let is_set = unit.bit(vs2, number);
            let result = match which {
                1 => !found && !is_set,
                2 => !found && is_set,
                _ => !found,
            };
            unit.set_bit(vd, number, result);
            found |= is_set;
        }
        unit.done();
        Ok(())
    }

    /// For each element how many bits of a mask are set before it.
    #[inline(never)]
    pub(crate) fn vector_iota(&mut self, vd: u8, vs2: u8, vm: u8) -> Done {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready() && unit.vstart == 0)?;
        let to = Group::new(vd, unit.size, unit.lmul);
        let sources = &[Group::mask(vs2)];
        Named { destination: Some(to), sources, masked: vm == 0, apart: true }.check(unit.extent.widest)?;
        let mut count = 0;
        for number in 0..unit.vl {
            if vm == 0 && !unit.bit(0, number) {
                continue;
            }
            unit.set(vd, number, unit.size, count);
            count += u64::from(unit.bit(vs2, number));
        }
        unit.done();
        Ok(())
    }

    /// The number of each element.
    #[inline(never)]
    pub(crate) fn vector_number(&mut self, vd: u8, vm: u8) -> Done {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready())?;
        let to = Group::new(vd, unit.size, unit.lmul);
        Named { destination: Some(to), sources: &[], masked: vm == 0, apart: false }.check(unit.extent.widest)?;
        for number in unit.vstart..unit.vl {
            if vm == 1 || unit.bit(0, number) {
                unit.set(vd, number, unit.size, number as u64);
            }
        }
        unit.done();
        Ok(())
    }
}
