//! SPIR-V modules, which need no description.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::c_char;
use std::mem::MaybeUninit;

use isaglot::spirv::{asm, dis};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};

use crate::ffi;
use crate::flags::known;
use crate::problems::{isaglot_problems, run};
use crate::text::isaglot_buffer;

/// Assemble: ids that are numbers keep their numbers.
pub const ISAGLOT_SPIRV_PRESERVE_NUMERIC_IDS: u32 = 1;
/// Assemble: read also what the published syntax page has and SPIRV-Tools refuses.
pub const ISAGLOT_SPIRV_DOCUMENTED: u32 = 2;

/// Disassemble: ids as numbers, not as names.
pub const ISAGLOT_SPIRV_RAW_ID: u32 = 1;
/// Disassemble: results are not aligned.
pub const ISAGLOT_SPIRV_NO_INDENT: u32 = 2;
/// Disassemble: no header comment.
pub const ISAGLOT_SPIRV_NO_HEADER: u32 = 4;
/// Disassemble: the byte offset of each instruction as a comment.
pub const ISAGLOT_SPIRV_OFFSETS: u32 = 8;
/// Disassemble: comments on sections, functions and decorated results.
pub const ISAGLOT_SPIRV_COMMENT: u32 = 16;
/// Disassemble: blocks are indented by their nesting.
pub const ISAGLOT_SPIRV_NESTED_INDENT: u32 = 32;
/// Disassemble: blocks in the order of control flow.
pub const ISAGLOT_SPIRV_REORDER_BLOCKS: u32 = 64;

/// Assembles a SPIR-V module. The words of the result are little-endian. `minor` is the minor number of the version 1.n, from 0;
/// -1 takes it from the leading comments of the text, or else the newest. `flags` are `ISAGLOT_SPIRV_PRESERVE_NUMERIC_IDS` and
/// `ISAGLOT_SPIRV_DOCUMENTED`. All problems are reported, not the first alone.
///
/// # Safety
/// `text` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_spirv_assemble(
    text: *const c_char,
    length: usize,
    minor: i32,
    flags: u32,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        known(flags, ISAGLOT_SPIRV_PRESERVE_NUMERIC_IDS | ISAGLOT_SPIRV_DOCUMENTED)?;
        // SAFETY: what the caller of this function has to keep.
        let text = unsafe { ffi::text("text", text, length) }?;
        let version = match minor {
            -1 => None,
            n => match u8::try_from(n) {
                Ok(n) if n <= asm::NEWEST => Some(n),
                _ => return Err(version(n).into()),
            },
        };
        let options = asm::Options {
            version,
            preserve_numeric_ids: flags & ISAGLOT_SPIRV_PRESERVE_NUMERIC_IDS != 0,
            documented: flags & ISAGLOT_SPIRV_DOCUMENTED != 0,
            keep_going: true,
            ..asm::Options::default()
        };
        let done = asm::assemble_words(text, &options);
        if done.failures.is_empty() {
            let bytes: Vec<u8> = done.words.iter().flat_map(|word| word.to_le_bytes()).collect();
            return Ok(isaglot_buffer::new(bytes));
        }
        let (mut files, mut all) = (SourceMap::new(), Diagnostics::new());
        let file = files.add("<text>", text);
        done.failures.iter().for_each(|failure| all.push(failure.diagnostic(file)));
        Err(isaglot_problems::of(&files, &all))
    })
}

fn version(minor: i32) -> Diagnostic {
    let d = Diagnostic::error("c-value", format!("`minor` is {minor}, and there is no SPIR-V 1.{minor}"));
    d.note(format!("expected -1, or a number from 0 to {}", asm::NEWEST))
}

/// Disassembles a SPIR-V module of either byte order. `flags` are those of `ISAGLOT_SPIRV_…` that are for disassembly.
///
/// # Safety
/// `data` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_spirv_disassemble(
    data: *const u8,
    length: usize,
    flags: u32,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_buffer>> {
    run(problems, || {
        known(flags, ISAGLOT_SPIRV_REORDER_BLOCKS * 2 - 1)?;
        // SAFETY: what the caller of this function has to keep.
        let bytes = unsafe { ffi::bytes("data", data, length) }?;
        let on = |flag: u32| flags & flag != 0;
        let options = dis::Options {
            raw_id: on(ISAGLOT_SPIRV_RAW_ID),
            indent: !on(ISAGLOT_SPIRV_NO_INDENT),
            header: !on(ISAGLOT_SPIRV_NO_HEADER),
            offsets: on(ISAGLOT_SPIRV_OFFSETS),
            comment: on(ISAGLOT_SPIRV_COMMENT),
            nested_indent: on(ISAGLOT_SPIRV_NESTED_INDENT),
            reorder_blocks: on(ISAGLOT_SPIRV_REORDER_BLOCKS),
            ..dis::Options::default()
        };
        let read = dis::read(bytes).map_err(|e| {
            let message = e.message("<module>", bytes);
            Diagnostic::error("spirv-input", message.strip_prefix("error: ").unwrap_or(&message))
        })?;
        let done = dis::disassemble(&read, &options);
        if done.failures.is_empty() {
            return Ok(isaglot_buffer::new(done.text));
        }
        let mut all = Diagnostics::new();
        done.failures.iter().for_each(|failure| all.push(failure.diagnostic("<module>")));
        Err(all.into())
    })
}
