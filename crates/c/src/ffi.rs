//! Where pointers of C become values of Rust: the only conversions there are.
//!
//! A handle is an `Option<&T>` or an `Option<Box<T>>`, which have the form of a pointer that may be NULL, so handles need no
//! conversion. What is left is bytes with their length, texts that end with NUL, and results that are written through a pointer.
//! What C has to keep for this to be sound is said in `isaglot.h`: a pointer is NULL or valid for what it is declared as, and stays so
//! during the call.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::slice;

use isaglot_source::Diagnostic;

/// The length of a text that ends with NUL.
pub(crate) const NUL: usize = usize::MAX;

/// A place for a result, which may hold anything before.
pub(crate) type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// Writes a result, if the caller wants it.
pub(crate) fn put<T>(out: Out<'_, T>, value: T) {
    if let Some(out) = out {
        out.write(value);
    }
}

/// The bytes of an argument. NULL is no bytes if the length is 0.
///
/// # Safety
/// `data` is NULL or valid for reads of `len` bytes, which nothing changes before `'a` ends.
pub(crate) unsafe fn bytes<'a>(what: &str, data: *const u8, len: usize) -> Result<&'a [u8], Diagnostic> {
    if data.is_null() {
        return if len == 0 { Ok(&[]) } else { Err(null(what)) };
    }
    if len > isize::MAX as usize {
        return Err(Diagnostic::error("c-length", format!("`{what}` cannot have {len} bytes")));
    }
    // SAFETY: not NULL, not longer than memory can be, and the caller says that it is valid.
    Ok(unsafe { slice::from_raw_parts(data, len) })
}

/// The bytes of a text: `len` of them, or all before the first NUL if `len` is [`NUL`].
///
/// # Safety
/// As [`bytes`]; with [`NUL`], `data` is NULL or a text that ends with NUL.
pub(crate) unsafe fn text<'a>(what: &str, data: *const c_char, len: usize) -> Result<&'a [u8], Diagnostic> {
    if len != NUL {
        // SAFETY: the caller's promise is that of `bytes`.
        return unsafe { bytes(what, data.cast(), len) };
    }
    if data.is_null() {
        return Err(null(what));
    }
    // SAFETY: not NULL, and the caller says that it ends with NUL.
    Ok(unsafe { CStr::from_ptr(data) }.to_bytes())
}

/// A text that has to be UTF-8, such as a name.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn utf8<'a>(what: &str, data: *const c_char, len: usize) -> Result<&'a str, Diagnostic> {
    // SAFETY: the caller's promise is that of `text`.
    let bytes = unsafe { text(what, data, len) }?;
    str::from_utf8(bytes).map_err(|e| {
        let d = Diagnostic::error("c-utf8", format!("`{what}` is not valid UTF-8"));
        d.note(format!("byte {} is the first that is wrong", e.valid_up_to()))
    })
}

/// A handle that has to be there.
pub(crate) fn given<'a, T>(what: &str, handle: Option<&'a T>) -> Result<&'a T, Diagnostic> {
    handle.ok_or_else(|| null(what))
}

/// What an argument that is NULL is.
pub(crate) fn null(what: &str) -> Diagnostic {
    Diagnostic::error("c-null", format!("`{what}` is NULL"))
}

/// A list of names.
///
/// # Safety
/// `list` is NULL or valid for reads of `count` pointers, each of which is NULL or a text that ends with NUL.
pub(crate) unsafe fn names(what: &str, list: *const *const c_char, count: usize) -> Result<Vec<String>, Diagnostic> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if list.is_null() {
        return Err(null(what));
    }
    if count > isize::MAX as usize / size_of::<*const c_char>() {
        return Err(Diagnostic::error("c-length", format!("`{what}` cannot have {count} names")));
    }
    // SAFETY: not NULL, not longer than memory can be, and the caller says that it is valid.
    let list = unsafe { slice::from_raw_parts(list, count) };
    // SAFETY: the caller says that each is NULL or ends with NUL.
    list.iter().map(|&name| unsafe { utf8(what, name, NUL) }.map(str::to_owned)).collect()
}
