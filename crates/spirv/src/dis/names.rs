//! Names of ids, as they are kept: short ones in 16-byte slots by id, so that printing one is a copy of fixed size;
//! long ones in an arena; and names that are made of other names, once those take more memory than the module deserves,
//! as the place of the instruction that they follow from, to be put together again when they are printed.
//!
//! A name never changes once it is given, so what is put together again is what it was. What is not settled by that is
//! kept with it: whether a part had no name yet, and which number type a constant had.

use isaglot_invariant::Impossible as _;

use super::decode;
use crate::grammar::{Grammar, compile, opcode};
use crate::number::print::{decimal, number};
use crate::places::Places;

/// A name of up to 15 bytes, its length in the last byte; 0 for none; [`LONG`] for offset and length in the arena;
/// [`MADE`] for a [`Made`].
pub(crate) type Slot = [u8; 16];

/// Last byte of a slot whose name lies in the arena.
pub(crate) const LONG: u8 = 255;

/// Last byte of a slot whose name is put together when it is wanted.
pub(crate) const MADE: u8 = 254;

/// What a name that is made of others follows from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Made {
    /// The word index of the instruction.
    pub(super) at: u32,
    /// The word index of the number type of a constant; 0 if it had none.
    pub(super) number: u32,
    /// For each of its parts: whether it goes by its number because it had no name yet.
    pub(super) unnamed: [bool; 2],
}

/// Names by id.
pub(crate) struct Names<'a> {
    pub(super) places: &'a Places<'a>,
    pub(super) words: &'a [u32],
    pub(super) grammar: Grammar<'a>,
    storage_class: u8,
    slots: Vec<Slot>,
    arena: Vec<u8>,
}

/// The number at bytes `at..at + 4` of a slot.
fn part(slot: &Slot, at: usize) -> u32 {
    slot.get(at..at + 4).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b))
}

