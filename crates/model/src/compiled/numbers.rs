//! Numbers and which value each part has, as runs of bytes that are read without a list of them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Numbers, one after the other: seven bits a byte, the least significant first; the top bit says that more follow.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Numbers<'b>(#[serde(borrow)] Cow<'b, [u8]>);

/// Numbers that are left to be read.
pub(super) struct NumberReader<'b>(std::slice::Iter<'b, u8>);

impl Numbers<'_> {
    pub(super) fn push(&mut self, number: u64) {
        let (bytes, mut rest) = (self.0.to_mut(), number);
        while rest > 0x7f {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }

    pub(super) fn read(&self) -> NumberReader<'_> {
        NumberReader(self.0.iter())
    }
}

impl Extend<u64> for Numbers<'_> {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, numbers: I) {
        numbers.into_iter().for_each(|number| self.push(number));
    }
}

impl NumberReader<'_> {
    /// At most so many are left.
    pub(super) fn left(&self) -> usize {
        self.0.as_slice().len()
    }

    /// Whether none are left.
    pub(super) fn ended(&self) -> bool {
        self.0.as_slice().is_empty()
    }
}

impl Iterator for NumberReader<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let first = *self.0.next()?;
        if first < 0x80 {
            return Some(first.into());
        }
        let mut number = u64::from(first & 0x7f);
        for at in (7..u64::BITS).step_by(7) {
            let byte = *self.0.next()?;
            number |= u64::from(byte & 0x7f) << at;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

/// Which value each part has: 0 for the one after the last that was new, else the number of one that came before, from 1 on. Most parts of
/// small descriptions have a value of their own, so most uses are a byte.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Uses<'b> {
    #[serde(borrow)]
    numbers: Numbers<'b>,
    #[serde(skip)]
    fresh: u64,
}

/// Uses that are left to be read.
pub(super) struct UseReader<'b> {
    numbers: NumberReader<'b>,
    fresh: usize,
}

impl Uses<'_> {
    /// Notes the value of the next part, by its number; values are numbered as they come first.
    pub(super) fn push(&mut self, value: u64) {
        let is_new = value == self.fresh;
        self.fresh += u64::from(is_new);
        self.numbers.push(if is_new { 0 } else { value + 1 });
    }

    pub(super) fn read(&self) -> UseReader<'_> {
        UseReader { numbers: self.numbers.read(), fresh: 0 }
    }
}

impl UseReader<'_> {
    /// At most so many are left.
    pub(super) fn left(&self) -> usize {
        self.numbers.left()
    }

    /// Whether none are left.
    pub(super) fn ended(&self) -> bool {
        self.numbers.ended()
    }
}

impl Iterator for UseReader<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        match self.numbers.next()? {
            0 => {
                self.fresh += 1;
                Some(self.fresh - 1)
            }
            number => usize::try_from(number - 1).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Numbers, Uses};

    #[test]
    fn numbers_come_back() {
        let list = [0, 1, 127, 128, 300, 1 << 14, 1 << 32, 1 << 63, u64::MAX];
        let mut numbers = Numbers::default();
        numbers.extend(list);
        let mut read = numbers.read();
        assert!(read.by_ref().eq(list));
        assert!(read.ended());
        // What does not end gives nothing.
        assert_eq!(Numbers(vec![0xff; 11].into()).read().next(), None);
        assert_eq!(Numbers(vec![0x80].into()).read().next(), None);
    }

    #[test]
    fn uses_come_back() {
        let list = [0, 1, 0, 2, 2, 3, 1, 400];
        let mut uses = Uses::default();
        list.iter().for_each(|&value| uses.push(value));
        assert!(uses.read().eq(list.iter().map(|&value| value as usize)));
    }
}
