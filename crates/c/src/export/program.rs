//! Programs: to text, from text, why, what is wrong with a description, and listings.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use isaglot::asm::Options;
use isaglot::engine::ListOptions;

use crate::callback::{Stopped, Writer, isaglot_write};
use crate::engine::isaglot_engine;
use crate::ffi;
use crate::flags::known;
use crate::hooks::{Calls, Hooked};
use crate::print::isaglot_print;
use crate::problems::{isaglot_problems, run};
use crate::text::isaglot_buffer;

/// Listing: definitions, uses and live registers.
pub const ISAGLOT_LIST_DEFS: u32 = 1;
/// Listing: byte offsets.
pub const ISAGLOT_LIST_PC: u32 = 2;
/// Listing: the words, in hexadecimal.
pub const ISAGLOT_LIST_BITS: u32 = 4;

/// Writes the text of a program piece by piece; gives how many bytes it is of, and what is to be said of them.
fn print(
    engine: Option<&isaglot_engine>,
    bytes: &[u8],
    print: Option<&isaglot_print>,
    write: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(usize, Vec<isaglot::Problem>), isaglot_problems> {
    let engine = &ffi::given("engine", engine)?.engine;
    let (mut options, mut calls) = (Options::default(), Calls::default());
    if let Some(print) = print {
        if print.problems.has_errors() {
            return Err(print.problems.clone().into());
        }
        (options, calls) = (print.options.clone(), print.calls);
    }
    let mut hooks = Hooked::new(calls);
    let hooks = (!calls.is_empty()).then_some(&mut hooks as &mut dyn isaglot::asm::Hooks);
    Ok(engine.disassemble_to(bytes, &options, hooks, write)?)
}

/// The text of a program, as `isaglot disasm` prints it. `print` may be NULL. Bytes at the end that are less than an instruction have
/// no text. `isaglot_buffer_problems` has bad words of Intel Xe and SPIR-V; of others they are lines of the text.
///
/// # Safety
/// `data` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_disassemble(
    engine: Option<&isaglot_engine>,
    data: *const u8,
    length: usize,
    how: Option<&isaglot_print>,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let bytes = unsafe { ffi::bytes("data", data, length) }?;
        let mut text = Vec::new();
        let (_, said) = print(engine, bytes, how, &mut |piece| {
            text.extend_from_slice(piece);
            true
        })?;
        Ok(isaglot_buffer::with(text, &said))
    })
}

/// The same, given piece by piece to `write`, which is called with `user`; so a text of any size needs little memory. `used` gets how
/// many bytes of the program it is of, and may be NULL. False if it fails; what was written before stays written.
///
/// # Safety
/// `data` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_disassemble_to(
    engine: Option<&isaglot_engine>,
    data: *const u8,
    length: usize,
    how: Option<&isaglot_print>,
    write: isaglot_write,
    user: *mut c_void,
    used: Option<&mut MaybeUninit<usize>>,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> bool {
    let done = run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let bytes = unsafe { ffi::bytes("data", data, length) }?;
        let writer = Writer::new(write, user)?;
        let mut written = Ok(());
        let (used, _) = print(engine, bytes, how, &mut |piece| {
            written = writer.write(piece);
            written.is_ok()
        })?;
        written.map_err(|stopped: Stopped| isaglot_problems::from(isaglot_source::Diagnostic::from(stopped)))?;
        Ok(used)
    });
    ffi::put(used, done.unwrap_or(0));
    done.is_some()
}

/// The bytes of a program, as `isaglot asm` makes them. All problems of the text are reported, each with its place in the file
/// `<text>`; `isaglot_buffer_problems` has warnings.
///
/// # Safety
/// `text` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_assemble(
    engine: Option<&isaglot_engine>,
    text: *const c_char,
    length: usize,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let text = unsafe { ffi::utf8("text", text, length) }?;
        let done = ffi::given("engine", engine)?.engine.assemble(text)?;
        Ok(isaglot_buffer::with(done.bytes, &done.warnings))
    })
}

/// Why a word decodes as it does, or what comes nearest, as text; of assembly, each word that it makes. A word is hexadecimal
/// (`0x1448` or just digits), binary (`0b…`), or bytes in memory order (`48:14`). A mnemonic wins over hexadecimal digits.
///
/// # Safety
/// `question` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_explain(
    engine: Option<&isaglot_engine>,
    question: *const c_char,
    length: usize,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let question = unsafe { ffi::utf8("question", question, length) }?;
        Ok(isaglot_buffer::new(ffi::given("engine", engine)?.engine.explain(question)?.text))
    })
}

/// The same as JSON: an array with an object for each word.
///
/// # Safety
/// `question` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_explain_json(
    engine: Option<&isaglot_engine>,
    question: *const c_char,
    length: usize,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let question = unsafe { ffi::utf8("question", question, length) }?;
        Ok(isaglot_buffer::new(ffi::given("engine", engine)?.engine.explain(question)?.json))
    })
}

/// What is wrong with the description, for its gen and features, with words that show it: the JSON of `isaglot check --json`.
/// `isaglot_buffer_problems` has the findings.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_check(
    engine: Option<&isaglot_engine>,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        let found = ffi::given("engine", engine)?.engine.check()?;
        Ok(isaglot_buffer::with(found.json, &found.findings))
    })
}

/// The listing of a program: instructions taken apart, blocks and their edges, as the JSON of `isaglot list --json`. `flags` are
/// `ISAGLOT_LIST_…`.
///
/// # Safety
/// `data` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_list(
    engine: Option<&isaglot_engine>,
    data: *const u8,
    length: usize,
    flags: u32,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        known(flags, ISAGLOT_LIST_DEFS | ISAGLOT_LIST_PC | ISAGLOT_LIST_BITS)?;
        // SAFETY: what the caller of this function has to keep.
        let bytes = unsafe { ffi::bytes("data", data, length) }?;
        let options = ListOptions {
            defs: flags & ISAGLOT_LIST_DEFS != 0,
            pc: flags & ISAGLOT_LIST_PC != 0,
            bits: flags & ISAGLOT_LIST_BITS != 0,
        };
        let found = ffi::given("engine", engine)?.engine.list(bytes, options)?;
        Ok(isaglot_buffer::with(found.json, &found.problems))
    })
}
