//! What to decode for. Functions that choose say nothing; what cannot be is said by the call that opens.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::c_char;

use crate::choice::{isaglot_choice, path};
use crate::ffi;

/// Nothing is chosen yet: gen 0, and the features that a description has by default.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_choice_new() -> Box<isaglot_choice> {
    Box::default()
}

/// Frees it; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_choice_free(choice: Option<Box<isaglot_choice>>) {
    drop(choice);
}

/// The gen: a number, or a name that the description gives.
///
/// # Safety
/// `gen` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_choice_gen(choice: Option<&mut isaglot_choice>, r#gen: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let text = unsafe { ffi::utf8("gen", r#gen, ffi::NUL) };
    isaglot_choice::set(choice, text, |c, text| c.generation = Some(text));
}

/// Switches a feature on (`+name` or `name`) or off (`-name`). Any number of calls.
///
/// # Safety
/// `change` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_choice_feature(choice: Option<&mut isaglot_choice>, change: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let text = unsafe { ffi::utf8("change", change, ffi::NUL) };
    isaglot_choice::set(choice, text, |c, text| c.features.push(text));
}

/// A folder in which included files are looked for (TableGen). Any number of calls.
///
/// # Safety
/// `folder` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_choice_include(choice: Option<&mut isaglot_choice>, folder: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let text = unsafe { ffi::utf8("folder", folder, ffi::NUL) };
    isaglot_choice::set(choice, text, |c, text| c.include.extend(path(text)));
}

/// A file that says what operands mean (TableGen, published formats of RISC-V); without one, that which ships with the library for
/// a target of that name.
///
/// # Safety
/// `file` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_choice_operands(choice: Option<&mut isaglot_choice>, file: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let text = unsafe { ffi::utf8("file", file, ffi::NUL) };
    isaglot_choice::set(choice, text, |c, text| c.operands = path(text));
}

/// A folder that is put over the description (RISC-V Unified Database).
///
/// # Safety
/// `folder` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_choice_overlay(choice: Option<&mut isaglot_choice>, folder: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let text = unsafe { ffi::utf8("folder", folder, ffi::NUL) };
    isaglot_choice::set(choice, text, |c, text| c.overlay = path(text));
}

/// A file that says what an implementation has (RISC-V Unified Database).
///
/// # Safety
/// `file` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_choice_config(choice: Option<&mut isaglot_choice>, file: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let text = unsafe { ffi::utf8("file", file, ffi::NUL) };
    isaglot_choice::set(choice, text, |c, text| c.config = path(text));
}

/// The target, such as `riscv64` (TableGen).
///
/// # Safety
/// `triple` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_choice_triple(choice: Option<&mut isaglot_choice>, triple: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let text = unsafe { ffi::utf8("triple", triple, ffi::NUL) };
    isaglot_choice::set(choice, text, |c, text| c.triple = text);
}

/// The processor (TableGen).
///
/// # Safety
/// `cpu` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_choice_cpu(choice: Option<&mut isaglot_choice>, cpu: *const c_char) {
    // SAFETY: what the caller of this function has to keep.
    let text = unsafe { ffi::utf8("cpu", cpu, ffi::NUL) };
    isaglot_choice::set(choice, text, |c, text| c.cpu = text);
}

/// Print aliases instead of the instructions that they stand for, or never; without this call as is usual for the description.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_choice_aliases(choice: Option<&mut isaglot_choice>, on: bool) {
    if let Some(choice) = choice {
        choice.choice().aliases = Some(on);
    }
}

/// Take a compiled description although its sources have changed.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_choice_stale(choice: Option<&mut isaglot_choice>, on: bool) {
    if let Some(choice) = choice {
        choice.choice().stale = on;
    }
}
