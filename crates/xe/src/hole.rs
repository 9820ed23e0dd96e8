//! Holes in finished texts: the register or the immediate of an operand.
//!
//! Problem: many texts of operands differ in nothing but a register or an immediate. Method: a kept text (see `parts.rs`) leaves
//! a hole for it, and what belongs there is written for each word. The text of a register is put together as one number,
//! its bytes from the lowest on, from a table of digits, and copied at once.

use crate::float::{decimal, immediate};
use crate::types::Type;

/// What is written into the hole of an operand's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hole {
    /// There is none.
    #[default]
    None,
    /// `12`
    Register,
    /// `12.3`
    Element,
    /// `12`, or `12.3` if it is not the first element.
    LaterElement,
    /// `,"r":12`, or nothing for 0.
    Key,
    /// The same, and `,"sr":3`.
    Keys,
    /// An immediate as its type is written.
    Immediate,
    /// The same, but floating-point numbers as bits.
    ImmediateBits,
}

impl Hole {
    /// The hole of an immediate.
    pub(crate) fn of_immediate(hex_floats: bool) -> Hole {
        if hex_floats { Hole::ImmediateBits } else { Hole::Immediate }
    }

    /// Whether an immediate belongs there.
    pub(crate) fn immediate(self) -> bool {
        matches!(self, Hole::Immediate | Hole::ImmediateBits)
    }

    /// Writes what belongs there: a register's number and byte, where `count` is the bytes of an element; or an
    /// immediate, where it is the type. The first `before` bytes of `text` come first.
    #[inline]
    pub(crate) fn write(self, text: &[u8], before: usize, (value, byte): (u64, u64), count: u8, out: &mut Vec<u8>) {
        // The bytes of an element are a power of two.
        let element = byte >> count.trailing_zeros().min(7);
        if self.immediate() {
            append(text, before, out);
            immediate(out, Type(count), value, self == Hole::ImmediateBits);
            return;
        }
        match (self.register(value, element), text.first_chunk()) {
            // Both at once.
            (Some((register, length)), Some(text)) if before <= 8 && length <= 8 => {
                let text = u128::from(u64::from_le_bytes(*text)) & !(u128::MAX << (8 * before));
                append(&(text | register << (8 * before)).to_le_bytes(), before + length as usize, out);
            }
            (Some((register, length)), _) => {
                append(text, before, out);
                append(&register.to_le_bytes(), length as usize, out);
            }
            (None, _) => {
                append(text, before, out);
                self.large(value, element, out);
            }
        }
    }

    /// The text of a register as bytes from the lowest on, and how many these are; `None` if they are too many.
    #[inline]
    pub(crate) fn register(self, register: u64, element: u64) -> Option<(u128, u32)> {
        const KEY: u128 = u64::from_le_bytes(*b",\"r\":\0\0\0") as u128;
        const SECOND_KEY: u128 = u64::from_le_bytes(*b",\"sr\":\0\0") as u128;
        let (digits, count) = small(register)?;
        match self {
            Hole::None | Hole::Immediate | Hole::ImmediateBits => Some((0, 0)),
            Hole::Register => Some((digits.into(), count)),
            Hole::LaterElement if element == 0 => Some((digits.into(), count)),
            Hole::Element | Hole::LaterElement => {
                let (second, more) = small(element)?;
                let point = u64::from(b'.') | u64::from(second) << 8;
                Some(((u64::from(digits) | point << (8 * count)).into(), count + 1 + more))
            }
            Hole::Key | Hole::Keys => {
                let (text, length) = if register == 0 { (0, 0) } else { (KEY | u128::from(digits) << 40, 5 + count) };
                if self == Hole::Key || element == 0 {
                    return Some((text, length));
                }
                let (second, more) = small(element)?;
                let second = SECOND_KEY | u128::from(second) << 48;
                let whole = length + 6 + more;
                (whole <= 16).then_some((text | second << (8 * length), whole))
            }
        }
    }

    /// The same for large numbers, which are rare.
    #[cold]
    fn large(self, register: u64, element: u64, out: &mut Vec<u8>) {
        let mut number = |before: &str, n: u64| {
            out.extend_from_slice(before.as_bytes());
            decimal(out, n as i64);
        };
        match self {
            Hole::None | Hole::Immediate | Hole::ImmediateBits => {}
            Hole::Register | Hole::Element | Hole::LaterElement => {
                number("", register);
                if self == Hole::Element || (self == Hole::LaterElement && element != 0) {
                    number(".", element);
                }
            }
            Hole::Key | Hole::Keys => {
                if register != 0 {
                    number(",\"r\":", register);
                }
                if self == Hole::Keys && element != 0 {
                    number(",\"sr\":", element);
                }
            }
        }
    }
}

/// Adds the beginning of a text. What is copied has fixed lengths, which is quicker; what is too much is cut off.
#[inline]
pub(crate) fn append(text: &[u8], length: usize, out: &mut Vec<u8>) {
    const FEW: usize = 16;
    const MORE: usize = 48;
    let end = out.len() + length;
    match (text.first_chunk::<FEW>(), text.first_chunk::<MORE>()) {
        (Some(few), _) if length <= FEW => out.extend_from_slice(few),
        (_, Some(more)) if length <= MORE => out.extend_from_slice(more),
        _ => out.extend_from_slice(text),
    }
    out.truncate(end);
}

/// The decimal digits of a small number as bytes from the lowest on, and how many these are.
#[inline]
fn small(n: u64) -> Option<(u32, u32)> {
    DIGITS.get(usize::try_from(n).ok()?).copied()
}

static DIGITS: [(u32, u32); 256] = {
    let mut all = [(0, 0); 256];
    let mut n = 0;
    while n < all.len() {
        let [hundreds, tens, ones] = [b'0' + (n / 100) as u8, b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8];
        all[n] = match n {
            0..10 => (u32::from_le_bytes([ones, 0, 0, 0]), 1),
            10..100 => (u32::from_le_bytes([tens, ones, 0, 0]), 2),
            _ => (u32::from_le_bytes([hundreds, tens, ones, 0]), 3),
        };
        n += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::Hole;

    #[test]
    fn registers_are_the_same_put_together_and_written_one_by_one() {
        for hole in [Hole::Register, Hole::Element, Hole::LaterElement, Hole::Key, Hole::Keys] {
            for register in [0, 1, 9, 10, 99, 100, 255, 256, 1000] {
                for element in [0, 1, 9, 10, 63, 99, 100, 255, 256] {
                    let (mut quick, mut plain) = (Vec::new(), Vec::new());
                    hole.write(b"r", 1, (register, element), 1, &mut quick);
                    plain.push(b'r');
                    hole.large(register, element, &mut plain);
                    assert_eq!(quick, plain, "{hole:?} {register} {element}");
                }
            }
        }
    }
}
