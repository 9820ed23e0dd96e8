//! Operands that were read before: a text names the same few again and again, and what an operand says depends on its
//! own text and the form of the instruction alone.
//!
//! Of a general register such as `r12.3<8;8,1>:f` and of a decimal immediate only what follows the numbers is looked up: what
//! it says of the operand does not depend on them. Texts are compared as two numbers, their bytes from the lowest on.

use super::{Parser, Result};
use crate::chunk::{FIRST, find};
use crate::inst::{File, Form, XeOperand, XeOperandKind};
use crate::limits::KEPT_OPERANDS;
use crate::types::Style;

/// The longest text that is kept; hardly any operand is longer.
const LONGEST: usize = 32;

/// Operands by their text, the latest for each place of a table.
pub(super) struct Seen(Vec<Entry>);

#[derive(Clone, Copy)]
struct Entry {
    text: [u128; 2],
    place: u16,
    operand: XeOperand,
}

/// No operand.
const FREE: u16 = u16::MAX;

/// In a place: what follows the number of a general register, its two numbers, or an immediate.
const REGISTER: u16 = 1 << 8;
const ELEMENT: u16 = 1 << 9;
const IMMEDIATE: u16 = 1 << 10;

/// The numbers at the beginning of an operand's text.
#[derive(Clone, Copy)]
struct Numbers {
    /// Of a register, or the immediate.
    first: u32,
    element: u32,
    length: usize,
    /// Which numbers there are, as in a place.
    marks: u16,
}

/// `r12` or `r12.3`, if a text begins so and no more digits or letters follow; or a decimal number before a colon.
#[inline]
fn numbers(text: &[u8]) -> Option<Numbers> {
    let [b'r', rest @ ..] = text else {
        let (first, length) = decimal::<9>(text)?;
        let plain = text.get(length) == Some(&b':');
        return plain.then_some(Numbers { first, element: 0, length, marks: IMMEDIATE });
    };
    let (first, length) = decimal::<3>(rest)?;
    let mut numbers = Numbers { first, element: 0, length: 1 + length, marks: REGISTER };
    if text.get(numbers.length) == Some(&b'.') {
        let (element, length) = decimal::<3>(text.get(numbers.length + 1..)?)?;
        numbers.element = element;
        numbers.length += 1 + length;
        numbers.marks |= ELEMENT;
    }
    let next = text.get(numbers.length).copied().unwrap_or(b' ');
    (!next.is_ascii_alphanumeric() && next != b'_' && next != b'.').then_some(numbers)
}

/// At most so many digits, and how many.
#[inline]
fn decimal<const MOST: usize>(text: &[u8]) -> Option<(u32, usize)> {
    let (mut value, mut length) = (0, 0);
    while let Some(digit @ b'0'..=b'9') = text.get(length)
        && length < MOST
    {
        value = value * 10 + u32::from(digit - b'0');
        length += 1;
    }
    (length > 0).then_some((value, length))
}

impl Default for Seen {
    fn default() -> Seen {
        Seen(vec![Entry { text: [0; 2], place: FREE, operand: XeOperand::default() }; KEPT_OPERANDS])
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
        let Some((text, length)) = self.token(skipped) else { return read(self) };
        // Form and number together are below the marks.
        let place = (form as u16) << 3 | u16::from(n) | numbers.map_or(0, |n| n.marks);
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

    /// The text from a place of the line up to the next blank, zeros after it, and where it ends; `None` if it is long.
    #[inline]
    fn token(&self, from: usize) -> Option<([u128; 2], usize)> {
        let line = self.rest.get(from..)?;
        // What stands in later lines is cut off.
        let text = self.text.get(self.at() + from..)?;
        let mut bytes = [0; LONGEST];
        match text.first_chunk() {
            Some(chunk) => bytes = *chunk,
            None => bytes.iter_mut().zip(text).for_each(|(to, from)| *to = *from),
        }
        let (low, high) = bytes.split_first_chunk::<16>()?;
        let (low, high) = (u128::from_le_bytes(*low), u128::from_le_bytes(*high.first_chunk()?));
        let length = match (find(low, b' '), find(high, b' ')) {
            (16, more) => 16 + more,
            (few, _) => few,
        };
        if length.min(line.len()) == LONGEST {
            return None;
        }
        let length = length.min(line.len());
        let text = match length {
            0..16 => [low & FIRST[length], 0],
            _ => [low, high & FIRST[length - 16]],
        };
        Some((text, from + length))
    }

    /// The operand with the numbers of its text; nothing if such an operand is not made of them, or there is no such register
    /// or immediate.
    #[inline]
    fn with_numbers(&self, operand: XeOperand, numbers: Option<Numbers>) -> Option<XeOperand> {
        let Some(Numbers { first, element, marks, .. }) = numbers else { return Some(operand) };
        let bits = operand.ty.bits();
        if marks == IMMEDIATE {
            // No type is so narrow that a number that fits its positive half is written otherwise.
            let whole = operand.kind == XeOperandKind::Imm && operand.ty.style() != Style::Float;
            let fits = bits <= 64 && u64::from(first) >> (bits - 1) == 0;
            return (whole && fits).then_some(XeOperand { imm: first.into(), ..operand });
        }
        let file = self.xe.file(File::R);
        let whole = operand.kind == XeOperandKind::Direct && operand.file == File::R && bits >= 8;
        let sub = element * operand.ty.bytes();
        if !whole || first >= file.count || sub >= file.bytes {
            return None;
        }
        Some(XeOperand { reg: u8::try_from(first).ok()?, sub: u8::try_from(sub).ok()?, ..operand })
    }
}

#[inline]
fn slot(text: &[u128; 2], place: u16) -> usize {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let half =
        |text: u128| ((text as u64).wrapping_mul(SPREAD).rotate_left(23) ^ (text >> 64) as u64).wrapping_mul(SPREAD);
    let [low, high] = *text;
    // Hardly any text has a second half.
    let more = if high == 0 { 0 } else { half(high).rotate_left(17) };
    let hash = (half(low) ^ more ^ u64::from(place)).wrapping_mul(SPREAD);
    (hash >> (64 - KEPT_OPERANDS.trailing_zeros())) as usize
}
