//! Loads and stores of vectors. Every access goes through the machine's own, so that translation, protection and devices are the
//! same for all instructions.
//!
//! The parts of words: `fields` is the number of fields of a segment less one; `width` is the code of the width of elements in
//! memory, or of the offsets of indexed accesses: 0, 5, 6, 7 for 8, 16, 32, 64 bits.

use super::group::{Group, Named};
use super::{Done, illegal, require};
use crate::machine::{Fault, Machine};
use crate::vector_state::{Unit, VectorAccess};

/// What an access reads or writes, and where.
#[derive(Clone, Copy)]
struct Access {
    is_store: bool,
    /// Fields of a segment.
    fields: u8,
    /// The size of an element.
    size: u8,
    /// The first register, and how many registers each field has.
    first: u8,
    step: u8,
    address: u64,
    masked: bool,
    /// Of a segment that traps nothing is loaded.
    is_whole: bool,
}

/// Where the segments are.
#[derive(Clone, Copy)]
enum Places {
    /// So many bytes from one to the next.
    Stride(u64),
    /// At offsets of this size in a group.
    Offsets(u8, u8),
}

/// The size that a code stands for.
fn size_of(width: u8) -> Result<u8, Fault> {
    match width {
        0 => Ok(0),
        5..=7 => Ok(width - 4),
        _ => Err(illegal()),
    }
}

/// Checks the registers of the fields of a segment; gives how many each field has.
fn check_fields(
    unit: &Unit,
    first: u8,
    fields: u8,
    size: u8,
    lmul: i8,
    masked: bool,
    is_store: bool,
) -> Result<u8, Fault> {
    let group = Group::new(first, size, lmul);
    let step = group.count();
    require(fields * step <= 8 && first + fields * step <= 32)?;
    let (destination, sources): (_, &[Group]) = if is_store { (None, &[group]) } else { (Some(group), &[]) };
    Named { destination, sources, masked, apart: false }.check(unit.extent.widest)?;
    if is_store && masked {
        // The mask is not data: no field begins before the first one.
        require(first != 0)?;
    }
    Ok(step)
}

impl Machine {
    fn load_element(&mut self, address: u64, size: u8) -> Result<u64, Fault> {
        let address = self.cut(address);
        Ok(match size {
            0 => self.load8(address)?.into(),
            1 => self.load16(address)?.into(),
            2 => self.load32(address)?.into(),
            _ => self.load64(address)?,
        })
    }

    fn store_element(&mut self, address: u64, size: u8, value: u64) -> Done {
        let address = self.cut(address);
        match size {
            0 => self.store8(address, value as u8),
            1 => self.store16(address, value as u16),
            2 => self.store32(address, value as u32),
            _ => self.store64(address, value),
        }
    }

    /// One segment.
    fn segment(&mut self, a: &Access, number: usize, at: u64) -> Done {
        for field in 0..a.fields {
            let address = a.address.wrapping_add(at).wrapping_add(u64::from(field) << a.size);
            let register = a.first + field * a.step;
            if a.is_store {
                let value = self.csrs.vector.get(register, number, a.size);
                self.store_element(address, a.size, value)?;
                self.note_access(a, address, value);
            } else {
                let value = self.load_element(address, a.size)?;
                self.csrs.vector.set(register, number, a.size, value);
                self.note_access(a, address, value);
            }
        }
        Ok(())
    }

    /// Keeps an access for who has asked for them.
    #[inline(always)]
    fn note_access(&mut self, a: &Access, address: u64, value: u64) {
        if self.accesses.is_some() {
            let address = self.cut(address);
            let one = VectorAccess { is_store: a.is_store, address, bits: 8 << a.size, value };
            self.accesses.as_mut().into_iter().for_each(|all| all.push(one));
        }
    }

    /// Whether a segment can be loaded, so that nothing is written of one that cannot.
    fn try_segment(&mut self, a: &Access, at: u64) -> Done {
        (0..a.fields).try_for_each(|field| {
            let address = a.address.wrapping_add(at).wrapping_add(u64::from(field) << a.size);
            self.load_element(address, a.size).map(|_| ())
        })
    }

