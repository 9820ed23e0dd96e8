//! The version, and the objects that other functions give and take.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::{CStr, c_char};

use crate::callback::isaglot_input;
use crate::ffi;
use crate::problems::isaglot_problems;
use crate::text::isaglot_buffer;

/// The version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}

/// The first of the bytes, which a NUL follows; NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_buffer_data(buffer: Option<&isaglot_buffer>) -> *const u8 {
    buffer.map_or(std::ptr::null(), |b| b.text.view().data.cast())
}

/// How many bytes there are, without the NUL; 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_buffer_length(buffer: Option<&isaglot_buffer>) -> usize {
    buffer.map_or(0, |b| b.text.bytes().len())
}

/// What is to be said of the bytes although there was no error: warnings, findings of a check, words of a program that are not valid.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_buffer_problems(buffer: Option<&isaglot_buffer>) -> Option<&isaglot_problems> {
    buffer.map(|b| &b.problems)
}

/// Frees the bytes; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_buffer_free(buffer: Option<Box<isaglot_buffer>>) {
    drop(buffer);
}

/// Gives the bytes of a file, from within an `isaglot_read`; they are copied. `length` may be `ISAGLOT_NUL` for a text.
///
/// # Safety
/// `data` is NULL or valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_input_give(input: Option<&mut isaglot_input>, data: *const c_char, length: usize) {
    // SAFETY: what the caller of this function has to keep.
    let bytes = unsafe { ffi::text("data", data, length) };
    if let Some(input) = input {
        input.0 = bytes.map(<[u8]>::to_vec).map_err(|d| d.message);
    }
}

/// Says why there is no such file, from within an `isaglot_read`.
///
/// # Safety
/// `reason` is NULL or a text that ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_input_fail(input: Option<&mut isaglot_input>, reason: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let reason = unsafe { ffi::text("reason", reason, ffi::NUL) };
    if let Some(input) = input {
        input.0 = Err(reason.map_or_else(|d| d.message, |r| String::from_utf8_lossy(r).into_owned()));
    }
}
