//! Words as text: hexadecimal in full width, decimal, and reading both back.

use alloc::string::String;
use core::fmt;
use isaglot_invariant::Impossible as _;

use crate::count::Count;
use crate::word::Word;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Why a text is not a word of the wanted width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseWordError {
    /// There are no digits.
    Empty,
    /// A character that is not a digit of the base, with its byte position.
    BadDigit(usize),
    /// The value has a 1 at or above the width.
    TooWide,
}

impl fmt::Display for ParseWordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("expected digits"),
            Self::BadDigit(at) => write!(f, "not a digit at position {at}"),
            Self::TooWide => f.write_str("the value does not fit the width"),
        }
    }
}

impl core::error::Error for ParseWordError {}

impl Word {
    /// Appends the full width in lower-case hex: 8 digits per 32-bit word, the high word first, zero padded.
    pub fn write_hex(&self, out: &mut impl Extend<u8>) {
        for word in self.words32().rev() {
            out.extend((0..8).rev().map(|i| HEX[(word >> (4 * i)) as usize & 15]));
        }
    }

    /// The full width in lower-case hex: 8 digits per 32-bit word, the high word first, zero padded.
    #[must_use]
    pub fn hex(&self) -> String {
        let digits =
            self.words32().rev().flat_map(|word| (0..8).rev().map(move |i| HEX[(word >> (4 * i)) as usize & 15]));
        digits.map(char::from).collect()
    }

    /// The unsigned value in decimal.
    #[must_use]
    pub fn decimal(&self) -> String {
        alloc::format!("{}", Count::from_limbs(self.limbs()))
    }

    /// The value as a two's complement number of its width, in decimal.
    #[must_use]
    pub fn signed_decimal(&self) -> String {
        if self.width() == 0 || !self.bit(self.width() - 1) {
            return self.decimal();
        }
        alloc::format!("-{}", Count::from_limbs(self.not().resized(self.width() + 1).wrapping_inc().limbs()))
    }

    /// Reads digits of base 2, 8 or 16 (`bits_per_digit` 1, 3, 4) without prefix; `_` between digits is skipped.
    ///
    /// # Errors
    /// See [`ParseWordError`].
    pub fn parse_digits(text: &str, bits_per_digit: u32, width: u32) -> Result<Self, ParseWordError> {
        let mut word = Self::zero(width);
        // From the last digit, which is the lowest.
        let mut at_bit = 0u32;
        let mut digits = 0usize;
        for (at, c) in text.bytes().enumerate().rev() {
            if c == b'_' {
                continue;
            }
            let digit = match char::from(c).to_digit(16) {
                Some(digit) if digit >> bits_per_digit.min(4) == 0 => u64::from(digit),
                _ => return Err(ParseWordError::BadDigit(at)),
            };
            digits += 1;
            if digit != 0 {
                let room = word.width().saturating_sub(at_bit);
                if room < bits_per_digit && digit >> room != 0 {
                    return Err(ParseWordError::TooWide);
                }
                word.insert(at_bit, bits_per_digit, digit);
            }
            at_bit = at_bit.saturating_add(bits_per_digit);
        }
        if digits == 0 { Err(ParseWordError::Empty) } else { Ok(word) }
    }

    /// Reads a number as people write words: `0x` hex (the default without prefix too), `0b` binary, `0o` octal.
    ///
    /// # Errors
    /// See [`ParseWordError`].
    pub fn parse(text: &str, width: u32) -> Result<Self, ParseWordError> {
        let (digits, bits) = match text.get(..2) {
            Some("0x" | "0X") => (text.get(2..), 4),
            Some("0b" | "0B") => (text.get(2..), 1),
            Some("0o" | "0O") => (text.get(2..), 3),
            _ => (Some(text), 4),
        };
        Self::parse_digits(digits.or_impossible(""), bits, width)
    }
}

/// `width'hHEX`, such as `8'h1f`.
impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = self.hex();
        let short = hex.trim_start_matches('0');
        write!(f, "{}'h{}", self.width(), if short.is_empty() { "0" } else { short })
    }
}

/// `0x` and the full width in hex.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", self.hex())
    }
}
