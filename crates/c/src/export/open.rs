//! Descriptions: by name, by path, from memory.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use isaglot::Engine;
use isaglot::spec::names;

use crate::callback::{Reader, isaglot_read};
use crate::choice::isaglot_choice;
use crate::engine::isaglot_engine;
use crate::ffi;
use crate::problems::{isaglot_problems, run};
use crate::text::{Text, isaglot_buffer, isaglot_str};

/// The names that `isaglot_open` takes, for a person: what `isaglot --isa help` prints.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_names(
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || Ok(isaglot_buffer::new(names::list())))
}

/// Opens a description: by name (`rv64gc`, `minnow@v2`, `xehpc`, `spirv`), or by path (`ir3.xml`, `./riscv.isa`,
/// `llvm/lib/Target/BPF/BPF.td`). A text with a separator of paths, or with a dot before any `@`, is a path. `choice` may be NULL.
///
/// # Safety
/// `source` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_open(
    source: *const c_char,
    choice: Option<&isaglot_choice>,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_engine>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let source = unsafe { ffi::utf8("source", source, ffi::NUL) }?;
        Ok(isaglot_engine::new(Engine::open(source, &isaglot_choice::made(choice)?)?))
    })
}

/// Opens a description in isaspec XML whose files come from `read`, which is called with `user`: first for `top`, then for each file
/// that is imported. No file system is used.
///
/// # Safety
/// `top` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_open_xml(
    top: *const c_char,
    read: isaglot_read,
    user: *mut c_void,
    choice: Option<&isaglot_choice>,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_engine>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let top = unsafe { ffi::utf8("top", top, ffi::NUL) }?;
        let reader = Reader::new(read, user)?;
        let choice = isaglot_choice::made(choice)?;
        Ok(isaglot_engine::new(Engine::read(top, &mut |name| reader.read(name), &choice)?))
    })
}

/// Opens what `isaglot compile` made of a description, from memory. `name` is what messages call it.
///
/// # Safety
/// `name` ends with NUL; `data` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_open_compiled(
    name: *const c_char,
    data: *const u8,
    length: usize,
    choice: Option<&isaglot_choice>,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_engine>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let (name, bytes) = unsafe { (ffi::utf8("name", name, ffi::NUL)?, ffi::bytes("data", data, length)?) };
        Ok(isaglot_engine::new(Engine::compiled(name, bytes, &isaglot_choice::made(choice)?)?))
    })
}

/// Another handle of the same description: nothing is read or compiled again. NULL for NULL. Each handle is freed by itself.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_engine_share(engine: Option<&isaglot_engine>) -> Option<Box<isaglot_engine>> {
    engine.map(|e| isaglot_engine::new(e.engine.clone()))
}

/// Frees a handle; NULL is allowed. The description goes with its last handle.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_engine_free(engine: Option<Box<isaglot_engine>>) {
    drop(engine);
}

/// What it was opened by.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_engine_name(engine: Option<&isaglot_engine>) -> isaglot_str {
    engine.map_or(isaglot_str::EMPTY, |e| e.name.view())
}

/// The gen that is decoded for, as a number; -1 of SPIR-V, which has none.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_engine_gen(engine: Option<&isaglot_engine>) -> i64 {
    engine.and_then(|e| e.engine.generation()).map_or(-1, i64::from)
}

/// What is to be said of the description and the choices although it can be used; never NULL for an engine.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_engine_warnings(engine: Option<&isaglot_engine>) -> Option<&isaglot_problems> {
    engine.map(|e| &e.warnings)
}

/// How many encodings it has.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_engine_encoding_count(engine: Option<&isaglot_engine>) -> usize {
    engine.map_or(0, |e| e.encodings().len())
}

/// The name of an encoding, by its number.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_engine_encoding_name(engine: Option<&isaglot_engine>, index: usize) -> isaglot_str {
    engine.and_then(|e| e.encodings().get(index)).map_or(isaglot_str::EMPTY, |e| Text::view(&e.name))
}

/// The mnemonic of an encoding, by its number.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_engine_encoding_mnemonic(engine: Option<&isaglot_engine>, index: usize) -> isaglot_str {
    engine.and_then(|e| e.encodings().get(index)).map_or(isaglot_str::EMPTY, |e| Text::view(&e.mnemonic))
}
