//! What is wrong with a word, as text at the end of its line.
//!
//! The texts and their order are those of the reference decoder, which people compare with. At most
//! [`MAX_LINE_ERRORS`] are kept; those of a word that matches nothing stay until a line that does.

use std::io::Write;

use isaglot_bits::Word;

use crate::limits::MAX_LINE_ERRORS;

/// The messages of one line.
#[derive(Clone, Debug)]
pub struct Errors {
    text: Vec<u8>,
    count: usize,
    enabled: bool,
    /// One of them is about more than don't-care bits.
    wrong: bool,
    /// Width in bits to which values in messages are padded.
    width: u32,
}

impl Errors {
    /// None so far. Values are shown with `width` bits; with `enabled` off nothing is ever recorded.
    #[must_use]
    pub fn new(width: u32, enabled: bool) -> Self {
        Self { text: Vec::new(), count: 0, enabled, wrong: false, width }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether there is one about anything else than don't-care bits that are set.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.wrong
    }

    /// All of them, joined by `, `.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.text.clear();
        (self.count, self.wrong) = (0, false);
    }

    /// Records one.
    pub fn push(&mut self, message: std::fmt::Arguments<'_>) {
        self.wrong |= self.enabled;
        self.add(message);
    }

    fn add(&mut self, message: std::fmt::Arguments<'_>) {
        if !self.enabled || self.count == MAX_LINE_ERRORS {
            return;
        }
        if self.count > 0 {
            self.text.extend_from_slice(b", ");
        }
        self.count += 1;
        // Writing to a vector does not fail.
        let _ = self.text.write_fmt(message);
    }

    /// `value` as messages show it.
    #[must_use]
    pub fn hex(&self, value: &Word) -> String {
        value.resized(self.width).hex()
    }

    /// Two encodings match.
    pub fn conflict(&mut self, first: &str, second: &str) {
        self.push(format_args!("bitset conflict: {first} vs {second}"));
    }

    /// Don't-care bits are set; `bits` has just these.
    pub fn dont_care(&mut self, name: &str, bits: &Word) {
        if self.enabled {
            let hex = self.hex(bits);
            self.add(format_args!("dontcare bits in {name}: {hex}"));
        }
    }

    /// A name that nothing defines here.
    pub fn no_field(&mut self, name: &str) {
        self.push(format_args!("no field '{name}'"));
    }

    /// No case has a text.
    pub fn no_display(&mut self, name: &str) {
        self.push(format_args!("{name}: no display template"));
    }

    /// The value of a sub-encoded field is none of its space.
    pub fn no_match(&mut self, name: &str, field: &str, value: &Word) {
        if self.enabled {
            let hex = self.hex(value);
            self.push(format_args!("no match: FIELD: '{name}.{field}': {hex}"));
        }
    }

    /// An assert fails.
    pub fn unexpected(&mut self, (low, high): (u32, u32), name: &str, got: &Word, want: &Word) {
        if self.enabled {
            let (got, want) = (self.hex(got), self.hex(want));
            self.push(format_args!("WARNING: unexpected bits[{low}:{high}] in {name}: {got} vs {want}"));
        }
    }
}
