//! Operands that were read before: a text names the same few again and again, and what an operand says depends on its
//! own text and the form of the instruction alone.
//!
//! Of a general register such as `r12.3<8;8,1>:f` only what follows the numbers is looked up: what it says of the operand
//! does not depend on them.

use super::{Parser, Result};
use crate::inst::{File, Form, XeOperand, XeOperandKind};
use crate::limits::KEPT_OPERANDS;

/// The longest text that is kept; hardly any operand is longer.
const LONGEST: usize = 32;

/// Operands by their text, the latest for each place of a table.
pub(super) struct Seen(Vec<Entry>);

#[derive(Clone, Copy)]
struct Entry {
    text: [u8; LONGEST],
    place: u16,
    operand: XeOperand,
}

/// No operand.
const FREE: u16 = u16::MAX;

/// In a place: what follows the number of a general register, or its two numbers.
const REGISTER: u16 = 1 << 8;
const ELEMENT: u16 = 1 << 9;

/// The beginning of a general register's text.
#[derive(Clone, Copy)]
struct Numbers {
    reg: u32,
    /// The number of the element, if there is one.
    element: Option<u32>,
    length: usize,
}

/// `r12` or `r12.3`, if a text begins so and no more digits or letters follow.
#[inline]
fn numbers(text: &[u8]) -> Option<Numbers> {
    let [b'r', rest @ ..] = text else { return None };
    let (reg, length) = decimal(rest)?;
    let mut numbers = Numbers { reg, element: None, length: 1 + length };
    if text.get(numbers.length) == Some(&b'.') {
        let (element, length) = decimal(text.get(numbers.length + 1..)?)?;
        numbers.element = Some(element);
        numbers.length += 1 + length;
    }
    let next = text.get(numbers.length).copied().unwrap_or(b' ');
    (!next.is_ascii_alphanumeric() && next != b'_' && next != b'.').then_some(numbers)
}

/// One to three digits, and how many.
#[inline]
fn decimal(text: &[u8]) -> Option<(u32, usize)> {
    let digits = text.iter().take(3).take_while(|b| b.is_ascii_digit());
    let (value, length) = digits.fold((0, 0), |(value, n), b| (value * 10 + u32::from(b - b'0'), n + 1));
    (length > 0).then_some((value, length))
}

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
        let numbers = numbers(self.rest);
        let skipped = numbers.map_or(0, |n| n.length);
        let length = match numbers {
            // Hardly any text after a register is long enough for a search that prepares itself.
            Some(_) => skipped + self.rest.iter().skip(skipped).take_while(|b| **b != b' ').count(),
            None => memchr::memchr(b' ', self.rest).unwrap_or(self.rest.len()),
        };
        let mut text = [0; LONGEST];
        let (Some(token), Some(room)) = (self.rest.get(skipped..length), text.get_mut(..length - skipped)) else {
            return read(self);
        };
        for (to, from) in room.iter_mut().zip(token) {
            *to = *from;
        }
        // Form and number together are below the marks.
        let marks = numbers.map_or(0, |n| REGISTER | if n.element.is_some() { ELEMENT } else { 0 });
        let place = (form as u16) << 3 | u16::from(n) | marks;
        let slot = slot(&text, place);
        if let Some(entry) = self.seen.0.get(slot)
            && entry.text == text
            && entry.place == place
            && let Some(operand) = self.with_numbers(entry.operand, numbers)
        {
            self.skip(length);
            return Ok(operand);
        }
        let before = self.rest.len();
        let operand = read(self)?;
        if before - self.rest.len() == length
            && self.with_numbers(operand, numbers) == Some(operand)
            && let Some(entry) = self.seen.0.get_mut(slot)
        {
            *entry = Entry { text, place, operand };
        }
        Ok(operand)
    }

    /// The operand with the numbers of its register; nothing if such an operand is not made of them, or there is no such
    /// register.
    #[inline]
    fn with_numbers(&self, operand: XeOperand, numbers: Option<Numbers>) -> Option<XeOperand> {
        let Some(Numbers { reg, element, .. }) = numbers else { return Some(operand) };
        let file = self.xe.file(File::R);
        let whole = operand.kind == XeOperandKind::Direct && operand.file == File::R && operand.ty.bits() >= 8;
        let sub = element.unwrap_or(0) * operand.ty.bytes();
        if !whole || reg >= file.count || sub >= file.bytes {
            return None;
        }
        Some(XeOperand { reg: u8::try_from(reg).ok()?, sub: u8::try_from(sub).ok()?, ..operand })
    }
}

#[inline]
fn slot(text: &[u8; LONGEST], place: u16) -> usize {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let words = text.chunks_exact(8).map(|c| c.try_into().map_or(0, u64::from_le_bytes));
    let hash = words.fold(u64::from(place), |all, word| (all.rotate_left(23) ^ word).wrapping_mul(SPREAD));
    (hash >> (64 - KEPT_OPERANDS.trailing_zeros())) as usize
}
