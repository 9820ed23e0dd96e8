//! A program as a dataflow problem, built instruction by instruction, so that none of them has to be kept.

use isaglot_listing::dataflow::{Link, OperandId, Program as Accesses};

use super::access::{Ids, NONE};
use super::blocks::Exit;
use crate::inst::{File, Inst, XeOperandKind};
use crate::isa::Xe;

/// The operands of one instruction in few bytes: operands are numbered one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PackedIds {
    first: u32,
    /// One more than what is to be added to `first`; 0: no such operand. In the order of [`Ids`].
    at: [u8; 11],
    /// The listing says what it implies, be it nothing.
    pub(super) implies: bool,
}

/// Places in [`PackedIds`].
pub(super) mod place {
    pub(in crate::list) const DST: usize = 0;
    pub(in crate::list) const DST_ADDRESS: usize = 1;
    pub(in crate::list) const SRCS: usize = 2;
    pub(in crate::list) const PRED: usize = 5;
    pub(in crate::list) const FM: usize = 6;
    pub(in crate::list) const IMPLICIT_READ: usize = 7;
    pub(in crate::list) const IMPLICIT_WRITE: usize = 8;
    pub(in crate::list) const DESC: usize = 9;
    pub(in crate::list) const EXDESC: usize = 10;
}

impl PackedIds {
    fn new(ids: &Ids, first: OperandId, implies: bool) -> PackedIds {
        let Ids { dst, dst_address, srcs: [a, b, c], pred, fm, implicit_read, implicit_write, desc, exdesc } = *ids;
        let all = [dst, dst_address, a, b, c, pred, fm, implicit_read, implicit_write, desc, exdesc];
        let mut packed = PackedIds { first, at: [0; 11], implies };
        for (at, id) in packed.at.iter_mut().zip(all) {
            *at = if id == NONE { 0 } else { (id - first + 1) as u8 };
        }
        packed
    }

    /// The operand at a place.
    #[inline]
    pub(super) fn id(&self, place: usize) -> OperandId {
        match self.at.get(place) {
            None | Some(0) => NONE,
            Some(at) => self.first + u32::from(*at) - 1,
        }
    }

    pub(super) fn ids(&self) -> Ids {
        Ids {
            dst: self.id(place::DST),
            dst_address: self.id(place::DST_ADDRESS),
            srcs: [0, 1, 2].map(|n| self.id(place::SRCS + n)),
            pred: self.id(place::PRED),
            fm: self.id(place::FM),
            implicit_read: self.id(place::IMPLICIT_READ),
            implicit_write: self.id(place::IMPLICIT_WRITE),
            desc: self.id(place::DESC),
            exdesc: self.id(place::EXDESC),
        }
    }
}

/// What instructions touch, with `compat` what `iga64` takes them to touch; and those before an instruction in its block
/// that may say what it gathers: writes of the scalar register.
pub(super) struct Before {
    pub(super) scalars: Vec<Inst>,
    pub(super) compat: bool,
}

/// A program as a dataflow problem, while it is built instruction by instruction.
pub(super) struct Building<'s> {
    out: Accesses,
    /// Where the next blocks start, and where control goes from each of them, the present one first.
    starts: std::iter::Peekable<std::slice::Iter<'s, u32>>,
    exits: std::slice::Iter<'s, Exit>,
    before: Before,
}

impl<'s> Building<'s> {
    /// `exits` says where control goes from each block.
    pub(super) fn new(xe: &Xe<'_>, starts: &'s [u32], exits: &'s [Exit], compat: bool) -> Building<'s> {
        let before = Before { scalars: Vec::new(), compat };
        let starts = starts.get(1..).unwrap_or(&[]).iter().peekable();
        Building { out: Accesses::new(&xe.platform.file_bytes()), starts, exits: exits.iter(), before }
    }

    /// Adds the instruction at an offset, or a word that is none.
    pub(super) fn add(&mut self, xe: &Xe<'_>, pc: u32, inst: Option<&Inst>) -> Ids {
        while self.starts.next_if(|s| **s <= pc).is_some() {
            self.end();
        }
        let Some(i) = inst else {
            self.before.scalars.clear();
            self.out.instruction(None);
            return Ids::default();
        };
        let ids = xe.access(i, &self.before, &mut self.out);
        if i.dst.file == File::S && i.dst.kind == XeOperandKind::Direct {
            self.before.scalars.push(*i);
        }
        ids
    }

    /// The same in few bytes.
    pub(super) fn add_packed(&mut self, xe: &Xe<'_>, pc: u32, inst: Option<&Inst>) -> PackedIds {
        let first = self.out.operand_count();
        let ids = self.add(xe, pc, inst);
        PackedIds::new(&ids, first, inst.is_some_and(|i| xe.implies(i, self.before.compat)))
    }

    fn end(&mut self) {
        let exit = self.exits.next();
        self.out.link(exit.map_or(Link::None, |e| e.link));
        self.out.block(exit.map_or(Vec::new(), |e| e.succs.clone()));
        self.before.scalars.clear();
    }

    /// The whole; `empty` if the program has no blocks.
    pub(super) fn finish(mut self, empty: bool) -> Accesses {
        if !empty {
            self.end();
            if self.starts.next().is_some() {
                self.out.block(Vec::new());
            }
        }
        self.out
    }
}
