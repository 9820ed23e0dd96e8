//! Whole lines of text with a hole for each register and immediate.
//!
//! Problem: putting a line together from its parts (see `parts.rs`) takes a search, copies and columns for each part, though new
//! lines mostly differ from earlier ones in nothing but registers, immediates and options. Method: the head and the operands
//! of a line, with the holes of its parts, are one item, found by the shape and by all bits that these parts depend on. What
//! comes after a hole is followed by so many blanks that one copy fills its column. Options are a part of their own.
//!
//! Invariant: an item is made of kept parts, and its key has all of their keys; so a line that it makes is the line that
//! the parts would make.

use isaglot_codec::ShapeId;

use crate::hole::Hole;
use crate::inst::Form;
use crate::known::Known;
use crate::limits::KEPT_WHOLE;
use crate::parts::{Part, Parts, Plan, SOURCES};
use crate::print::{OPERAND, SOURCE};
use crate::recent::hash_word;

/// Lines by their form.
pub(crate) struct WholeTexts {
    lines: Known<Line>,
    /// A line while it is written, and its immediate.
    room: [u8; ROOM],
    digits: Vec<u8>,
}

/// The most operands.
const CELLS: usize = 4;

/// Room for the head of a line, and the most of it.
const HEAD: usize = 48;

/// Room for what comes after a hole, and the most of it: the rest are blanks.
const AFTER: usize = 32;
const MOST_AFTER: usize = AFTER - SOURCE;

/// Room for what comes before a hole.
const BEFORE: usize = 8;

/// Bytes of options that are copied at once.
const FEW: usize = 16;

/// Bytes that most lines do not exceed.
const USUAL: usize = 96;

/// Room for a line.
const ROOM: usize = 320;

/// The head and the operands of a line.
#[derive(Clone, Copy, Debug)]
struct Line {
    bits: u128,
    shape: ShapeId,
    /// The length of the head, and the debt of its columns.
    head: u8,
    debt: u8,
    count: u8,
    text: [u8; HEAD],
    cells: [Cell; CELLS],
}

/// An operand.
#[derive(Clone, Copy, Debug)]
struct Cell {
    before: [u8; BEFORE],
    after: [u8; AFTER],
    /// Their lengths.
    lengths: (u8, u8),
    hole: Hole,
    /// The bytes of an element, or the type of the immediate.
    unit: u8,
    width: u8,
    column: u8,
}

impl Cell {
    /// What is not there but has a column.
    const EMPTY: Cell = Cell {
        before: [b' '; BEFORE],
        after: [b' '; AFTER],
        lengths: (0, 0),
        hole: Hole::None,
        unit: 0,
        width: 0,
        column: SOURCE as u8,
    };
}

/// Operands in the order of a line.
const OPERANDS: [Part; CELLS] = [Part::Dst, SOURCES[0], SOURCES[1], SOURCES[2]];

impl WholeTexts {
    pub(crate) fn new() -> WholeTexts {
        WholeTexts { lines: Known::new(KEPT_WHOLE), room: [0; ROOM], digits: Vec::new() }
    }

    /// Adds the line of a word, if one of its form is kept; `tail` is the part that its options are.
    #[inline]
    pub(crate) fn add(
        &mut self,
        parts: &Parts,
        (shape, tail): (ShapeId, Part),
        word: u128,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let plan = parts.plan_of(shape)?;
        let bits = word & plan.whole;
        let line = self.lines.get(hash(shape, bits), |line| line.bits == bits && line.shape == shape)?;
        let (options, more, _) = parts.text(plan, tail, word)?;
        let length = line.write(plan, word, &mut self.digits, &mut self.room)?;
        // Few options are longer, and few lines. Copies of fixed lengths are quicker.
        match options.first_chunk::<FEW>().filter(|_| more <= FEW) {
            Some(few) => *self.room.get_mut(length..)?.first_chunk_mut()? = *few,
            None => *self.room.get_mut(length..)?.first_chunk_mut()? = *options,
        }
        let length = length + more;
        let end = out.len() + length;
        match self.room.first_chunk::<USUAL>().filter(|_| length <= USUAL) {
            Some(usual) => out.extend_from_slice(usual),
            None => out.extend_from_slice(&self.room),
        }
        out.truncate(end);
        Some(())
    }

