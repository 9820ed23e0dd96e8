//! The calls for operations on elements, and all calls by their name.

use super::elements::Source;
use super::operation::{binary, unary};
use super::permute::unboxed;
use super::{Done, illegal};
use crate::machine::{Fault, Machine};

impl Machine {
    /// Takes a length and `vtype`; gives how many elements there are.
    #[inline(never)]
    pub(crate) fn vector_length(&mut self, wanted: u64, keep: u8, vtype: u64) -> Result<u64, Fault> {
        if !self.csrs.vector.is_on() {
            return Err(illegal());
        }
        Ok(self.csrs.vector.configure(wanted, keep == 1, vtype))
    }

    #[inline(never)]
    pub(crate) fn vector_vv(&mut self, operation: u16, vd: u8, vs2: u8, vs1: u8, vm: u8) -> Done {
        self.vector_elements(binary(operation), vd, vs2, Source::Group(vs1), vm == 0)
    }

    #[inline(never)]
    pub(crate) fn vector_vx(&mut self, operation: u16, vd: u8, vs2: u8, value: u64, vm: u8) -> Done {
        let value = self.widened(value);
        self.vector_elements(binary(operation), vd, vs2, Source::Number(value), vm == 0)
    }

    #[inline(never)]
    pub(crate) fn vector_vi(&mut self, operation: u16, vd: u8, vs2: u8, value: u8, vm: u8) -> Done {
        // Six bits with a sign.
        let value = ((value << 2) as i8 >> 2) as u64;
        self.vector_elements(binary(operation), vd, vs2, Source::Number(value), vm == 0)
    }

    #[inline(never)]
    pub(crate) fn vector_vf(&mut self, operation: u16, vd: u8, vs2: u8, value: u64, vm: u8) -> Done {
        let value = unboxed(value, self.csrs.vector.size);
        self.vector_elements(binary(operation), vd, vs2, Source::Number(value), vm == 0)
    }

    #[inline(never)]
    pub(crate) fn vector_v(&mut self, operation: u16, vd: u8, vs2: u8, vm: u8) -> Done {
        self.vector_elements(unary(operation), vd, vs2, Source::None, vm == 0)
    }

    /// A call of the description for vectors by its name; `None` for any other name.
    pub(crate) fn vector_call(&mut self, name: &str, args: [u64; 6]) -> Option<Result<u64, Fault>> {
        let b = args.map(|a| a as u8);
        let done = match name {
            "vector_length" => return Some(self.vector_length(args[0], b[1], args[2])),
            "vector_count" => return Some(self.vector_count(b[0], b[1])),
            "vector_find" => return Some(self.vector_find(b[0], b[1])),
            "vector_first" => return Some(self.vector_first(b[0])),
            "vector_first_float" => return Some(self.vector_first_float(b[0])),
            "vector_vv" => self.vector_vv(args[0] as u16, b[1], b[2], b[3], b[4]),
            "vector_vx" => self.vector_vx(args[0] as u16, b[1], b[2], args[3], b[4]),
            "vector_vi" => self.vector_vi(args[0] as u16, b[1], b[2], b[3], b[4]),
            "vector_vf" => self.vector_vf(args[0] as u16, b[1], b[2], args[3], b[4]),
            "vector_v" => self.vector_v(args[0] as u16, b[1], b[2], b[3]),
            "vector_mask" => self.vector_mask(b[0], b[1], b[2], b[3]),
            "vector_mask_first" => self.vector_mask_first(b[0], b[1], b[2], b[3]),
            "vector_iota" => self.vector_iota(b[0], b[1], b[2]),
            "vector_number" => self.vector_number(b[0], b[1]),
            "vector_slide_up" => self.vector_slide_up(b[0], b[1], args[2], b[3]),
            "vector_slide_down" => self.vector_slide_down(b[0], b[1], args[2], b[3]),
            "vector_slide1_up" => self.vector_slide1_up(b[0], b[1], args[2], b[3]),
            "vector_slide1_down" => self.vector_slide1_down(b[0], b[1], args[2], b[3]),
            "vector_slide1_up_float" => self.vector_slide1_up_float(b[0], b[1], args[2], b[3]),
            "vector_slide1_down_float" => self.vector_slide1_down_float(b[0], b[1], args[2], b[3]),
            "vector_gather" => self.vector_gather(b[0], b[1], b[2], b[3], b[4]),
            "vector_gather_one" => self.vector_gather_one(b[0], b[1], args[2], b[3]),
            "vector_compress" => self.vector_compress(b[0], b[1], b[2]),
            "vector_set_first" => self.vector_set_first(b[0], args[1]),
            "vector_set_first_float" => self.vector_set_first_float(b[0], args[1]),
            "vector_group" => self.vector_group(b[0], b[1], b[2], b[3]),
            "vector_copy" => self.vector_copy(b[0], b[1], b[2]),
            "vector_load" => self.vector_load(b[0], b[1], b[2], args[3], b[4]),
            "vector_store" => self.vector_store(b[0], b[1], b[2], args[3], b[4]),
            "vector_load_strided" => self.vector_load_strided(b[0], b[1], b[2], args[3], args[4], b[5]),
            "vector_store_strided" => self.vector_store_strided(b[0], b[1], b[2], args[3], args[4], b[5]),
            "vector_load_indexed" => self.vector_load_indexed(b[0], b[1], b[2], args[3], b[4], b[5]),
            "vector_store_indexed" => self.vector_store_indexed(b[0], b[1], b[2], args[3], b[4], b[5]),
            "vector_load_first" => self.vector_load_first(b[0], b[1], b[2], args[3], b[4]),
            "vector_load_mask" => self.vector_load_mask(b[0], args[1]),
            "vector_store_mask" => self.vector_store_mask(b[0], args[1]),
            "vector_load_whole" => self.vector_load_whole(b[0], b[1], b[2], args[3]),
            "vector_store_whole" => self.vector_store_whole(b[0], b[1], b[2], args[3]),
            _ => return None,
        };
        Some(done.map(|()| 0))
    }
}
