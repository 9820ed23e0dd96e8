//! What is wrong with a word, as text at the end of its line.

use super::out::Out;
use super::tables::{LIMBS, Limbs};

/// Messages kept for one line; further ones are dropped.
const MOST: usize = 4;

/// Something wrong.
#[derive(Clone, Copy, Debug)]
pub enum Problem<'t> {
    /// Two encodings match.
    Conflict(&'t str, &'t str),
    /// Bits are set that the encoding does not care for.
    DontCare(&'t str, Limbs),
    /// Nothing defines the name here.
    NoField(&'t str),
    /// No case of the encoding has a text.
    NoDisplay(&'t str),
    /// The value of a field of the encoding is none of its space.
    NoMatch(&'t str, &'t str, Limbs),
    /// Bits from low to high have the first value, not the second.
    Unexpected((u32, u32), &'t str, Limbs, Limbs),
    /// Fields are nested beyond the limit.
    TooDeep,
}

/// The problems of a line; those of an invalid word stay until a line shows them.
#[derive(Clone, Copy, Debug)]
pub struct Problems<'t> {
    list: [Problem<'t>; MOST],
    count: usize,
    record: bool,
}

impl<'t> Problems<'t> {
    /// None so far; with `record` off there will never be any.
    #[must_use]
    pub fn new(record: bool) -> Self {
        Problems { list: [Problem::TooDeep; MOST], count: 0, record }
    }

    /// Says whether further ones are recorded; gives what held before.
    pub fn recording(&mut self, record: bool) -> bool {
        core::mem::replace(&mut self.record, record)
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds one.
    pub fn add(&mut self, problem: Problem<'t>) {
        if self.record
            && let Some(place) = self.list.get_mut(self.count)
        {
            *place = problem;
            self.count += 1;
        }
    }

    /// Appends all of them; values are shown with `width` bits.
    pub fn print(&self, width: u32, out: &mut Out<'_>) {
        for (i, problem) in self.list.iter().take(self.count).enumerate() {
            if i > 0 {
                out.bytes(b", ");
            }
            match problem {
                Problem::Conflict(a, b) => {
                    say(out, &["bitset conflict: ", a, " vs ", b]);
                }
                Problem::DontCare(name, bits) => {
                    say(out, &["dontcare bits in ", name, ": "]);
                    hex(bits, width, out);
                }
                Problem::NoField(name) => say(out, &["no field '", name, "'"]),
                Problem::NoDisplay(name) => say(out, &[name, ": no display template"]),
                Problem::NoMatch(name, field, value) => {
                    say(out, &["no match: FIELD: '", name, ".", field, "': "]);
                    hex(value, width, out);
                }
                Problem::Unexpected((low, high), name, got, wanted) => {
                    out.bytes(b"WARNING: unexpected bits[");
                    out.unsigned(u64::from(*low));
                    out.byte(b':');
                    out.unsigned(u64::from(*high));
                    say(out, &["] in ", name, ": "]);
                    hex(got, width, out);
                    out.bytes(b" vs ");
                    hex(wanted, width, out);
                }
                Problem::TooDeep => out.bytes(b"fields nested too deeply"),
            }
        }
    }
}

fn say(out: &mut Out<'_>, parts: &[&str]) {
    for part in parts {
        out.bytes(part.as_bytes());
    }
}

/// Appends a word of `width` bits: 8 digits for 32 bits, the high ones first.
pub fn hex(word: &Limbs, width: u32, out: &mut Out<'_>) {
    for half in (0..(width.div_ceil(32) as usize).min(2 * LIMBS)).rev() {
        let limb = word[half / 2];
        out.hex_digits(if half % 2 == 1 { limb >> 32 } else { limb & 0xffff_ffff }, 8);
    }
}
