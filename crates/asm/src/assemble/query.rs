//! A line to be assembled, and how it is read.

use isaglot_model::Name;

use super::program::{Bytes, Program};
use super::symbol::Site;

/// How a line is read; each way is tried when those before it found nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// As the disassembler prints it.
    Strict,
    /// The same, but with names where branches go: as it prints with labels. Only where there are other numbers, which could be
    /// read otherwise in the relaxed way; elsewhere that finds the same.
    Named,
    /// As people write it, but for numbers that begin with a zero. Where a template has two numbers side by side, the disassembler
    /// means 0 and 5 by `05`; as people write numbers it could be 5.
    Plain,
    /// As people write it.
    Relaxed,
    /// The same, without the mark before numbers that the description lets people leave out.
    Unmarked,
    /// As people write it, with numbers for what has a text.
    Numbers,
}

/// What is looked for in a line before a form is tried on it.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// The bytes that it has.
    has: Bytes,
    /// How many commas it has.
    commas: u32,
}

impl Shape {
    /// That of a text. The sets are kept in registers while it is read.
    fn of(text: &[u8]) -> Shape {
        let mut has = Bytes::default();
        let mut commas = 0;
        let [mut low, mut high] = [0u64; 2];
        for &byte in text {
            match byte {
                0..64 => low |= 1 << byte,
                64..128 => high |= 1 << (byte - 64),
                _ => has.add(byte),
            }
            commas += u32::from(byte == b',');
        }
        has.set[0] = low;
        has.set[1] = high;
        Shape { has, commas }
    }

    /// Whether a text of this shape can be one of a program's.
    #[inline]
    pub(super) fn fits(&self, program: &Program, relaxed: bool) -> bool {
        let (least, most) = program.commas;
        (least..=most).contains(&self.commas)
            && (relaxed || program.needs.set.iter().zip(self.has.set).all(|(needs, has)| needs & !has == 0))
    }
}

/// A line to be assembled.
#[derive(Clone, Copy)]
pub(super) struct Query<'t> {
    pub(super) text: &'t [u8],
    pub(super) shape: Shape,
    /// What its symbols mean.
    pub(super) site: Site<'t>,
    /// The width in bits that the word must have, if that is said.
    pub(super) width: Option<u32>,
    /// The name of its encoding, if that is said.
    pub(super) leaf: Option<Name>,
}

impl<'t> Query<'t> {
    pub(super) fn new(text: &'t [u8], site: Site<'t>, width: Option<u32>) -> Query<'t> {
        Query { text, shape: Shape::of(text), site, width, leaf: None }
    }
}
