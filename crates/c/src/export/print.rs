//! How a program is printed. Functions that choose say nothing; what cannot be is said by the call that prints.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::{c_char, c_void};

use crate::ffi;
use crate::hooks::{isaglot_on_custom, isaglot_on_field, isaglot_on_word, isaglot_output};
use crate::print::isaglot_print;

/// Prints as `isaglot disasm` does: what is wrong with an instruction stands after it, and there are no labels.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_new() -> Box<isaglot_print> {
    Box::default()
}

/// Frees it; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_free(print: Option<Box<isaglot_print>>) {
    drop(print);
}

/// Whether places that branches go to have labels, and branches name them. Intel Xe always has them.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_labels(print: Option<&mut isaglot_print>, on: bool) {
    if let Some(print) = print {
        print.options.labels = on;
    }
}

/// Whether what is wrong with an instruction stands after it.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_errors(print: Option<&mut isaglot_print>, on: bool) {
    if let Some(print) = print {
        print.options.show_errors = on;
    }
}

/// Ends the text before an instruction that more than `most` bad ones in a row precede; 0 for never.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_max_errors(print: Option<&mut isaglot_print>, most: u64) {
    if let Some(print) = print {
        print.options.max_errors = most;
    }
}

/// Names a place, by instruction number, or by byte offset where instructions differ in length; asks for labels. The name is made of
/// letters, digits, `_`, `.`, `$` and `@`, and does not begin with a digit.
///
/// # Safety
/// `name` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_print_entry(print: Option<&mut isaglot_print>, offset: u64, name: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let name = unsafe { ffi::text("name", name, ffi::NUL) };
    if let Some(print) = print {
        match name {
            Ok(name) => print.entry(offset, name),
            Err(d) => print.problems.push(d),
        }
    }
}

/// Calls a function before each field of an instruction is printed; NULL for none. Printing is slower then.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_on_field(
    print: Option<&mut isaglot_print>,
    function: isaglot_on_field,
    user: *mut c_void,
) {
    if let Some(print) = print {
        print.calls.field = function.map(|f| (f, user));
    }
}

/// Calls a function that prints fields of type `custom`; NULL for none: then they print nothing.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_on_custom(
    print: Option<&mut isaglot_print>,
    function: isaglot_on_custom,
    user: *mut c_void,
) {
    if let Some(print) = print {
        print.calls.custom = function.map(|f| (f, user));
    }
}

/// Calls a function before each line of an instruction, those of its labels included; NULL for none.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_before(
    print: Option<&mut isaglot_print>,
    function: isaglot_on_word,
    user: *mut c_void,
) {
    if let Some(print) = print {
        print.calls.before = function.map(|f| (f, user));
    }
}

/// Calls a function at the end of an instruction's line; NULL for none.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_after(print: Option<&mut isaglot_print>, function: isaglot_on_word, user: *mut c_void) {
    if let Some(print) = print {
        print.calls.after = function.map(|f| (f, user));
    }
}

/// Calls a function that writes the whole line for a word that is not a valid instruction; NULL for `no match: …`.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_print_no_match(
    print: Option<&mut isaglot_print>,
    function: isaglot_on_word,
    user: *mut c_void,
) {
    if let Some(print) = print {
        print.calls.no_match = function.map(|f| (f, user));
    }
}

/// Adds to the line that is being printed, from within a function that takes part.
///
/// # Safety
/// `data` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_output_write(output: Option<&mut isaglot_output>, data: *const c_char, length: usize) {
    // SAFETY: what the caller of this function has to keep.
    let bytes = unsafe { ffi::text("data", data, length) };
    if let (Some(output), Ok(bytes)) = (output, bytes) {
        output.0.extend_from_slice(bytes);
    }
}
