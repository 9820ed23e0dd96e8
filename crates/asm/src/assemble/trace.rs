//! Why a text could not be read: the furthest place that any form got to, and what would have gone on there.

use isaglot_invariant::{Impossible as _, impossible};

use super::input::Input;
use super::limits::{MAX_EXPECTED, MAX_OFFERED};
use super::number;
use super::program::{Digits, FieldOp, FieldSyntax, NumberStyle, Program};
use super::symbol::Symbol;

/// What stopped the reading furthest into the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    /// The place, as a byte offset.
    pub(super) place: usize,
    /// What would have been understood there.
    pub(super) expected: Vec<String>,
    /// With texts that could stand there themselves, if a caller completes a text; none otherwise.
    pub(super) texts: Option<Vec<String>>,
    /// A value that was understood and is impossible: its end and what is wrong.
    pub(super) value: Option<(usize, String)>,
    /// Something was understood to the end, but contradicts itself.
    pub(super) contradiction: bool,
    /// A word was found that prints as the first of these, when the second was wanted.
    pub(super) refused: Option<(Vec<u8>, Vec<u8>)>,
}

impl Trace {
    /// Whether a finding at `place` is at least as far into the text as those before.
    fn reaches(&mut self, place: usize) -> bool {
        if place > self.place {
            self.place = place;
            self.expected.clear();
            self.texts.iter_mut().for_each(Vec::clear);
            self.value = None;
            self.contradiction = false;
            self.refused = None;
        }
        place == self.place
    }

    fn expect(&mut self, place: usize, what: String) {
        if self.reaches(place) && self.expected.len() < MAX_EXPECTED && !self.expected.contains(&what) {
            self.expected.push(what);
        }
    }

    /// A text that could stand at a place.
    fn offer(&mut self, place: usize, text: &str) {
        if self.reaches(place)
            && let Some(texts) = &mut self.texts
            && texts.len() < MAX_OFFERED
            && !text.is_empty()
        {
            texts.push(text.to_owned());
        }
    }

    /// A literal that begins at `from` was expected, and the text differs from it at `place`.
    pub(super) fn literal(&mut self, place: usize, from: usize, text: &[u8], literal: &[u8]) {
        let whole = String::from_utf8_lossy(literal.trim_ascii());
        if whole.is_empty() {
            self.expect(place, "a blank".to_owned());
            return;
        }
        // What is left of the literal, if its beginning was there.
        let there = text.get(from..).or_impossible(&[]);
        let shared = literal.iter().zip(there).take_while(|(a, b)| a == b).count();
        let rest = if place == from + shared { literal.get(shared..).or_impossible(literal) } else { literal };
        let rest = String::from_utf8_lossy(rest.trim_ascii());
        self.offer(place, if rest.is_empty() { &whole } else { &rest });
        self.expect(place, format!("`{}`", if rest.is_empty() { whole } else { rest }));
    }

    /// The end was expected.
    pub(super) fn end(&mut self, place: usize) {
        self.expect(place, "the end of the instruction".to_owned());
    }

    /// Everything was understood, but no word is all of it.
    pub(super) fn contradiction(&mut self, place: usize) {
        if self.reaches(place) {
            self.contradiction = true;
        }
    }

    /// A word was found, but prints otherwise.
    pub(super) fn refused(&mut self, place: usize, printed: Vec<u8>, wanted: Vec<u8>) {
        if self.reaches(place) && self.refused.is_none() {
            self.refused = Some((printed, wanted));
        }
    }

