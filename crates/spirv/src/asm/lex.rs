//! Bytes to tokens, by the reference's rules: words run to white space, `;` `,` `(` `)` or the end; `"` toggles quoting
//! anywhere in a word and `\` escapes the next byte anywhere. Nothing is copied; a token is a range of the text.

use isaglot_invariant::Impossible as _;

/// An ordinary byte of a word.
const PLAIN: u8 = 0;
/// Ends a word.
const STOP: u8 = 1;
/// `"` or `\`.
const QUOTE: u8 = 2;

const CLASS: [u8; 256] = {
    let mut t = [PLAIN; 256];
    let stops = b" \t\r\n;,()\0";
    let mut i = 0;
    while i < stops.len() {
        t[stops[i] as usize] = STOP;
        i += 1;
    }
    t[b'"' as usize] = QUOTE;
    t[b'\\' as usize] = QUOTE;
    t
};

const NAME: [bool; 256] = {
    let mut t = [false; 256];
    let mut b = 0;
    while b < 256 {
        t[b] = (b as u8).is_ascii_alphanumeric() || b as u8 == b'_';
        b += 1;
    }
    t
};

/// Whether a byte may stand in the name of an id.
#[inline]
pub(crate) fn is_name(b: u8) -> bool {
    NAME[b as usize]
}

/// Whether a byte ends a word.
#[inline]
pub(crate) fn is_stop(b: u8) -> bool {
    CLASS[b as usize] == STOP
}

/// The byte at `i`; 0 past the end.
#[inline]
pub(crate) fn at(text: &[u8], i: usize) -> u8 {
    match text.get(i) {
        Some(&b) => b,
        None => 0,
    }
}

/// The first position from `i` on that is neither white space nor comment.
#[inline]
pub(crate) fn skip(text: &[u8], mut i: usize) -> usize {
    loop {
        match at(text, i) {
            b' ' => {
                i += 1;
                // Indentation comes in long runs.
                while let Some(b"        ") = text.get(i..i + 8) {
                    i += 8;
                }
            }
            b'\n' | b'\t' | b'\r' => i += 1,
            b';' => i = memchr::memchr(b'\n', text.get(i..).or_impossible(&[])).map_or(text.len(), |n| i + n + 1),
            _ => return i,
        }
    }
}

/// Just past the word that starts at `i`.
#[inline]
pub(crate) fn word_end(text: &[u8], mut i: usize) -> usize {
    loop {
        match CLASS[at(text, i) as usize] {
            PLAIN => i += 1,
            STOP => return i,
            _ => return quoted_end(text, i),
        }
    }
}

/// The rest of a word from its first quote or backslash on.
fn quoted_end(text: &[u8], mut i: usize) -> usize {
    let (mut quoting, mut escaping) = (false, false);
    while let Some(&b) = text.get(i) {
        match b {
            b'\\' => {
                escaping = !escaping;
                i += 1;
                continue;
            }
            b'"' if !escaping => {
                quoting = !quoting;
                if quoting {
                    // Inside quotes only these two bytes matter.
                    let rest = text.get(i + 1..).or_impossible(&[]);
                    i = memchr::memchr2(b'"', b'\\', rest).map_or(text.len(), |n| i + 1 + n);
                    continue;
                }
            }
            _ if !quoting && !escaping && is_stop(b) => return i,
            _ => {}
        }
        escaping = false;
        i += 1;
    }
    text.len()
}

/// Whether an opcode name starts here.
#[inline]
pub(crate) fn is_opcode(text: &[u8], i: usize) -> bool {
    at(text, i) == b'O' && at(text, i + 1) == b'p' && at(text, i + 2).is_ascii_uppercase()
}

/// Whether `=` and an opcode name follow at `i`, where a token starts.
pub(crate) fn is_assignment(text: &[u8], i: usize) -> bool {
    at(text, i) == b'=' && word_end(text, i) == i + 1 && is_opcode(text, skip(text, i + 1))
}

/// Whether an instruction starts at `i`, where a token starts.
pub(crate) fn is_instruction(text: &[u8], i: usize) -> bool {
    is_opcode(text, i) || at(text, i) == b'%' && is_assignment(text, skip(text, word_end(text, i)))
}

/// Counts lines and columns as the reference does, from 1: the column counts bytes, and a line end inside a word (that
/// is, in a string) counts as a column, not as a line. Positions that rise cost one walk over the text together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counter {
    /// Where a token or white space begins.
    at: usize,
    line: u32,
    line_start: usize,
}

impl Counter {
    /// Line and column of a position.
    pub(crate) fn position(&mut self, text: &[u8], target: usize) -> (u32, u32) {
        if target < self.at {
            *self = Counter::default();
        }
        while self.at < target.min(text.len()) {
            let i = self.at;
            match at(text, i) {
                b'\n' => {
                    self.at = i + 1;
                    self.line += 1;
                    self.line_start = i + 1;
                }
                b' ' | b'\t' | b'\r' => self.at = i + 1,
                b';' => {
                    let end = memchr::memchr(b'\n', text.get(i..).or_impossible(&[])).map_or(text.len(), |n| i + n);
                    if end > target {
                        break;
                    }
                    self.at = end;
                }
                // A stray `,` is a word of no length.
                _ => self.at = word_end(text, i).max(i + 1),
            }
        }
        (self.line + 1, (target.saturating_sub(self.line_start)) as u32 + 1)
    }
}
