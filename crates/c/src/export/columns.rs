//! Many instructions at once, as columns: arrays that the caller reads where they are.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr::null;

use isaglot::engine::Columns;

use crate::engine::isaglot_engine;
use crate::ffi;
use crate::problems::{isaglot_problems, run};

/// Instructions of a run of bytes, one row each. What its arrays are is valid until rows are added or removed.
#[derive(Debug, Default)]
pub struct isaglot_columns(Columns);

/// No rows.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_columns_new() -> Box<isaglot_columns> {
    Box::default()
}

/// Frees the rows; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_columns_free(columns: Option<Box<isaglot_columns>>) {
    drop(columns);
}

/// Removes all rows and keeps the memory for others.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_columns_clear(columns: Option<&mut isaglot_columns>) {
    if let Some(columns) = columns {
        columns.0.clear();
    }
}

/// Adds the instructions of a run of bytes as rows. `used` gets how many bytes that were, and may be NULL; what is left is less than an
/// instruction. Nothing is allocated but what the columns grow by. False if it fails: then there may be some rows more.
///
/// # Safety
/// `data` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_decode_many(
    engine: Option<&isaglot_engine>,
    data: *const u8,
    length: usize,
    columns: Option<&mut isaglot_columns>,
    used: Option<&mut MaybeUninit<usize>>,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> bool {
    let done = run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let bytes = unsafe { ffi::bytes("data", data, length) }?;
        let engine = ffi::given("engine", engine)?;
        let columns = columns.ok_or_else(|| ffi::null("columns"))?;
        Ok(engine.engine.decode_into(bytes, &mut columns.0)?)
    });
    ffi::put(used, done.unwrap_or(0));
    done.is_some()
}

/// How many rows there are.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_columns_count(columns: Option<&isaglot_columns>) -> usize {
    columns.map_or(0, |c| c.0.len())
}

/// The byte offset of each instruction in the run that it was in.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_columns_offset(columns: Option<&isaglot_columns>) -> *const u64 {
    columns.map_or(null(), |c| c.0.offset.as_ptr())
}

/// How many bytes each instruction has.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_columns_size(columns: Option<&isaglot_columns>) -> *const u32 {
    columns.map_or(null(), |c| c.0.size.as_ptr())
}

/// The number of each encoding, for `isaglot_engine_encoding_name`; -1 for a word that is not a valid instruction.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_columns_encoding(columns: Option<&isaglot_columns>) -> *const i32 {
    columns.map_or(null(), |c| c.0.encoding.as_ptr())
}

/// Where each text begins in `isaglot_columns_text`, and after them where the last one ends: one more than there are rows, or none if
/// there are no rows.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_columns_text_offset(columns: Option<&isaglot_columns>) -> *const u32 {
    columns.map_or(null(), |c| c.0.text_offset.as_ptr())
}

/// The texts, one after the other, without NUL. A word that is not a valid instruction has an empty one.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_columns_text(columns: Option<&isaglot_columns>) -> *const c_char {
    columns.map_or(null(), |c| c.0.text.as_ptr().cast())
}
