//! Groups of registers that an instruction names, and which of them it may name together.
//!
//! The rules are those of chapter 5.2 of the vector specification: a group begins at a multiple of its length; a destination
//! may overlap a source of another width only where no element is overwritten before it is read; a register is read with one
//! width only; the mask of an instruction is not its destination. Everything else is reserved, and illegal here.

use super::{Done, require};

/// The size of the elements of a mask: an eighth of a byte.
pub(super) const BIT: i8 = -3;

/// The registers of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) first: u8,
    /// As everywhere in the unit, or [`BIT`].
    pub(super) size: i8,
    pub(super) lmul: i8,
}

/// The mask of an instruction.
const MASK: Group = Group { first: 0, size: BIT, lmul: 0 };

impl Group {
    pub(super) fn new(first: u8, size: u8, lmul: i8) -> Group {
        Group { first, size: size as i8, lmul }
    }

    /// A register with a bit for each element.
    pub(super) fn mask(first: u8) -> Group {
        Group { first, ..MASK }
    }

    /// How many registers.
    pub(super) fn count(self) -> u8 {
        1 << self.lmul.clamp(0, 3)
    }

    /// It can be: its length is one that there is, and it begins where it may.
    fn is_valid(self, widest: u8) -> bool {
        let fits = (-3..=3).contains(&self.lmul) && self.size <= widest as i8;
        fits && self.first.is_multiple_of(self.count())
    }

    fn overlaps(self, other: Group) -> bool {
        self.first < other.first + other.count() && other.first < self.first + self.count()
    }

    /// Whether it may be written where the other one is read.
    fn may_cover(self, source: Group) -> bool {
        if !self.overlaps(source) || self.size == source.size {
            return true;
        }
        match self.size < source.size {
            // In the lowest part of the source.
            true => self.first == source.first,
            // In the highest part of the destination.
            false => source.lmul >= 0 && source.first + source.count() == self.first + self.count(),
        }
    }
}

/// What an instruction names.
pub(super) struct Named<'a> {
    /// What it writes, unless that is one element.
    pub(super) destination: Option<Group>,
    pub(super) sources: &'a [Group],
    pub(super) masked: bool,
    /// The destination may overlap no source at all.
    pub(super) apart: bool,
}

impl Named<'_> {
    /// Illegal if these may not be named together.
    pub(super) fn check(&self, widest: u8) -> Done {
        let mask = self.masked.then_some(MASK);
        let sources = || self.sources.iter().copied().chain(mask);
        require(sources().chain(self.destination).all(|group| group.is_valid(widest)))?;
        if let Some(to) = self.destination {
            require(!(self.masked && to.first == 0 && to.size != BIT))?;
            let apart = |&source: &Group| if self.apart { !to.overlaps(source) } else { to.may_cover(source) };
            require(self.sources.iter().all(apart))?;
        }
        let same = |(at, a): (usize, Group)| sources().skip(at + 1).all(|b| a.size == b.size || !a.overlaps(b));
        require(sources().enumerate().all(same))
    }
}
