//! The registers of a description, all in one run of bytes.
//!
//! Each register has whole bytes, least significant first. A file that lies within another one (`within`) has its registers there, one
//! after the other, so that both read what either writes. Invariant: bits above the width of a register are 0, except where a wider
//! register lies over them.

use isaglot_bits::Word;
use isaglot_model::{Isa, RegisterFileId};

use crate::limits::MAX_REGISTERS;

/// Where the registers of a file are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    /// The first byte of register 0.
    pub(crate) base: usize,
    /// Bytes of a register.
    pub(crate) bytes: usize,
    /// Bits of a register.
    pub(crate) width: u32,
    pub(crate) count: u32,
    /// The register that reads as 0.
    pub(crate) zero: Option<u32>,
}

impl File {
    /// The first byte of a register; `None` for the one that reads as 0 and for a number outside the file.
    #[inline]
    pub(crate) fn place(&self, number: u32) -> Option<usize> {
        (number < self.count && self.zero != Some(number)).then(|| self.base + number as usize * self.bytes)
    }
}

/// All registers, 0 at first.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    pub(crate) files: Vec<File>,
    pub(crate) data: Vec<u8>,
}

impl Registers {
    /// Those of a gen; the registers of a file have another width if one is given for it.
    pub(crate) fn new(isa: &Isa, generation: u32, other: Option<(RegisterFileId, u32)>) -> Result<Registers, String> {
        let mut files: Vec<File> = Vec::new();
        let mut size = 0;
        for (file, id) in isa.register_files().iter().zip(0..) {
            let own = other.filter(|&(wanted, _)| wanted == RegisterFileId(id));
            let width = own.map_or_else(|| isa.width(&file.width, generation), |(_, width)| width);
            let bytes = width.div_ceil(8) as usize;
            let count = file.names.len() as u32;
            files.push(File { base: size, bytes, width, count, zero: file.zero });
            size += bytes * count as usize;
        }
        // A file within another one has no bytes of its own; the chain of these has an end, since each step can be made once.
        for at in 0..files.len() {
            let mut outer = at;
            for _ in 0..files.len() {
                match isa[RegisterFileId(outer as u32)].within {
                    Some((file, gens)) if gens.contains(generation) => outer = file.index(),
                    _ => break,
                }
            }
            let base = files.get(outer).map(|f| f.base);
            if let (Some(base), Some(file)) = (base, files.get_mut(at)) {
                file.base = base;
                size = size.max(base + file.bytes * file.count as usize);
            }
        }
        if size > MAX_REGISTERS {
            return Err(format!("the registers have {size} bytes; a machine has at most {MAX_REGISTERS}"));
        }
        // So that eight bytes can be read from the beginning of each.
        Ok(Registers { files, data: vec![0; size + 8] })
    }

    /// A register; 0 for the zero register and for a number outside the file.
    pub(crate) fn word(&self, file: &File, number: u32) -> Word {
        let bytes = file.place(number).and_then(|place| self.data.get(place..place + file.bytes));
        bytes.map_or(Word::zero(file.width), |bytes| Word::from_le_bytes(bytes, file.width))
    }

    /// Writes a register. What cannot be written stays as it is.
    pub(crate) fn set_word(&mut self, file: &File, number: u32, value: &Word) {
        let place = file.place(number).and_then(|place| self.data.get_mut(place..place + file.bytes));
        for (byte, new) in place.into_iter().flatten().zip(value.resized(file.width).le_bytes()) {
            *byte = new;
        }
    }

    /// A register of at most 64 bits whose bytes begin here.
    #[inline]
    pub(crate) fn narrow(&self, place: usize, mask: u64) -> u64 {
        let bytes = self.data.get(place..place + 8).and_then(|bytes| bytes.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)) & mask
    }

    /// Writes a register of at most 64 bits whose bytes begin here.
    #[inline]
    pub(crate) fn set_narrow(&mut self, place: usize, bytes: usize, value: u64) {
        if bytes == 8 {
            if let Some(old) = self.data.get_mut(place..).and_then(|rest| rest.first_chunk_mut()) {
                *old = value.to_le_bytes();
            }
        } else if let Some(old) = self.data.get_mut(place..place + bytes) {
            old.iter_mut().zip(value.to_le_bytes()).for_each(|(old, new)| *old = new);
        }
    }
}