    /// Segments from `vstart` up to so many; gives the number of the one that trapped.
    fn segments(&mut self, a: &Access, places: Places, count: usize) -> Result<(), (usize, Fault)> {
        for number in self.csrs.vector.vstart..count {
            if a.masked && !self.csrs.vector.bit(0, number) {
                continue;
            }
            let at = match places {
                Places::Stride(stride) => stride.wrapping_mul(number as u64),
                Places::Offsets(first, size) => self.csrs.vector.get(first, number, size),
            };
            if a.is_whole {
                self.try_segment(a, at).map_err(|fault| (number, fault))?;
            }
            self.segment(a, number, at).map_err(|fault| (number, fault))?;
        }
        Ok(())
    }

    fn access(&mut self, a: &Access, places: Places, count: usize) -> Done {
        match self.segments(a, places, count) {
            Ok(()) => {
                self.csrs.vector.done();
                Ok(())
            }
            // It will be run again, by itself.
            Err((_, fault)) if fault.is_alone => Err(fault),
            Err((number, fault)) => {
                self.csrs.vector.stopped(number);
                Err(fault)
            }
        }
    }

    /// Accesses that are next to each other or so many bytes apart.
    fn strided(&mut self, is_store: bool, word: [u8; 4], address: u64, stride: Option<u64>) -> Done {
        let (access, count) = self.plain(is_store, word, address)?;
        let stride = stride.unwrap_or(u64::from(access.fields) << access.size);
        self.access(&access, Places::Stride(stride), count)
    }

    /// What an access with elements of their own width is; `word` has fields, width, first register and the mask's bit.
    fn plain(&mut self, is_store: bool, word: [u8; 4], address: u64) -> Result<(Access, usize), Fault> {
        let [less_one, width, first, vm] = word;
        let unit = &self.csrs.vector;
        require(unit.is_ready())?;
        let size = size_of(width)?;
        let lmul = size as i8 - unit.size as i8 + unit.lmul;
        let (fields, masked) = (less_one + 1, vm == 0);
        let step = check_fields(unit, first, fields, size, lmul, masked, is_store)?;
        Ok((Access { is_store, fields, size, first, step, address, masked, is_whole: false }, unit.vl))
    }

    fn indexed(&mut self, is_store: bool, word: [u8; 4], address: u64, vs2: u8) -> Done {
        let [less_one, width, first, vm] = word;
        let unit = &self.csrs.vector;
        require(unit.is_ready())?;
        let offset = size_of(width)?;
        let offset_lmul = offset as i8 - unit.size as i8 + unit.lmul;
        let (fields, masked) = (less_one + 1, vm == 0);
        let step = check_fields(unit, first, fields, unit.size, unit.lmul, masked, is_store)?;
        let (data, offsets) = (Group::new(first, unit.size, unit.lmul), Group::new(vs2, offset, offset_lmul));
        if is_store {
            Named { destination: None, sources: &[data, offsets], masked, apart: false }.check(unit.extent.widest)?;
        } else {
            Named { destination: Some(data), sources: &[offsets], masked, apart: false }.check(unit.extent.widest)?;
        }
        if fields > 1 {
            // No field but the first can be where the offsets are; of a load none.
            let skip = u8::from(is_store);
            let others = first + skip * step..first + fields * step;
            let apart = others.end <= vs2 || vs2 + offsets.count() <= others.start;
            require(apart || is_store && offset == unit.size)?;
        }
        let access = Access { is_store, fields, size: unit.size, first, step, address, masked, is_whole: false };
        let count = unit.vl;
        self.access(&access, Places::Offsets(vs2, offset), count)
    }

    #[inline(never)]
    pub(crate) fn vector_load(&mut self, fields: u8, width: u8, vd: u8, address: u64, vm: u8) -> Done {
        self.strided(false, [fields, width, vd, vm], address, None)
    }

