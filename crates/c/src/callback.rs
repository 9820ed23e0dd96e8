//! Functions of the caller: where output goes, where files come from. A NULL function is an argument that is missing.
//!
//! What a function is given is valid during its call alone. A C++ exception must not leave it: `isaglot.hpp` catches them.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::{CString, c_char, c_int, c_void};

use isaglot_source::Diagnostic;

use crate::ffi;

/// Takes a piece of output: `len` bytes at `data`, without a NUL. 0 asks for more; anything else ends the call, which then fails
/// with the code `c-stopped`. `user` is what was given with the function.
pub type isaglot_write = Option<unsafe extern "C" fn(user: *mut c_void, data: *const c_char, len: usize) -> c_int>;

/// Gives a file that a description needs: calls `isaglot_input_give` with its bytes or `isaglot_input_fail` with the reason why
/// there are none; doing neither means that there is no such file. `name` is the name of the file as the description has it, after the
/// folder of the file that asks for it. It may be called on another thread, while the call that it was given to waits; never by two
/// threads at once.
pub type isaglot_read = Option<unsafe extern "C" fn(user: *mut c_void, name: *const c_char, into: &mut isaglot_input)>;

/// Where an `isaglot_read` puts a file.
#[derive(Debug)]
pub struct isaglot_input(pub(crate) Result<Vec<u8>, String>);

/// What ends a call because the caller's function wants it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

impl From<Stopped> for Diagnostic {
    fn from(_: Stopped) -> Diagnostic {
        Diagnostic::error("c-stopped", "the function that takes the output ended it")
    }
}

/// A function that takes output, with what it is given.
#[derive(Clone, Copy)]
pub(crate) struct Writer {
    call: unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> c_int,
    user: *mut c_void,
}

impl Writer {
    pub(crate) fn new(write: isaglot_write, user: *mut c_void) -> Result<Writer, Diagnostic> {
        write.map(|call| Writer { call, user }).ok_or_else(|| ffi::null("write"))
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Stopped> {
        // SAFETY: a function of the caller with the pointer that came with it, and bytes that are valid during the call.
        match unsafe { (self.call)(self.user, bytes.as_ptr().cast(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(Stopped),
        }
    }
}

/// A function that gives files, with what it is given.
pub(crate) struct Reader {
    call: unsafe extern "C" fn(*mut c_void, *const c_char, &mut isaglot_input),
    user: *mut c_void,
}

// SAFETY: `isaglot.h` says that the function may be called on another thread, while the call that was given it waits; it is never
// called by two threads at once, since a `Reader` is neither `Sync` nor copied.
unsafe impl Send for Reader {}

impl Reader {
    pub(crate) fn new(read: isaglot_read, user: *mut c_void) -> Result<Reader, Diagnostic> {
        read.map(|call| Reader { call, user }).ok_or_else(|| ffi::null("read"))
    }

    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let mut input = isaglot_input(Err("there is no such file".to_owned()));
        let name = CString::new(name).map_err(|_| "a name has no NUL".to_owned())?;
        // SAFETY: a function of the caller with the pointer that came with it, and a name and a place that are valid during the
        // call.
        unsafe { (self.call)(self.user, name.as_ptr(), &mut input) };
        input.0
    }
}
