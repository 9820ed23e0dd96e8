//! Where text goes: a small buffer before the sink that takes the bytes, with the column of the line.
//!
//! A line that may yet be taken back is written by *quick* steps: each is told the place where it writes and gives the
//! place after it, which its caller keeps in a register. They copy a fixed number of bytes, of which those too many are
//! written over by the next step, and do not check for room: what lies beyond the buffer goes to its end, and shows when
//! the line is done. Everything else keeps its place in the output.

use core::fmt;

use super::tables::PAD;

/// Bytes of the buffer.
const SIZE: usize = 4096;

/// Bytes of a text that can be taken back; longer ones are printed by the exact half, which takes nothing back.
const HELD: usize = 1024;

/// Numbers below 1,000: their digits, the first the least significant byte, and how many.
static SMALL: [u32; 1000] = small();

/// The output.
pub struct Out<'o> {
    /// [`SIZE`] bytes, and room for a short copy.
    buffer: [u8; SIZE + PAD],
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
        Out { buffer: [0; SIZE + PAD], at: 0, start: 0, held: false, full: false, sink }
    }

    /// Hands on what is in the buffer, but nothing that may yet be taken back.
    pub fn flush(&mut self) {
        if self.held {
            return;
        }
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

    /// Begins a line that can be taken back; gives the place for its first step.
    #[inline(always)]
    pub(crate) fn hold(&mut self) -> usize {
        if self.at > SIZE - HELD {
            self.flush();
        }
        self.start = self.at;
        self.held = true;
        self.at
    }

    /// Keeps a line that ends at `at`; `false`, with the line taken back, if there is none or it was too long.
    #[inline(always)]
    pub(crate) fn keep(&mut self, end: Option<usize>) -> bool {
        self.held = false;
        match end {
            Some(end) if end <= SIZE && !self.full => {
                self.at = end;
                true
            }
            _ => {
                self.at = self.start;
                self.full = false;
                false
            }
        }
    }

    /// A step that is not quick: `print` appends as usual.
    #[inline]
    pub(crate) fn slowly(&mut self, at: usize, print: impl FnOnce(&mut Self)) -> usize {
        self.full |= at > SIZE;
        self.at = at.min(SIZE);
        print(self);
        self.at
    }

    /// A quick step: a text.
    #[inline(always)]
    pub(crate) fn text<const N: usize>(&mut self, at: usize, text: &[u8; N]) -> usize {
        let to = at.min(SIZE);
        if let Some(room) = self.buffer.get_mut(to..to + N) {
            room.copy_from_slice(text);
        }
        at + N
    }

    /// A quick step: a text of a pool that has [`PAD`] bytes more after it; its first byte × 256 + its length.
    #[inline(always)]
    pub(crate) fn pooled(&mut self, at: usize, pool: &[u8], entry: u32) -> usize {
        let (from, len) = ((entry >> 8) as usize, (entry & 255) as usize);
        if len > PAD {
            return self.long_text(at, pool.get(from..from + len).unwrap_or(&[]));
        }
        self.short(at, pool, from);
        at + len
    }

    /// A quick step: the same for a text of at most [`PAD`] bytes.
    #[inline(always)]
    pub fn short_pooled<const N: usize>(&mut self, at: usize, pool: &[u8; N], entry: u32) -> usize {
        self.short(at, pool, (entry >> 8) as usize);
        at + (entry & 255) as usize
    }

    #[inline(always)]
    fn short(&mut self, at: usize, pool: &[u8], from: usize) {
        let to = at.min(SIZE);
        if let (Some(text), Some(room)) = (pool.get(from..from + PAD), self.buffer.get_mut(to..to + PAD)) {
            room.copy_from_slice(text);
        }
    }

    #[inline(never)]
    fn long_text(&mut self, at: usize, text: &[u8]) -> usize {
        if let Some(room) = self.buffer.get_mut(at..at + text.len()) {
            room.copy_from_slice(text);
        }
        at + text.len()
    }

    /// A quick step: up to 8 bytes, the first the least significant.
    #[inline(always)]
    fn eight(&mut self, at: usize, bytes: u64, len: usize) -> usize {
        let to = at.min(SIZE);
        if let Some(room) = self.buffer.get_mut(to..to + 8) {
            room.copy_from_slice(&bytes.to_le_bytes());
        }
        at + len
    }

    /// A quick step: blanks up to a column.
    #[inline(always)]
    pub(crate) fn blanks(&mut self, at: usize, column: usize) -> usize {
        let end = self.start + column;
        if end > at.saturating_add(PAD) {
            return self.many_blanks(at, end);
        }
        let to = at.min(SIZE);
        if let Some(room) = self.buffer.get_mut(to..to + PAD) {
            room.copy_from_slice(&[b' '; PAD]);
        }
        at.max(end)
    }

    #[inline(never)]
    fn many_blanks(&mut self, at: usize, end: usize) -> usize {
        if let Some(room) = self.buffer.get_mut(at..end) {
            room.fill(b' ');
        }
        end
    }

    /// A quick step: a number in lower-case hexadecimal without leading zeros.
    #[inline]
    pub(crate) fn put_hex(&mut self, at: usize, value: u64) -> usize {
        let digits = (67 - (value | 1).leading_zeros() as usize) / 4;
        if digits <= 8 {
            return self.eight(at, hexadecimal(value as u32) >> (8 * (8 - digits)), digits);
        }
        let at = self.eight(at, hexadecimal((value >> 32) as u32) >> (8 * (16 - digits)), digits - 8);
        self.eight(at, hexadecimal(value as u32), 8)
    }

    /// A quick step: a number in decimal.
    #[inline]
    pub(crate) fn put_unsigned(&mut self, at: usize, value: u64) -> usize {
        match usize::try_from(value).ok().and_then(|value| SMALL.get(value)) {
            Some(&small) => self.eight(at, u64::from(small & 0xff_ffff), (small >> 24) as usize),
            None => self.put_large(at, value),
        }
    }

    #[inline(never)]
    fn put_large(&mut self, at: usize, value: u64) -> usize {
        let mut digits = [0u8; 20];
        let mut from = digits.len();
        let mut rest = value;
        while rest != 0 && from > 0 {
            from -= 1;
            digits[from] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        self.long_text(at, digits.get(from..).unwrap_or(&[]))
    }

    /// A quick step: a signed number in decimal.
    #[inline]
    pub(crate) fn put_signed(&mut self, at: usize, value: i64) -> usize {
        let at = if value < 0 { self.text(at, b"-") } else { at };
        self.put_unsigned(at, value.unsigned_abs())
    }

    /// Appends what a quick step writes.
    #[inline]
    fn quickly(&mut self, most: usize, step: impl FnOnce(&mut Self, usize) -> usize) {
        if self.room(most) {
            self.at = step(self, self.at);
        }
    }

    /// Appends bytes.
    #[inline]
    pub fn bytes(&mut self, text: &[u8]) {
        if let Some(to) = self.buffer.get_mut(..SIZE).and_then(|b| b.get_mut(self.at..self.at + text.len())) {
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
        self.bytes(&[byte]);
    }

    /// Pads with blanks up to a column.
    pub(crate) fn align(&mut self, column: usize) {
        while self.column() < column && !self.full {
            let missing = (column - self.column()).min(PAD);
            self.bytes([b' '; PAD].get(..missing).unwrap_or(&[]));
        }
    }

    /// Appends a number in decimal.
    pub fn unsigned(&mut self, value: u64) {
        self.quickly(20, |out, at| out.put_unsigned(at, value));
    }

    /// Appends a signed number in decimal.
    pub fn signed(&mut self, value: i64) {
        self.quickly(20, |out, at| out.put_signed(at, value));
    }

    /// Appends a number in lower-case hexadecimal without leading zeros.
    pub fn hex(&mut self, value: u64) {
        self.quickly(16, |out, at| out.put_hex(at, value));
    }

    /// Appends the last `digits` hexadecimal digits.
    pub fn hex_digits(&mut self, value: u64, digits: u32) {
        for digit in (0..digits.min(16)).rev() {
            self.byte(b"0123456789abcdef"[(value >> (4 * digit)) as usize & 15]);
        }
    }
}

/// The 8 digits of a number in hexadecimal, the first the least significant byte.
#[inline(always)]
fn hexadecimal(value: u32) -> u64 {
    let x = u64::from(value);
    let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    let x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    let x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    // 1 in each byte whose digit is a letter.
    let letters = ((x + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101;
    (x + 0x3030_3030_3030_3030 + letters * 0x27).swap_bytes()
}

/// See [`SMALL`].
const fn small() -> [u32; 1000] {
    let mut table = [0; 1000];
    let mut value = 0u32;
    while value < 1000 {
        let (mut text, mut len, mut rest) = (0, 0, value);
        while len == 0 || rest != 0 {
            text = text << 8 | (0x30 + rest % 10);
            rest /= 10;
            len += 1;
        }
        table[value as usize] = text | len << 24;
        value += 1;
    }
    table
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
