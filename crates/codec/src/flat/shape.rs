//! What a word of one shape holds: its fields, where they stand, and their values once they are read.
//!
//! A field is a list of [`Move`]s, pieces that do not cross a limb, first the lowest. What needs one field of many words takes a
//! [`Gather`] or a [`Scatter`] of it, which hold at most two pieces and no list.

use isaglot_bits::BitRange;
use isaglot_bits::limbs::mask;
use isaglot_invariant::Impossible as _;

use crate::limits::MAX_SLOTS;

/// A field name of the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub u8);

/// A text of an enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u16);

impl Symbol {
    /// A value that its enum has no text for.
    pub const NONE: Symbol = Symbol(u16::MAX);
}

/// A shape, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShapeId(pub u32);

/// The values of all fields of a word.
#[derive(Clone, Debug)]
pub struct Values {
    pub(super) bits: [u64; MAX_SLOTS],
    pub(super) symbols: [Symbol; MAX_SLOTS],
    pub(super) present: u128,
    pub(super) by_symbol: u128,
    pub(super) optional: u128,
}

impl Default for Values {
    fn default() -> Values {
        Values { bits: [0; MAX_SLOTS], symbols: [Symbol::NONE; MAX_SLOTS], present: 0, by_symbol: 0, optional: 0 }
    }
}

impl Values {
    /// Forgets everything.
    pub fn clear(&mut self) {
        (self.present, self.by_symbol, self.optional) = (0, 0, 0);
    }

    /// Whether the word has this field.
    #[inline]
    pub fn has(&self, slot: Slot) -> bool {
        self.present >> (slot.0 & 127) & 1 != 0
    }

    /// The raw value, sign-extended for a signed field; 0 if the word has no such field.
    #[inline]
    pub fn get(&self, slot: Slot) -> u64 {
        if self.has(slot) { self.bits[usize::from(slot.0 & 127)] } else { 0 }
    }

    /// The text of an enum field; [`Symbol::NONE`] if there is no such field, it is no enum, or the value has no text.
    #[inline]
    pub fn symbol(&self, slot: Slot) -> Symbol {
        if self.by_symbol >> (slot.0 & 127) & 1 != 0 { self.symbols[usize::from(slot.0 & 127)] } else { Symbol::NONE }
    }

    /// Sets a field that is to be written.
    #[inline]
    pub fn set(&mut self, slot: Slot, value: u64) {
        self.present |= 1 << (slot.0 & 127);
        self.bits[usize::from(slot.0 & 127)] = value;
    }

    /// Sets a field that is to be written if the form has it.
    #[inline]
    pub fn set_optional(&mut self, slot: Slot, value: u64) {
        self.optional |= 1 << (slot.0 & 127);
        self.set(slot, value);
    }

    /// Says that a field that was set is to be written only if the form has it.
    #[inline]
    pub fn make_optional(&mut self, slot: Slot) {
        self.optional |= 1 << (slot.0 & 127);
    }

    /// Sets an enum field that is to be written, by its text.
    #[inline]
    pub fn set_symbol(&mut self, slot: Slot, symbol: Symbol) {
        self.present |= 1 << (slot.0 & 127);
        self.by_symbol |= 1 << (slot.0 & 127);
        self.symbols[usize::from(slot.0 & 127)] = symbol;
    }
}

/// Why values cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// The form that the other values make has no such field.
    Absent(Slot),
    /// The value does not fit the field's bits, or differs from what is implied.
    Range(Slot),
    /// The enum of the field in this form has no such text.
    Text(Slot),
    /// Guards never settle.
    Unsettled,
}

impl core::fmt::Display for WriteError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            WriteError::Absent(slot) => write!(f, "the form has no field of slot {}", slot.0),
            WriteError::Range(slot) => write!(f, "the value does not fit the field of slot {}", slot.0),
            WriteError::Text(slot) => write!(f, "the field of slot {} does not take this text", slot.0),
            WriteError::Unsettled => f.write_str("the guards never settle"),
        }
    }
}

impl core::error::Error for WriteError {}

/// One piece of a field: bits `lo..lo + width` of a limb go to bit `shift` of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Move {
    pub(super) slot: u8,
    pub(super) limb: u8,
    pub(super) lo: u8,
    pub(super) width: u8,
    pub(super) shift: u8,
    /// The first of its field, which replaces what an earlier word has left.
    pub(super) first: bool,
}

/// Where fields stand and what they are, to be compared: words whose shapes have the same layout of some fields are
/// read alike as far as these go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout(Vec<(u8, SlotKind, Vec<Move>)>);

/// One field of the words of a shape, ready to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gather {
    /// From the first and the second limb: the lowest bit, the bits, and where they go.
    parts: [(u8, u8, u64, u8); 2],
}

impl Gather {
    /// The raw value.
    #[inline]
    pub fn get(&self, word: u128) -> u64 {
        let limbs = [word as u64, (word >> 64) as u64];
        let part = |(limb, lo, mask, shift): (u8, u8, u64, u8)| {
            (limbs[usize::from(limb & 1)] >> (lo & 63) & mask) << (shift & 63)
        };
        part(self.parts[0]) | part(self.parts[1])
    }
}

