//! What moves elements: slides, gathers, compression, and moves of one element or of whole registers.

use super::group::{Group, Named};
use super::{Done, require};
use crate::float_unit::Float;
use crate::machine::{Fault, Machine};
use crate::vector_state::{Unit, sign_extend};

/// Checks groups as wide as `vtype` says.
fn check(unit: &Unit, vd: u8, vs2: u8, vm: u8, apart: bool) -> Done {
    require(unit.is_ready())?;
    let group = |first| Group::new(first, unit.size, unit.lmul);
    let sources = &[group(vs2)];
    Named { destination: Some(group(vd)), sources, masked: vm == 0, apart }.check(unit.extent.widest)
}

/// Illegal unless floating point of the size of `vtype` is there.
fn check_float(unit: &Unit, float: &Float) -> Done {
    require(unit.is_ready() && unit.extent.floats >> unit.size & 1 == 1 && float.trouble().is_none())
}

/// A number of floating point in a register, as an element: what does not have ones above it is a NaN.
pub(super) fn unboxed(value: u64, size: u8) -> u64 {
    let (above, nan) = match size {
        1 => (u64::MAX << 16, 0x7e00),
        2 => (u64::MAX << 32, 0x7fc0_0000),
        _ => return value,
    };
    if value & above == above { value & !above } else { nan }
}

impl Unit {
    /// Whether an element is computed.
    #[inline(always)]
    fn is_active(&self, vm: u8, number: usize) -> bool {
        vm == 1 || self.bit(0, number)
    }

    /// The element of a number, 0 beyond the group.
    fn element(&self, first: u8, number: u64) -> u64 {
        if number < self.vlmax() as u64 { self.get(first, number as usize, self.size) } else { 0 }
    }
}

impl Machine {
    #[inline(never)]
    pub(crate) fn vector_slide_up(&mut self, vd: u8, vs2: u8, by: u64, vm: u8) -> Done {
        let unit = &mut self.csrs.vector;
        check(unit, vd, vs2, vm, true)?;
        let first = unit.vstart.max(usize::try_from(by).unwrap_or(usize::MAX));
        for number in first..unit.vl.max(first) {
            if unit.is_active(vm, number) {
                unit.set(vd, number, unit.size, unit.get(vs2, number - by as usize, unit.size));
            }
        }
        unit.done();
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn vector_slide_down(&mut self, vd: u8, vs2: u8, by: u64, vm: u8) -> Done {
        let unit = &mut self.csrs.vector;
        check(unit, vd, vs2, vm, false)?;
        for number in unit.vstart..unit.vl {
            if unit.is_active(vm, number) {
                let value = unit.element(vs2, by.saturating_add(number as u64));
                unit.set(vd, number, unit.size, value);
            }
        }
        unit.done();
        Ok(())
    }

    fn slide_one_up(&mut self, vd: u8, vs2: u8, value: u64, vm: u8) -> Done {
        let unit = &mut self.csrs.vector;
        check(unit, vd, vs2, vm, true)?;
        for number in unit.vstart..unit.vl {
            if unit.is_active(vm, number) {
                let value = if number == 0 { value } else { unit.get(vs2, number - 1, unit.size) };
                unit.set(vd, number, unit.size, value);
            }
        }
        unit.done();
        Ok(())
    }

    fn slide_one_down(&mut self, vd: u8, vs2: u8, value: u64, vm: u8) -> Done {
        let unit = &mut self.csrs.vector;
        check(unit, vd, vs2, vm, false)?;
        for number in unit.vstart..unit.vl {
            if unit.is_active(vm, number) {
                let value = if number + 1 == unit.vl { value } else { unit.get(vs2, number + 1, unit.size) };
                unit.set(vd, number, unit.size, value);
            }
        }
        unit.done();
        Ok(())
    }

    /// A register's number as an element of 64 bits.
    pub(super) fn widened(&self, value: u64) -> u64 {
        if self.xlen == 32 { sign_extend(value, 2) } else { value }
    }

    #[inline(never)]
    pub(crate) fn vector_slide1_up(&mut self, vd: u8, vs2: u8, value: u64, vm: u8) -> Done {
        self.slide_one_up(vd, vs2, self.widened(value), vm)
    }

    #[inline(never)]
    pub(crate) fn vector_slide1_down(&mut self, vd: u8, vs2: u8, value: u64, vm: u8) -> Done {
        self.slide_one_down(vd, vs2, self.widened(value), vm)
    }

    #[inline(never)]
    pub(crate) fn vector_slide1_up_float(&mut self, vd: u8, vs2: u8, value: u64, vm: u8) -> Done {
        check_float(&self.csrs.vector, &self.csrs.float)?;
        self.slide_one_up(vd, vs2, unboxed(value, self.csrs.vector.size), vm)
    }

    #[inline(never)]
    pub(crate) fn vector_slide1_down_float(&mut self, vd: u8, vs2: u8, value: u64, vm: u8) -> Done {
        check_float(&self.csrs.vector, &self.csrs.float)?;
        self.slide_one_down(vd, vs2, unboxed(value, self.csrs.vector.size), vm)
    }

    /// Elements by the numbers of another group, as wide as these or of 16 bits.
    #[inline(never)]
    pub(crate) fn vector_gather(&mut self, short: u8, vd: u8, vs2: u8, vs1: u8, vm: u8) -> Done {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready())?;
        let (size, lmul) = if short == 1 { (1, 1 - unit.size as i8 + unit.lmul) } else { (unit.size, unit.lmul) };
        let group = |first| Group::new(first, unit.size, unit.lmul);
        let sources = &[group(vs2), Group::new(vs1, size, lmul)];
        Named { destination: Some(group(vd)), sources, masked: vm == 0, apart: true }.check(unit.extent.widest)?;
        for number in unit.vstart..unit.vl {
            if unit.is_active(vm, number) {
                let value = unit.element(vs2, unit.get(vs1, number, size));
                unit.set(vd, number, unit.size, value);
            }
        }
        unit.done();
        Ok(())
    }