    /// Keeps the form of a word's line, if all its parts are kept.
    pub(crate) fn learn(&mut self, parts: &Parts, (form, shape): (Form, ShapeId), word: u128) {
        if !matches!(form, Form::Unary | Form::Binary | Form::Ternary | Form::Bfn | Form::Math | Form::Dpas) {
            return;
        }
        let Some(plan) = parts.plan_of(shape) else { return };
        let bits = word & plan.whole;
        let hash = hash(shape, bits);
        if self.lines.again(hash)
            && let Some(line) = Line::new(parts, (shape, plan), word, bits)
        {
            self.lines.keep(hash, line);
        }
    }
}

#[inline]
fn hash(shape: ShapeId, bits: u128) -> u64 {
    hash_word(bits ^ u128::from(shape.0) << 96)
}

impl Line {
    fn new(parts: &Parts, (shape, plan): (ShapeId, &Plan), word: u128, bits: u128) -> Option<Line> {
        let text = |part| {
            let (text, length, shown) = parts.text(plan, part, word)?;
            Some((text.get(..length)?, shown))
        };
        let (head, shown) = text(Part::Head)?;
        let mut line = Line {
            bits,
            shape,
            head: u8::try_from(head.len()).ok()?,
            debt: u8::try_from(shown.width).ok()?,
            count: shown.count + 1,
            text: [b' '; HEAD],
            cells: [Cell::EMPTY; CELLS],
        };
        line.text.get_mut(..head.len())?.copy_from_slice(head);
        for (n, (cell, part)) in line.cells.iter_mut().zip(OPERANDS).take(line.count.into()).enumerate() {
            let (text, shown) = text(part)?;
            let (hole, kind) = shown.hole;
            let (before, after) = text.split_at_checked(if kind == Hole::None { 0 } else { hole.into() })?;
            if after.len() > MOST_AFTER {
                return None;
            }
            cell.before.get_mut(..before.len())?.copy_from_slice(before);
            cell.after.get_mut(..after.len())?.copy_from_slice(after);
            cell.lengths = (before.len() as u8, after.len() as u8);
            (cell.hole, cell.unit) = (kind, shown.count);
            // What has no column is wider than this.
            cell.width = u8::try_from(shown.width).ok()?;
            cell.column = if n == 0 { OPERAND as u8 } else { SOURCE as u8 };
        }
        if line.count == 2 {
            // The column of the second source stays empty.
            line.count = 3;
        }
        Some(line)
    }

    /// Writes the line of a word, and gives its length; `None` if it is too long, or a number is too large.
    #[inline]
    fn write(&self, plan: &Plan, word: u128, digits: &mut Vec<u8>, room: &mut [u8; ROOM]) -> Option<usize> {
        *room.first_chunk_mut()? = self.text;
        let mut at = usize::from(self.head);
        let mut debt = i32::from(self.debt);
        for (cell, part) in self.cells.iter().zip(OPERANDS).take(self.count.into()) {
            let (before, after) = (usize::from(cell.lengths.0), usize::from(cell.lengths.1));
            let mut width = i32::from(cell.width);
            if cell.hole.immediate() {
                let (value, _) = plan.values(part, true, word)?;
                digits.clear();
                cell.hole.write(&cell.before, before, (value, 0), cell.unit, digits);
                room.get_mut(at..)?.get_mut(..digits.len())?.copy_from_slice(digits);
                at += digits.len();
            } else if cell.hole != Hole::None {
                let (number, byte) = plan.values(part, false, word)?;
                let (register, length) = cell.hole.register(number, byte >> (cell.unit.trailing_zeros() & 7))?;
                if length as usize > BEFORE {
                    return None;
                }
                let text = u128::from(u64::from_le_bytes(cell.before)) & !(u128::MAX << (8 * before));
                *room.get_mut(at..)?.first_chunk_mut()? = (text | register << (8 * before)).to_le_bytes();
                at += before + length as usize;
                width += length as i32;
            }
            *room.get_mut(at..)?.first_chunk_mut()? = cell.after;
            let free = i32::from(cell.column) - width - debt;
            debt = (-free).max(0);
            at += after + free.max(0) as usize;
        }
        Some(at)
    }
}