/// One field of the words of a shape, ready to be written.
#[derive(Clone, Copy, Debug)]
pub struct Scatter {
    kind: SlotKind,
    /// From the value, by mask, where they go, and whether in the second limb.
    parts: [(u8, u64, u8, bool); 2],
}

impl Scatter {
    /// The bits that a value sets in the word; `None` if it does not fit.
    #[inline]
    pub fn bits(&self, value: u64) -> Option<u128> {
        let value = self.kind.fitting(value)?;
        let mut limbs = [0; 2];
        for (shift, mask, lo, high) in self.parts {
            limbs[usize::from(high)] |= (value >> (shift & 63) & mask) << (lo & 63);
        }
        Some(u128::from(limbs[1]) << 64 | u128::from(limbs[0]))
    }
}

/// What one field is in a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SlotKind {
    /// Its range of [`Shape::moves`].
    pub(super) moves: (u32, u32),
    pub(super) width: u32,
    pub(super) signed: bool,
    /// Bits that the word does not hold.
    pub(super) implied: u64,
    pub(super) implied_mask: u64,
    pub(super) table: Option<u32>,
}

impl SlotKind {
    /// The value, if the field can hold it and its implied bits agree.
    #[inline]
    pub(super) fn fitting(&self, value: u64) -> Option<u64> {
        let unused = 64 - self.width;
        let fits = if self.signed {
            ((value << unused) as i64 >> unused) as u64 == value
        } else {
            value & !mask(self.width) == 0
        };
        (fits && value & self.implied_mask == self.implied).then_some(value)
    }
}

/// Which fields a word has, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub(super) moves: Vec<Move>,
    pub(super) present: u128,
    pub(super) implied: Vec<(u8, u64)>,
    pub(super) signed: Vec<(u8, u32)>,
    pub(super) tables: Vec<(u8, u32)>,
    pub(super) by_symbol: u128,
    pub(super) kinds: Vec<Option<SlotKind>>,
}

impl Shape {
    /// Whether words of this shape have the field.
    pub fn has(&self, slot: Slot) -> bool {
        self.present >> (slot.0 & 127) & 1 != 0
    }

    /// Whether the field is of an enum.
    pub fn is_enum(&self, slot: Slot) -> bool {
        self.by_symbol >> (slot.0 & 127) & 1 != 0
    }

    /// A field to be read again and again; `None` if it is in more than two pieces or has implied bits. A field that
    /// there is not reads as 0.
    pub fn gather(&self, slot: Slot) -> Option<Gather> {
        let mut gather = Gather::default();
        let Some(Some(kind)) = self.kinds.get(usize::from(slot.0)) else { return Some(gather) };
        let moves = self.moves.get(kind.moves.0 as usize..kind.moves.1 as usize)?;
        if moves.len() > gather.parts.len() || kind.implied != 0 {
            return None;
        }
        for (part, m) in gather.parts.iter_mut().zip(moves) {
            *part = (m.limb & 1, m.lo, mask(m.width.into()), m.shift);
        }
        Some(gather)
    }

    /// A field to be written again and again; `None` if there is none, or it is in more than two pieces.
    pub fn scatter(&self, slot: Slot) -> Option<Scatter> {
        let kind = (*self.kinds.get(usize::from(slot.0))?)?;
        let moves = self.moves.get(kind.moves.0 as usize..kind.moves.1 as usize)?;
        let mut scatter = Scatter { kind, parts: Default::default() };
        if moves.len() > scatter.parts.len() {
            return None;
        }
        for (part, m) in scatter.parts.iter_mut().zip(moves) {
            *part = (m.shift, mask(m.width.into()), m.lo, m.limb & 1 != 0);
        }
        Some(scatter)
    }

    /// The layout of these fields (bit n: slot n).
    pub fn layout(&self, slots: u128) -> Layout {
        let wanted = self.kinds.iter().enumerate().filter(|(slot, _)| slots >> slot & 1 != 0);
        let known = wanted.filter_map(|(slot, kind)| Some((slot as u8, (*kind)?)));
        Layout(
            known
                .map(|(slot, kind)| {
                    let moves = self.moves.get(kind.moves.0 as usize..kind.moves.1 as usize).or_impossible(&[]);
                    (slot, SlotKind { moves: (0, 0), ..kind }, moves.to_vec())
                })
                .collect(),
        )
    }

    /// The bits of a word of this shape that hold these fields (bit n: slot n).
    pub fn bits_of(&self, slots: u128) -> u128 {
        let held = self.moves.iter().filter(|m| slots >> (m.slot & 127) & 1 != 0);
        held.fold(0, |bits, m| {
            bits | u128::from(mask(m.width.into())) << (64 * u32::from(m.limb & 1) + u32::from(m.lo))
        })
    }

    /// Adds the bits of a piece, cut where a limb ends.
    pub(super) fn push_moves(&mut self, slot: u8, range: BitRange, shift: u32) {
        let mut lo = range.lo;
        while lo < range.end() {
            let width = (range.end() - lo).min(64 - lo % 64);
            self.moves.push(Move {
                slot,
                limb: (lo / 64) as u8,
                lo: (lo % 64) as u8,
                width: width as u8,
                shift: (shift + lo - range.lo) as u8,
                first: self.moves.last().is_none_or(|m| m.slot != slot),
            });
            lo += width;
        }
    }
}