    /// One element everywhere.
    #[inline(never)]
    pub(crate) fn vector_gather_one(&mut self, vd: u8, vs2: u8, which: u64, vm: u8) -> Done {
        let unit = &mut self.csrs.vector;
        check(unit, vd, vs2, vm, true)?;
        let value = unit.element(vs2, which);
        for number in unit.vstart..unit.vl {
            if unit.is_active(vm, number) {
                unit.set(vd, number, unit.size, value);
            }
        }
        unit.done();
        Ok(())
    }

    /// The elements whose bit is set, one after the other.
    #[inline(never)]
    pub(crate) fn vector_compress(&mut self, vd: u8, vs2: u8, vs1: u8) -> Done {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready() && unit.vstart == 0)?;
        let group = |first| Group::new(first, unit.size, unit.lmul);
        let sources = &[group(vs2), Group::mask(vs1)];
        Named { destination: Some(group(vd)), sources, masked: false, apart: true }.check(unit.extent.widest)?;
        let mut to = 0;
        for number in 0..unit.vl {
            if unit.bit(vs1, number) {
                unit.set(vd, to, unit.size, unit.get(vs2, number, unit.size));
                to += 1;
            }
        }
        unit.done();
        Ok(())
    }

    /// The first element, with its sign.
    #[inline(never)]
    pub(crate) fn vector_first(&mut self, vs2: u8) -> Result<u64, Fault> {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready())?;
        let value = sign_extend(unit.get(vs2, 0, unit.size), unit.size);
        unit.done();
        Ok(self.cut(value))
    }

    fn set_first(&mut self, vd: u8, value: u64) -> Done {
        let unit = &mut self.csrs.vector;
        if unit.vstart < unit.vl {
            unit.set(vd, 0, unit.size, value);
        }
        unit.done();
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn vector_set_first(&mut self, vd: u8, value: u64) -> Done {
        require(self.csrs.vector.is_ready())?;
        self.set_first(vd, self.widened(value))
    }

    /// The first element as a number of floating point, with ones above it.
    #[inline(never)]
    pub(crate) fn vector_first_float(&mut self, vs2: u8) -> Result<u64, Fault> {
        check_float(&self.csrs.vector, &self.csrs.float)?;
        let unit = &mut self.csrs.vector;
        let value = unit.get(vs2, 0, unit.size);
        let above = if unit.size == 3 { 0 } else { u64::MAX << (8 << unit.size) };
        unit.done();
        Ok(value | above)
    }

    #[inline(never)]
    pub(crate) fn vector_set_first_float(&mut self, vd: u8, value: u64) -> Done {
        check_float(&self.csrs.vector, &self.csrs.float)?;
        self.set_first(vd, unboxed(value, self.csrs.vector.size))
    }

    /// Copies whole registers: one more than said.
    #[inline(never)]
    pub(crate) fn vector_copy(&mut self, less_one: u8, vd: u8, vs2: u8) -> Done {
        let unit = &mut self.csrs.vector;
        require(unit.is_ready())?;
        let count = usize::from(less_one) + 1;
        require(count.is_power_of_two() && usize::from(vd | vs2).is_multiple_of(count))?;
        let elements = (count * unit.width) >> unit.size;
        for number in unit.vstart..elements.max(unit.vstart) {
            unit.set(vd, number, unit.size, unit.get(vs2, number, unit.size));
        }
        unit.done();
        Ok(())
    }
}
