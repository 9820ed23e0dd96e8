//! Functions of the caller that take part in printing: before a field, around a line, for words that are not valid instructions.
//!
//! The output of the engine is moved into the object that the function writes to, and back after it, so nothing is copied.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::{c_char, c_void};
use std::mem::take;

use isaglot::asm::{Hooks, Plain, Value};
use isaglot::bits::Word;

/// Before a field is printed. `reference` is the field as it is written between the braces of a template, `length` bytes without a
/// NUL. `value` is its raw value, little-endian, of `width` bits; of a `{NAME}` it is the mnemonic, and `width` is 0: `value` has
/// `value_length` bytes then as always.
pub type isaglot_on_field = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        reference: *const c_char,
        length: usize,
        value: *const u8,
        value_length: usize,
        width: u32,
        output: &mut isaglot_output,
    ),
>;

/// A word, before or after its line, or one that is not a valid instruction, whose whole line with its end the function writes then.
/// `position` counts instructions, or bytes where instructions differ in length; 0 for a word that is not valid. `word` is
/// little-endian, of `width` bits, in `length` bytes.
pub type isaglot_on_word = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        position: u64,
        word: *const u8,
        length: usize,
        width: u32,
        output: &mut isaglot_output,
    ),
>;

/// Prints a field of type `custom`: `reference` as for an `isaglot_on_field`, and its value.
pub type isaglot_on_custom = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        reference: *const c_char,
        length: usize,
        value: u64,
        output: &mut isaglot_output,
    ),
>;

/// The line that is being printed, for a function of the caller that adds to it with `isaglot_output_write`.
#[derive(Debug, Default)]
pub struct isaglot_output(pub(crate) Vec<u8>);

/// A function with what it is given.
type Call<F> = Option<(F, *mut c_void)>;

/// The caller's functions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Calls {
    pub(crate) field: Call<FieldCall>,
    pub(crate) custom: Call<CustomCall>,
    pub(crate) before: Call<WordCall>,
    pub(crate) after: Call<WordCall>,
    pub(crate) no_match: Call<WordCall>,
}

type FieldCall = unsafe extern "C" fn(*mut c_void, *const c_char, usize, *const u8, usize, u32, &mut isaglot_output);
type WordCall = unsafe extern "C" fn(*mut c_void, u64, *const u8, usize, u32, &mut isaglot_output);
type CustomCall = unsafe extern "C" fn(*mut c_void, *const c_char, usize, u64, &mut isaglot_output);

impl Calls {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.field.is_none()
            && self.custom.is_none()
            && self.before.is_none()
            && self.after.is_none()
            && self.no_match.is_none()
    }
}

/// The hooks of the engine, for one call. The bytes of a word are made in one place, again and again.
#[derive(Default)]
pub(crate) struct Hooked {
    calls: Calls,
    bytes: Vec<u8>,
}

impl Hooked {
    pub(crate) fn new(calls: Calls) -> Hooked {
        Hooked { calls, ..Hooked::default() }
    }

    /// Lets a function of the caller add to the output.
    fn with_output(&mut self, out: &mut Vec<u8>, call: impl FnOnce(&[u8], &mut isaglot_output)) {
        let mut output = isaglot_output(take(out));
        call(&self.bytes, &mut output);
        *out = output.0;
    }

    fn keep(&mut self, word: &Word) {
        self.bytes.clear();
        self.bytes.extend(word.le_bytes());
    }

    fn word(&mut self, call: Call<WordCall>, position: u64, word: &Word, out: &mut Vec<u8>) {
        let Some((call, user)) = call else { return };
        self.keep(word);
        let width = word.width();
        self.with_output(out, |bytes, output| {
            // SAFETY: a function of the caller with the pointer that came with it; the rest is valid during the call.
            unsafe { call(user, position, bytes.as_ptr(), bytes.len(), width, output) }
        });
    }
}

impl Hooks for Hooked {
    fn wants_fields(&self) -> bool {
        self.calls.field.is_some()
    }

    fn wants_lines(&self) -> bool {
        self.calls.before.is_some() || self.calls.after.is_some()
    }

    fn custom_is_fixed(&self) -> bool {
        self.calls.custom.is_none()
    }

    fn field(&mut self, reference: &str, value: Value<'_>, out: &mut Vec<u8>) {
        let Some((call, user)) = self.calls.field else { return };
        let width = match value {
            Value::Number(word) => {
                self.keep(word);
                word.width()
            }
            Value::Text(text) => {
                self.bytes.clear();
                self.bytes.extend_from_slice(text.as_bytes());
                0
            }
        };
        self.with_output(out, |bytes, output| {
            let (name, length) = (reference.as_ptr().cast(), reference.len());
            // SAFETY: a function of the caller with the pointer that came with it; the rest is valid during the call.
            unsafe { call(user, name, length, bytes.as_ptr(), bytes.len(), width, output) }
        });
    }

    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        let Some((call, user)) = self.calls.custom else { return };
        self.with_output(out, |_, output| {
            // SAFETY: a function of the caller with the pointer that came with it; the rest is valid during the call.
            unsafe { call(user, reference.as_ptr().cast(), reference.len(), value, output) }
        });
    }

    fn before(&mut self, position: u64, word: &Word, out: &mut Vec<u8>) {
        self.word(self.calls.before, position, word, out);
    }

    fn after(&mut self, position: u64, word: &Word, out: &mut Vec<u8>) {
        self.word(self.calls.after, position, word, out);
    }

    fn no_match(&mut self, word: &Word, out: &mut Vec<u8>) {
        match self.calls.no_match {
            Some(_) => self.word(self.calls.no_match, 0, word, out),
            None => Plain.no_match(word, out),
        }
    }
}
