//! Where text goes: a small buffer in front of whatever takes the bytes, with the column of the line.
//!
//! The text of an instruction stays in the buffer until it is decided that it is right, so that it can be taken back.

use core::fmt;

use super::tables::PAD;

/// Bytes of the buffer.
const SIZE: usize = 4096;

/// Bytes of a text that can be taken back; longer ones are printed by the exact half, which takes nothing back.
const HELD: usize = 1024;

/// The output.
pub struct Out<'o> {
    buffer: [u8; SIZE],
    at: usize,
    /// Where in the buffer column 0 is; wraps, for it may be before.
    start: usize,
    held: bool,
    /// A text was too long to be held.
    full: bool,
    sink: &'o mut dyn FnMut(&[u8]),
}

impl fmt::Debug for Out<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Out").field("column", &self.column()).finish_non_exhaustive()
    }
}

impl<'o> Out<'o> {
    /// An output whose bytes go to `sink`, in pieces. What is left goes there when it is dropped.
    pub fn new(sink: &'o mut dyn FnMut(&[u8])) -> Self {
        Out { buffer: [0; SIZE], at: 0, start: 0, held: false, full: false, sink }
    }

    /// Hands on what is in the buffer.
    pub fn flush(&mut self) {
        (self.sink)(self.buffer.get(..self.at).unwrap_or(&[]));
        self.start = self.start.wrapping_sub(self.at);
        self.at = 0;
    }

    /// Begins a line: column 0 is here.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        self.start = self.at;
    }

    /// Bytes in the line so far.
    #[inline(always)]
    pub(crate) fn column(&self) -> usize {
        self.at.wrapping_sub(self.start)
    }

    /// What was written since the column was `column` counts as nothing.
    pub(crate) fn forget(&mut self, column: usize) {
        self.start = self.at.wrapping_sub(column);
    }

    /// From here on, text can be taken back.
    #[inline(always)]
    pub(crate) fn hold(&mut self) {
        if self.at > SIZE - HELD {
            self.flush();
        }
        self.held = true;
    }

    /// Keeps what was held; `false` if it was too much, and nothing of it is right.
    #[inline(always)]
    pub(crate) fn keep(&mut self) -> bool {
        self.held = false;
        !core::mem::take(&mut self.full)
    }

    /// Takes back what was held.
    pub(crate) fn take_back(&mut self) {
        self.at = self.start;
        self.held = false;
        self.full = false;
    }

    /// Appends bytes.
    #[inline]
    pub fn bytes(&mut self, text: &[u8]) {
        if let Some(to) = self.buffer.get_mut(self.at..self.at + text.len()) {
            to.copy_from_slice(text);
            self.at += text.len();
        } else {
            self.long(text);
        }
    }

    #[inline(never)]
    fn long(&mut self, text: &[u8]) {
        for piece in text.chunks(SIZE) {
            if !self.room(piece.len()) {
                return;
            }
            if let Some(to) = self.buffer.get_mut(self.at..self.at + piece.len()) {
                to.copy_from_slice(piece);
                self.at += piece.len();
            }
        }
    }

    /// Makes room for this many bytes, if there can be.
    #[inline]
    fn room(&mut self, len: usize) -> bool {
        if self.at + len > SIZE {
            if self.held {
                self.full = true;
                return false;
            }
            self.flush();
        }
        true
    }

    /// Appends a byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        if let Some(to) = self.buffer.get_mut(self.at) {
            *to = byte;
            self.at += 1;
        } else {
            self.bytes(&[byte]);
        }
    }

    /// Appends the `len` bytes of `pool` from `from` on. The pool has [`PAD`] bytes more behind them.
    #[inline(always)]
    pub(crate) fn copy(&mut self, pool: &[u8], from: usize, len: usize) {
        if len <= PAD
            && let Some(source) = pool.get(from..from + PAD)
            && let Some(to) = self.buffer.get_mut(self.at..self.at + PAD)
        {
            to.copy_from_slice(source);
            self.at += len;
            return;
        }
        self.bytes(pool.get(from..from + len).unwrap_or(&[]));
    }

    /// Appends a text of the pool: its first byte × 256 + its length.
    #[inline(never)]
    pub fn put(&mut self, pool: &[u8], entry: u32) {
        self.copy(pool, (entry >> 8) as usize, (entry & 255) as usize);
    }

    /// Pads with blanks up to a column.
    pub(crate) fn align(&mut self, column: usize) {
        while self.column() < column {
            let missing = (column - self.column()).min(PAD);
            self.copy(&[b' '; 2 * PAD], 0, missing);
            if self.full {
                return;
            }
        }
    }

    /// Appends a number in decimal.
    #[inline]
    pub fn unsigned(&mut self, value: u64) {
        if value < 10 {
            self.byte(b'0' + value as u8);
            return;
        }
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = value;
        while rest > u64::from(u32::MAX) && at > 0 {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let mut rest = rest as u32;
        while rest != 0 && at > 0 {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        self.bytes(digits.get(at..).unwrap_or(&[]));
    }

    /// Appends a signed number in decimal.
    #[inline]
    pub fn signed(&mut self, value: i64) {
        if value < 0 {
            self.byte(b'-');
        }
        self.unsigned(value.unsigned_abs());
    }

    /// Appends a number in lower-case hexadecimal without leading zeros.
    pub fn hex(&mut self, value: u64) {
        let digits = (64 - value.leading_zeros()).div_ceil(4).max(1);
        self.hex_digits(value, digits);
    }

    /// Appends the last `digits` hexadecimal digits.
    pub fn hex_digits(&mut self, value: u64, digits: u32) {
        for digit in (0..digits.min(16)).rev() {
            self.byte(b"0123456789abcdef"[(value >> (4 * digit)) as usize & 15]);
        }
    }
}

/// Text from `write!`; it does not fail.
impl fmt::Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

impl Drop for Out<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}