    #[inline(never)]
    pub(crate) fn vector_store(&mut self, fields: u8, width: u8, vs3: u8, address: u64, vm: u8) -> Done {
        self.strided(true, [fields, width, vs3, vm], address, None)
    }

    #[inline(never)]
    pub(crate) fn vector_load_strided(&mut self, fields: u8, width: u8, vd: u8, address: u64, by: u64, vm: u8) -> Done {
        self.strided(false, [fields, width, vd, vm], address, Some(self.widened(by)))
    }

    #[inline(never)]
    pub(crate) fn vector_store_strided(
        &mut self,
        fields: u8,
        width: u8,
        vs3: u8,
        address: u64,
        by: u64,
        vm: u8,
    ) -> Done {
        self.strided(true, [fields, width, vs3, vm], address, Some(self.widened(by)))
    }

    #[inline(never)]
    pub(crate) fn vector_load_indexed(&mut self, fields: u8, width: u8, vd: u8, address: u64, vs2: u8, vm: u8) -> Done {
        self.indexed(false, [fields, width, vd, vm], address, vs2)
    }

    #[inline(never)]
    pub(crate) fn vector_store_indexed(
        &mut self,
        fields: u8,
        width: u8,
        vs3: u8,
        address: u64,
        vs2: u8,
        vm: u8,
    ) -> Done {
        self.indexed(true, [fields, width, vs3, vm], address, vs2)
    }

    /// A load that traps at its first element only; otherwise what can be loaded becomes the length.
    #[inline(never)]
    pub(crate) fn vector_load_first(&mut self, fields: u8, width: u8, vd: u8, address: u64, vm: u8) -> Done {
        let (access, count) = self.plain(false, [fields, width, vd, vm], address)?;
        let access = Access { is_whole: true, ..access };
        let stride = u64::from(access.fields) << access.size;
        match self.segments(&access, Places::Stride(stride), count) {
            Err((0, fault)) => {
                self.csrs.vector.stopped(0);
                return Err(fault);
            }
            Err((number, _)) => self.csrs.vector.vl = number,
            Ok(()) => {}
        }
        self.csrs.vector.done();
        Ok(())
    }

    /// Bytes without a mask.
    fn bits(&mut self, is_store: bool, first: u8, address: u64) -> Done {
        let unit = &self.csrs.vector;
        require(unit.is_ready())?;
        let count = unit.vl.div_ceil(8);
        let access = Access { is_store, fields: 1, size: 0, first, step: 1, address, masked: false, is_whole: false };
        self.access(&access, Places::Stride(1), count)
    }

    #[inline(never)]
    pub(crate) fn vector_load_mask(&mut self, vd: u8, address: u64) -> Done {
        self.bits(false, vd, address)
    }

    #[inline(never)]
    pub(crate) fn vector_store_mask(&mut self, vs3: u8, address: u64) -> Done {
        self.bits(true, vs3, address)
    }

    /// Whole registers, one more than said, whatever `vtype` is.
    fn whole(&mut self, is_store: bool, [less_one, width, first]: [u8; 3], address: u64) -> Done {
        let unit = &self.csrs.vector;
        let (size, registers) = (size_of(width)?, usize::from(less_one) + 1);
        require(unit.is_on() && registers.is_power_of_two() && usize::from(first).is_multiple_of(registers))?;
        require(size <= unit.extent.widest)?;
        let count = (registers * unit.width) >> size;
        let access = Access { is_store, fields: 1, size, first, step: 1, address, masked: false, is_whole: false };
        self.access(&access, Places::Stride(1 << size), count)
    }

    #[inline(never)]
    pub(crate) fn vector_load_whole(&mut self, fields: u8, width: u8, vd: u8, address: u64) -> Done {
        self.whole(false, [fields, width, vd], address)
    }

    #[inline(never)]
    pub(crate) fn vector_store_whole(&mut self, fields: u8, width: u8, vs3: u8, address: u64) -> Done {
        self.whole(true, [fields, width, vs3], address)
    }
}