    /// A field was read, but cannot have the value.
    pub(super) fn value(
        &mut self,
        from: usize,
        end: usize,
        input: &Input<'_>,
        field: &FieldOp,
        value: u64,
        empty: bool,
    ) {
        if empty || !self.reaches(from) {
            return;
        }
        // A name like `0.3` is not read as the number 0.
        let rest = input.text.get(end..).or_impossible(&[]);
        let more = rest.iter().take_while(|&&byte| number::is_word(byte) || byte == b'.').count();
        let more = if matches!(field.syntax, FieldSyntax::Table(_)) { more } else { 0 };
        let text = String::from_utf8_lossy(input.text.get(from..end + more).or_impossible(&[])).into_owned();
        let name = input.isa.shown(field.name);
        let is_target = matches!((input.site.symbol)(text.trim_start_matches('#').as_bytes()), Some(Symbol::Target(_)));
        let what = match &field.syntax {
            FieldSyntax::Number(NumberStyle { branch: None, .. }) if is_target => {
                format!("`{text}` is a label, and `{name}` takes a number, not an address")
            }
            FieldSyntax::Number(style) => {
                let (min, max) = number::range(style.digits, field.width);
                let outside = match style.digits {
                    Digits::Signed | Digits::Offset => text_value(&text).is_none_or(|v| v < min || v > max as i128),
                    _ => u128::from(value) > max || text.starts_with('-') || text_value(&text).is_none(),
                };
                if outside {
                    format!("`{text}` does not fit `{name}`, which has {} bits: {min} to {max}", field.width)
                } else {
                    format!("`{name}` cannot be `{text}` here")
                }
            }
            _ => format!("`{name}` cannot be `{text}` here"),
        };
        if self.value.as_ref().is_none_or(|(known, _)| *known < end) {
            self.value = Some((end, what));
        }
    }

    /// A number of more than 64 bits was expected.
    pub(super) fn wide(&mut self, place: usize, name: &str, width: u32) {
        self.expect(place, format!("a number of {width} bits ({name})"));
    }

    /// A number does not fit a field of more than 64 bits.
    pub(super) fn too_wide(&mut self, from: usize, end: usize, name: &str, width: u32) {
        if self.reaches(from) {
            self.value = Some((end, format!("this number does not fit `{name}`, which has {width} bits")));
        }
    }

    /// A field was expected, and nothing of the kind is there.
    pub(super) fn field(&mut self, place: usize, input: &Input<'_>, program: &Program, field: &FieldOp) {
        let name = input.isa.shown(field.name);
        let what = match &field.syntax {
            FieldSyntax::Number(style) if style.branch.is_some() => format!("a label or an offset ({name})"),
            FieldSyntax::Number(style) => {
                let (min, max) = number::range(style.digits, field.width);
                format!("a number from {min} to {max} ({name})")
            }
            FieldSyntax::Constant(_) => return,
            FieldSyntax::Float => format!("a number with a point ({name})"),
            FieldSyntax::Custom(_) => format!("a name or a number ({name})"),
            FieldSyntax::Table(table) => {
                let Some(table) = program.tables.get(*table as usize) else { return impossible(()) };
                if self.texts.is_some() {
                    for (text, _) in table.shown.iter().zip(&table.values).filter(|(_, (_, prints))| *prints) {
                        self.offer(place, &String::from_utf8_lossy(text));
                    }
                }
                let texts: Vec<String> = table
                    .shown
                    .iter()
                    .zip(&table.values)
                    .filter(|(text, (_, prints))| *prints && !text.is_empty())
                    .map(|(text, _)| format!("`{}`", String::from_utf8_lossy(text)))
                    .collect();
                match texts.as_slice() {
                    [] => format!("a number ({name})"),
                    [one] => one.clone(),
                    // A name of one register, always.
                    _ if name.ends_with(" always") => format!("`{}`", name.trim_end_matches(" always")),
                    all if all.len() <= MAX_EXPECTED => format!("one of {} ({name})", all.join(" ")),
                    [first, .., last] => format!("one of {first} … {last} ({name})"),
                }
            }
        };
        self.expect(place, what);
    }
}

/// The value of a number as written, if it is one.
fn text_value(text: &str) -> Option<i128> {
    let (negative, magnitude) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    let (value, _) = number::literal(magnitude.trim_ascii())?;
    let value = i128::from(value?);
    Some(if negative { -value } else { value })
}
