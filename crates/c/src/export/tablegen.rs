//! The records of TableGen files.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use isaglot::tablegen::{self, Records};
use isaglot_source::Diagnostic;

use crate::callback::{Reader, isaglot_read};
use crate::ffi;
use crate::problems::{isaglot_problems, run};
use crate::text::isaglot_buffer;

/// The records of a TableGen file, as the JSON that `llvm-tblgen --dump-json` writes. Files that it includes are looked for in the
/// `include_count` folders `include`.
///
/// # Safety
/// `path` ends with NUL; `include` is valid for `include_count` texts that end with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_tablegen_json(
    path: *const c_char,
    include: *const *const c_char,
    include_count: usize,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let path = unsafe { ffi::utf8("path", path, ffi::NUL) }?;
        // SAFETY: as above.
        let include = unsafe { ffi::names("include", include, include_count) }?;
        let include: Vec<&str> = include.iter().map(String::as_str).collect();
        json(&isaglot::fs::records(path, &include)?)
    })
}

/// As `isaglot_tablegen_json`, for a text in memory that is called `name` in messages. `read` gives the files that it includes; it is
/// asked for the name as written, then for the name in each of the folders `include`. It may be NULL: then there are no such files.
///
/// # Safety
/// As `isaglot_tablegen_json`; `text` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_tablegen_json_text(
    name: *const c_char,
    text: *const c_char,
    length: usize,
    include: *const *const c_char,
    include_count: usize,
    read: isaglot_read,
    user: *mut c_void,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let (name, text) = unsafe { (ffi::utf8("name", name, ffi::NUL)?, ffi::text("text", text, length)?) };
        // SAFETY: as above.
        let include_dirs = unsafe { ffi::names("include", include, include_count) }?;
        let reader = Reader::new(read, user).ok();
        let mut load = move |path: &str| reader.as_ref()?.read(path).ok().map(Into::into);
        let options = tablegen::Options { include_dirs, ..tablegen::Options::default() };
        let mut records = tablegen::parse(name, text.into(), &options, &mut load);
        if records.ok() {
            return json(&records);
        }
        let all = isaglot::records::problems(&records);
        Err(isaglot_problems::of(&std::mem::take(records.files_mut()), &all))
    })
}

fn json(records: &Records) -> Result<Box<isaglot_buffer>, isaglot_problems> {
    let mut out = Vec::new();
    let done = tablegen::print::dump_json(records, &mut out);
    done.map_err(|e| Diagnostic::error("c-panic", format!("cannot write JSON: {e}")))?;
    Ok(isaglot_buffer::new(out))
}
