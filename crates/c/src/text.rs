//! Texts and bytes that the library gives: always with their length, and with a NUL after them that is not counted.

use std::ffi::c_char;

use isaglot::Problem;

use crate::problems::isaglot_problems;

/// A text of an object of the library: `len` bytes at `data`, and after them a NUL that is not counted. It is valid until the object
/// is freed. `data` is never NULL. A text is UTF-8, unless a file that it comes from is not.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isaglot_str {
    /// The first byte.
    pub data: *const c_char,
    /// How many bytes there are before the NUL.
    pub len: usize,
}

impl isaglot_str {
    /// The text that is there where none is.
    pub(crate) const EMPTY: isaglot_str = isaglot_str { data: c"".as_ptr(), len: 0 };
}

/// Bytes with a NUL after them.
#[derive(Clone, Debug)]
pub(crate) struct Text(Box<[u8]>);

impl Text {
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Text {
        let mut bytes = bytes.into();
        bytes.push(0);
        Text(bytes.into())
    }

    /// Without the NUL.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.split_last().map_or(&[], |(_, bytes)| bytes)
    }

    pub(crate) fn view(&self) -> isaglot_str {
        isaglot_str { data: self.0.as_ptr().cast(), len: self.bytes().len() }
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::new([])
    }
}

/// Bytes that the caller owns: a program, a text or JSON. A NUL that is not counted follows them. With what is to be said of them
/// although there was no error.
#[derive(Debug)]
pub struct isaglot_buffer {
    pub(crate) text: Text,
    pub(crate) problems: isaglot_problems,
}

impl isaglot_buffer {
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Box<isaglot_buffer> {
        isaglot_buffer::with(bytes, &[])
    }

    pub(crate) fn with(bytes: impl Into<Vec<u8>>, problems: &[Problem]) -> Box<isaglot_buffer> {
        Box::new(isaglot_buffer { text: Text::new(bytes), problems: isaglot_problems::new(problems, 0) })
    }
}
