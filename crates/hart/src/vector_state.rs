//! Registers and control registers of vectors, and how `vtype` is read.
//!
//! A size is the power of two of an element's bytes: 0 for 8 bits, 3 for 64. `lmul` is the power of two of the registers of a
//! group: −3 for an eighth, 3 for eight. Invariant: where `vill` is not set, both are as `vtype` says, and `vl` is at most what
//! fits the group.

use crate::Cause;
use crate::limits::{MAX_VLEN, MIN_VLEN};

/// As after a reset.
const INITIAL: u8 = 1;
/// Written since somebody said that it is clean.
const DIRTY: u8 = 3;

const VSTART: u16 = 0x008;
const VXSAT: u16 = 0x009;
const VXRM: u16 = 0x00a;
const VCSR: u16 = 0x00f;
const VL: u16 = 0xc20;
const VTYPE: u16 = 0xc21;
const VLENB: u16 = 0xc22;

/// What a machine has of vectors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    /// There are vectors.
    pub(crate) there: bool,
    /// The size of the widest elements.
    pub(crate) widest: u8,
    /// Sizes of floating point that can be computed with, a bit each.
    pub(crate) floats: u8,
    /// SHA-512 is there.
    pub(crate) hashes_wide: bool,
    /// Bits of a register: a power of two.
    pub(crate) length: u32,
}

/// One element that an instruction has loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorAccess {
    /// It was stored; if not, loaded.
    pub is_store: bool,
    /// The address of its first byte, as the program sees it.
    pub address: u64,
    /// Its width in bits: 8, 16, 32 or 64.
    pub bits: u32,
    /// Its value; bits above its width are 0.
    pub value: u64,
}

/// What came of an extern that acts on vector registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorCall {
    /// Its result, 0 if it has none; of a trap the cause, and what is said with it: of an access the address.
    pub result: Result<u64, (Cause, u64)>,
    /// What it has loaded and stored, in order; of a trap before it.
    pub accesses: Vec<VectorAccess>,
}

/// The vector unit.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) bytes: Vec<u8>,
    /// Bytes of a register.
    pub(crate) width: usize,
    pub(crate) extent: Extent,
    pub(crate) vl: usize,
    pub(crate) vstart: usize,
    vtype: u64,
    vill: bool,
    /// The size of elements.
    pub(crate) size: u8,
    pub(crate) lmul: i8,
    pub(crate) vxrm: u8,
    pub(crate) vxsat: bool,
    /// `mstatus.VS`.
    status: u8,
}

impl Unit {
    /// After a reset: on, if there is any, so that programs without an operating system can use it at once.
    pub(crate) fn new(extent: Extent) -> Unit {
        let length = if extent.there { extent.length.clamp(MIN_VLEN, MAX_VLEN) } else { 0 };
        let width = length as usize / 8;
        Unit {
            bytes: vec![0; 32 * width],
            width,
            extent,
            vl: 0,
            vstart: 0,
            vtype: 0,
            vill: true,
            size: 0,
            lmul: 0,
            vxrm: 0,
            vxsat: false,
            status: u8::from(extent.there) * INITIAL,
        }
    }

    /// Whether its instructions and control registers may be used.
    pub(crate) fn is_on(&self) -> bool {
        self.status != 0
    }

    /// Whether instructions that depend on `vtype` may be used.
    pub(crate) fn is_ready(&self) -> bool {
        self.status != 0 && !self.vill
    }

    /// Whether there are vectors.
    pub(crate) fn is_there(&self) -> bool {
        self.extent.there
    }

    /// `mstatus.VS`.
    pub(crate) fn status(&self) -> u64 {
        self.status.into()
    }

    pub(crate) fn set_status(&mut self, value: u64) {
        if self.extent.there {
            self.status = value as u8 & 3;
        }
    }

    /// An instruction has completed.
    pub(crate) fn done(&mut self) {
        self.vstart = 0;
        self.status = DIRTY;
    }

    /// An instruction has trapped at this element.
    pub(crate) fn stopped(&mut self, at: usize) {
        self.vstart = at;
        self.status = DIRTY;
    }

    /// How many elements of a size fit a group.
    pub(crate) fn most(&self, size: u8, lmul: i8) -> usize {
        let bytes = if lmul < 0 { self.width >> -lmul } else { self.width << lmul };
        bytes >> size
    }

    /// How many elements `vtype` has room for.
    pub(crate) fn vlmax(&self) -> usize {
        self.most(self.size, self.lmul)
    }

