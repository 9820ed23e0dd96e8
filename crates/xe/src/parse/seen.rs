//! Operands that were read before: a text names the same few again and again, and what an operand says depends on its
//! own text and the form of the instruction alone.

use super::{Parser, Result};
use crate::inst::{Form, XeOperand};
use crate::limits::KEPT_OPERANDS;

/// The longest text that is kept; hardly any operand is longer.
const LONGEST: usize = 32;

/// Operands by their text, the latest for each place of a table.
pub(super) struct Seen(Vec<Entry>);

#[derive(Clone, Copy)]
struct Entry {
    text: [u8; LONGEST],
    place: u8,
    operand: XeOperand,
}

/// No operand.
const FREE: u8 = u8::MAX;

impl Default for Seen {
    fn default() -> Seen {
        Seen(vec![Entry { text: [0; LONGEST], place: FREE, operand: XeOperand::default() }; KEPT_OPERANDS])
    }
}

impl Parser<'_, '_, '_> {
    /// The operand up to the next blank, by `read` if it was not read before; `n` is its number in the instruction.
    #[inline]
    pub(super) fn seen(
        &mut self,
        form: Form,
        n: u8,
        read: impl FnOnce(&mut Self) -> Result<XeOperand>,
    ) -> Result<XeOperand> {
        let length = memchr::memchr(b' ', self.rest).unwrap_or(self.rest.len());
        let mut text = [0; LONGEST];
        let (Some(token), Some(room)) = (self.rest.get(..length), text.get_mut(..length)) else { return read(self) };
        room.copy_from_slice(token);
        // Form and number together are below the mark of a free place.
        let place = (form as u8) << 3 | n;
        let slot = slot(&text, place);
        if let Some(entry) = self.seen.0.get(slot)
            && entry.text == text
            && entry.place == place
        {
            let operand = entry.operand;
            self.skip(length);
            return Ok(operand);
        }
        let before = self.rest.len();
        let operand = read(self)?;
        if before - self.rest.len() == length
            && let Some(entry) = self.seen.0.get_mut(slot)
        {
            *entry = Entry { text, place, operand };
        }
        Ok(operand)
    }
}

#[inline]
fn slot(text: &[u8; LONGEST], place: u8) -> usize {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let words = text.chunks_exact(8).map(|c| c.try_into().map_or(0, u64::from_le_bytes));
    let hash = words.fold(u64::from(place), |all, word| (all.rotate_left(23) ^ word).wrapping_mul(SPREAD));
    (hash >> (64 - KEPT_OPERANDS.trailing_zeros())) as usize
}