impl<'a> Names<'a> {
    /// No names: ids go by their numbers.
    pub(crate) fn none(words: &'a [u32], places: &'a Places<'a>, grammar: Grammar<'a>) -> Names<'a> {
        let storage_class = grammar.role(compile::STORAGE_CLASS);
        Names { places, words, grammar, storage_class, slots: Vec::new(), arena: Vec::new() }
    }

    /// A slot for every place that there is so far.
    pub(super) fn lay_out(&mut self) {
        let wanted = self.places.len();
        self.slots.reserve_exact(wanted.saturating_sub(self.slots.len()));
        self.slots.resize(wanted.max(self.slots.len()), [0; 16]);
    }

    /// The slot of an id; none with raw ids and for ids that cannot have a name.
    #[inline]
    pub(crate) fn slot(&self, id: u32) -> Option<&Slot> {
        self.places.get(id).and_then(|at| self.slots.get(at))
    }

    /// Whether an id has a name.
    #[inline]
    pub(super) fn has(&self, id: u32) -> bool {
        self.slot(id).is_some_and(|s| s[15] != 0)
    }

    /// Sets the slot of a result, or of what is named or decorated.
    pub(super) fn set(&mut self, id: u32, slot: Slot) {
        let Some(at) = self.places.give(id) else { return };
        if at >= self.slots.len() {
            self.lay_out();
        }
        if let Some(s) = self.slots.get_mut(at) {
            *s = slot;
        }
    }

    /// A slot for a name of more than 15 bytes, which goes to the arena.
    pub(super) fn long_slot(&mut self, name: &[u8]) -> Slot {
        let place = self.arena.len() as u64 | (name.len() as u64) << 32;
        self.arena.extend_from_slice(name);
        let mut slot = [0; 16];
        slot.iter_mut().zip(place.to_le_bytes()).for_each(|(s, b)| *s = b);
        slot[15] = LONG;
        slot
    }

    /// A name in the arena.
    pub(crate) fn long(&self, slot: &Slot) -> &[u8] {
        self.arena.get(part(slot, 0) as usize..(part(slot, 0) + part(slot, 4)) as usize).or_impossible(&[])
    }

    /// Length of a name that has a slot.
    #[inline]
    pub(crate) fn len(&self, slot: &Slot) -> usize {
        match slot[15] {
            LONG => part(slot, 4) as usize,
            MADE => usize::from(u16::from_le_bytes([slot[12], slot[13]])),
            n => usize::from(n),
        }
    }

    /// Whether the slot at a place holds this name, whose hash is `tag`.
    pub(super) fn is(&self, place: usize, name: &[u8], tag: u8) -> bool {
        let Some(slot) = self.slots.get(place) else { return false };
        match slot[15] {
            LONG => self.long(slot) == name,
            MADE => {
                let mut own = Vec::new();
                slot[14] >> 2 == tag >> 2 && self.len(slot) == name.len() && {
                    self.make(slot, &mut own);
                    own == name
                }
            }
            n => slot.get(..usize::from(n)) == Some(name),
        }
    }

    /// Appends the name of an id, without `%`.
    pub(crate) fn push(&self, out: &mut Vec<u8>, id: u32) {
        match self.slot(id) {
            Some(s) if s[15] == LONG => out.extend_from_slice(self.long(s)),
            Some(s) if s[15] == MADE => self.make(s, out),
            Some(s) if s[15] != 0 => out.extend_from_slice(s.get(..usize::from(s[15])).or_impossible(&[])),
            _ => decimal(out, u64::from(id)),
        }
    }

    /// Appends the name of the id at a place, which has one.
    pub(super) fn push_at(&self, out: &mut Vec<u8>, place: usize) {
        match self.slots.get(place) {
            Some(s) if s[15] == LONG => out.extend_from_slice(self.long(s)),
            Some(s) if s[15] == MADE => self.make(s, out),
            Some(s) => out.extend_from_slice(s.get(..usize::from(s[15])).or_impossible(&[])),
            None => {}
        }
    }

    /// Puts a name together. Its parts were named before it and are shorter, so this ends.
    #[cold]
    fn make(&self, slot: &Slot, out: &mut Vec<u8>) {
        let made = Made { at: part(slot, 0), number: part(slot, 8), unnamed: [slot[14] & 1 != 0, slot[14] & 2 != 0] };
        let from = out.len();
        let _ = self.compose(made, out);
        out.iter_mut().skip(from).for_each(sanitise);
        if let Some(suffix) = part(slot, 4).checked_sub(1) {
            out.push(b'_');
            decimal(out, u64::from(suffix));
        }
    }

    fn part(&self, out: &mut Vec<u8>, id: u32, unnamed: bool) {
        if unnamed { decimal(out, u64::from(id)) } else { self.push(out, id) }
    }

    /// Appends a name that is made of others; `None` if a part has none, which leaves the id without.
    pub(super) fn compose(&self, made: Made, out: &mut Vec<u8>) -> Option<()> {
        let at = made.at as usize;
        let first = self.words.get(at).copied().unwrap_or(0);
        let instruction = self.words.get(at..at + (first >> 16) as usize).unwrap_or(&[]);
        let [a, b] = made.unnamed;
        match (first as u16, instruction) {
            (opcode::OpTypeVector, [_, _, element, count, ..]) => {
                out.push(b'v');
                decimal(out, u64::from(*count));
                self.part(out, *element, a);
            }
            (opcode::OpTypeMatrix, [_, _, column, count, ..]) => {
                out.extend_from_slice(b"mat");
                decimal(out, u64::from(*count));
                self.part(out, *column, a);
            }
            (opcode::OpTypeArray, [_, _, element, length, ..]) => {
                out.extend_from_slice(b"_arr_");
                self.part(out, *element, a);
                out.push(b'_');
                self.part(out, *length, b);
            }
            (opcode::OpTypeRuntimeArray, [_, _, element, ..]) => {
                out.extend_from_slice(b"_runtimearr_");
                self.part(out, *element, a);
            }
            (opcode::OpTypeNodePayloadArrayAMDX, [_, _, element, ..]) => {
                out.extend_from_slice(b"_payloadarr_");
                self.part(out, *element, a);
            }
            (opcode::OpTypePointer, [_, _, class, target, ..]) => {
                out.extend_from_slice(b"_ptr_");
                let row = self.grammar.kind(self.storage_class).and_then(|g| self.grammar.member(g, *class))?;
                out.extend_from_slice(self.grammar.bytes(row.name));
                out.push(b'_');
                self.part(out, *target, a);
            }
            (opcode::OpConstant, [_, ty, _, value @ ..]) => {
                self.part(out, *ty, a);
                out.push(b'_');
                let from = out.len();
                if let Some(number_type) = decode::scalar(self.words, made.number as usize) {
                    number(out, value, number_type);
                }
                out.iter_mut().skip(from).filter(|b| **b == b'-').for_each(|b| *b = b'n');
            }
            _ => {}
        }
        Some(())
    }
}

/// Makes a byte fit for a name.
pub(super) fn sanitise(b: &mut u8) {
    if !b.is_ascii_alphanumeric() {
        *b = b'_';
    }
}

/// The ids whose names a name is made of.
pub(super) fn parts(opcode: u16, instruction: &[u32]) -> Option<[Option<u32>; 2]> {
    match (opcode, instruction) {
        (opcode::OpTypeArray, [_, _, element, length, ..]) => Some([Some(*element), Some(*length)]),
        (opcode::OpTypeVector | opcode::OpTypeMatrix, [_, _, part, _, ..])
        | (opcode::OpTypeRuntimeArray | opcode::OpTypeNodePayloadArrayAMDX, [_, _, part, ..]) => {
            Some([Some(*part), None])
        }
        (opcode::OpTypePointer, [_, _, _, target, ..]) => Some([Some(*target), None]),
        (opcode::OpConstant, [_, ty, _, ..]) => Some([Some(*ty), None]),
        _ => None,
    }
}