    /// Takes a new `vtype` and as many elements as asked for, at most those that fit; gives their number.
    pub(crate) fn configure(&mut self, wanted: u64, keep: bool, vtype: u64) -> u64 {
        let wanted = if keep { self.vl as u64 } else { wanted };
        let size = (vtype >> 3) as u8 & 7;
        let lmul = ((vtype << 5) as u8 as i8) >> 5;
        // A group of a part of a register has no elements that are wider than this part of the widest ones.
        let widest = self.extent.widest as i8 + lmul.min(0);
        self.vill = vtype >> 8 != 0 || lmul == -4 || (size as i8) > widest;
        if self.vill {
            (self.vtype, self.vl) = (0, 0);
        } else {
            (self.vtype, self.size, self.lmul) = (vtype, size, lmul);
            self.vl = wanted.min(self.vlmax() as u64) as usize;
        }
        self.done();
        self.vl as u64
    }

    /// A control register by its number; `None` if there is none, or vectors are off.
    pub(crate) fn control(&self, number: u16, xlen: u32) -> Option<u64> {
        let found = match number {
            VSTART => self.vstart as u64,
            VXSAT => self.vxsat.into(),
            VXRM => self.vxrm.into(),
            VCSR => u64::from(self.vxsat) | u64::from(self.vxrm) << 1,
            VL => self.vl as u64,
            VTYPE => self.vtype | u64::from(self.vill) << (xlen - 1),
            VLENB => self.width as u64,
            _ => return None,
        };
        self.is_on().then_some(found)
    }

    /// Writes a control register; `None` if there is none that can be written, or vectors are off.
    pub(crate) fn set_control(&mut self, number: u16, value: u64) -> Option<()> {
        self.is_on().then_some(())?;
        match number {
            // As many bits as the number of an element can have.
            VSTART => self.vstart = value as usize & (self.width * 8 - 1),
            VXSAT => self.vxsat = value & 1 == 1,
            VXRM => self.vxrm = value as u8 & 3,
            VCSR => (self.vxsat, self.vxrm) = (value & 1 == 1, (value >> 1) as u8 & 3),
            _ => return None,
        }
        self.status = DIRTY;
        Some(())
    }

    /// All registers, one after the other.
    pub(crate) fn registers(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes bytes of a register; those that it has not are left out.
    pub(crate) fn set_register(&mut self, number: u8, bytes: &[u8]) {
        let first = usize::from(number) * self.width;
        if let Some(place) = self.bytes.get_mut(first..first + self.width) {
            place.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
        }
    }

    /// An element of a group, without sign.
    #[inline(always)]
    pub(crate) fn get(&self, first: u8, number: usize, size: u8) -> u64 {
        let at = usize::from(first) * self.width + (number << size);
        fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
            bytes.get(at..at + N).and_then(|b| b.try_into().ok()).unwrap_or([0; N])
        }
        match size {
            0 => u8::from_le_bytes(part(&self.bytes, at)).into(),
            1 => u16::from_le_bytes(part(&self.bytes, at)).into(),
            2 => u32::from_le_bytes(part(&self.bytes, at)).into(),
            _ => u64::from_le_bytes(part(&self.bytes, at)),
        }
    }

    /// An element of a group, with its sign if it has one.
    #[inline(always)]
    pub(crate) fn get_as(&self, first: u8, number: usize, size: u8, signed: bool) -> u64 {
        let value = self.get(first, number, size);
        if signed { sign_extend(value, size) } else { value }
    }

    /// Writes the low bits of a value to an element of a group.
    #[inline(always)]
    pub(crate) fn set(&mut self, first: u8, number: usize, size: u8, value: u64) {
        let at = usize::from(first) * self.width + (number << size);
        let length = 1 << size;
        if let (Some(place), Some(value)) = (self.bytes.get_mut(at..at + length), value.to_le_bytes().get(..length)) {
            place.copy_from_slice(value);
        }
    }

    /// A bit of a register that is a mask.
    #[inline(always)]
    pub(crate) fn bit(&self, register: u8, number: usize) -> bool {
        let at = usize::from(register) * self.width + number / 8;
        self.bytes.get(at).is_some_and(|byte| byte >> (number % 8) & 1 == 1)
    }

    /// Writes a bit of a register that is a mask.
    #[inline(always)]
    pub(crate) fn set_bit(&mut self, register: u8, number: usize, value: bool) {
        let at = usize::from(register) * self.width + number / 8;
        if let Some(byte) = self.bytes.get_mut(at) {
            *byte = *byte & !(1 << (number % 8)) | u8::from(value) << (number % 8);
        }
    }
}

/// A number of a size as 64 bits of two's complement.
#[inline(always)]
pub(crate) fn sign_extend(value: u64, size: u8) -> u64 {
    match size {
        0 => value as i8 as u64,
        1 => value as i16 as u64,
        2 => value as i32 as u64,
        _ => value,
    }
}
