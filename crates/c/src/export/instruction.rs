//! One instruction, taken apart. An index that is too high, and NULL, give 0 and the empty text.

#![allow(unsafe_code, reason = "the border to C")]

use std::mem::MaybeUninit;
use std::ptr::null;

use isaglot::engine::OperandKind;

use crate::engine::isaglot_engine;
use crate::ffi;
use crate::instruction::{Operand, Value, isaglot_field, isaglot_instruction};
use crate::problems::{isaglot_problems, run};
use crate::text::{Text, isaglot_str};

/// Bits of a word: `width` of them from `low` on. Bit 0 is the least significant one.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct isaglot_range {
    /// The lowest bit.
    pub low: u32,
    /// How many bits.
    pub width: u32,
}

/// What an operand is. More may come: one that is not known is to be treated as data.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum isaglot_operand_kind {
    /// A register.
    ISAGLOT_REGISTER = 0,
    /// A number.
    ISAGLOT_IMMEDIATE = 1,
    /// Where a branch goes.
    ISAGLOT_LABEL = 2,
    /// Memory at an address in a register.
    ISAGLOT_ADDRESS = 3,
    /// Data of a message.
    ISAGLOT_DATA = 4,
}

fn view(text: Option<&Text>) -> isaglot_str {
    text.map_or(isaglot_str::EMPTY, Text::view)
}

fn bytes(value: Option<&Value>) -> *const u8 {
    value.map_or(null(), |v| v.bytes.as_ptr())
}

/// The instruction that the bytes begin with; further bytes are not looked at. What fails has the code `decode-short` if there are
/// fewer bytes than an instruction has, `decode-none` if no encoding matches, `decode-conflict` if two do.
///
/// # Safety
/// `data` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isaglot_decode(
    engine: Option<&isaglot_engine>,
    data: *const u8,
    length: usize,
    problems: Option<&mut MaybeUninit<Option<Box<isaglot_problems>>>>,
) -> Option<Box<isaglot_instruction>> {
    run(problems, || {
        // SAFETY: what the caller of this function has to keep.
        let bytes = unsafe { ffi::bytes("data", data, length) }?;
        Ok(isaglot_instruction::new(&ffi::given("engine", engine)?.engine.decode(bytes)?))
    })
}

/// Frees an instruction; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_free(instruction: Option<Box<isaglot_instruction>>) {
    drop(instruction);
}

/// How many bytes it takes in memory.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_size(instruction: Option<&isaglot_instruction>) -> usize {
    instruction.map_or(0, |i| i.size)
}

/// The word as a number: little-endian, `isaglot_instruction_size` bytes, whatever the byte order of the machine.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_word(instruction: Option<&isaglot_instruction>) -> *const u8 {
    bytes(instruction.map(|i| &i.word))
}

/// The mnemonic that the description gives it, without suffixes that depend on operands.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_mnemonic(instruction: Option<&isaglot_instruction>) -> isaglot_str {
    view(instruction.map(|i| &i.mnemonic))
}

/// The name of its encoding in the description.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_encoding(instruction: Option<&isaglot_instruction>) -> isaglot_str {
    view(instruction.map(|i| &i.encoding))
}

/// Its text, as `isaglot disasm` prints it without labels.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_text(instruction: Option<&isaglot_instruction>) -> isaglot_str {
    view(instruction.map(|i| &i.text))
}

/// What is wrong with the word although it is an instruction; empty for nothing. A disassembly shows it after the text.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_problem(instruction: Option<&isaglot_instruction>) -> isaglot_str {
    view(instruction.map(|i| &i.problem))
}

fn operand(instruction: Option<&isaglot_instruction>, index: usize) -> Option<&Operand> {
    instruction.and_then(|i| i.operands.get(index))
}

/// How many operands there are: the destination, then the sources. 0 if the description does not say what they are.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_operand_count(instruction: Option<&isaglot_instruction>) -> usize {
    instruction.map_or(0, |i| i.operands.len())
}

/// What an operand is.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_operand_kind(
    instruction: Option<&isaglot_instruction>,
    index: usize,
) -> isaglot_operand_kind {
    match operand(instruction, index).map(|o| o.kind) {
        Some(OperandKind::Register) => isaglot_operand_kind::ISAGLOT_REGISTER,
        Some(OperandKind::Immediate) => isaglot_operand_kind::ISAGLOT_IMMEDIATE,
        Some(OperandKind::Label) => isaglot_operand_kind::ISAGLOT_LABEL,
        Some(OperandKind::Address) => isaglot_operand_kind::ISAGLOT_ADDRESS,
        _ => isaglot_operand_kind::ISAGLOT_DATA,
    }
}

/// Whether an operand is the destination.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_operand_is_written(
    instruction: Option<&isaglot_instruction>,
    index: usize,
) -> bool {
    operand(instruction, index).is_some_and(|o| o.is_written)
}

/// The name of the register, or of the first one of several and how many (`r4:2`); the number; the target of a branch.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_operand_text(
    instruction: Option<&isaglot_instruction>,
    index: usize,
) -> isaglot_str {
    view(operand(instruction, index).map(|o| &o.text))
}

/// How many fields its encoding has.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_field_count(instruction: Option<&isaglot_instruction>) -> usize {
    instruction.map_or(0, |i| i.fields.len())
}

/// A field of its encoding, in the order of the description; NULL for an index that is too high.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_instruction_field(
    instruction: Option<&isaglot_instruction>,
    index: usize,
) -> Option<&isaglot_field> {
    instruction.and_then(|i| i.fields.get(index))
}

/// The name of a field.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_name(field: Option<&isaglot_field>) -> isaglot_str {
    view(field.map(|f| &f.name))
}

/// How a field prints.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_text(field: Option<&isaglot_field>) -> isaglot_str {
    view(field.map(|f| &f.text))
}

/// How many bits the value of a field has.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_width(field: Option<&isaglot_field>) -> u32 {
    field.map_or(0, |f| f.value.width)
}

/// The raw value of a field, little-endian, in as many bytes as its width needs; a negative number in two's complement.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_value(field: Option<&isaglot_field>) -> *const u8 {
    bytes(field.map(|f| &f.value))
}

/// How many ranges of bits of the word a field has; 0 if it is derived from other fields.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_range_count(field: Option<&isaglot_field>) -> usize {
    field.map_or(0, |f| f.ranges.len())
}

/// A range of bits of a field; the first one has the least significant part of the value.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_range(field: Option<&isaglot_field>, index: usize) -> isaglot_range {
    let range = field.and_then(|f| f.ranges.get(index));
    range.map_or(isaglot_range::default(), |r| isaglot_range { low: r.lo, width: r.width })
}

/// The expression that a field is derived by; empty if it has bits of its own.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_derived(field: Option<&isaglot_field>) -> isaglot_str {
    view(field.map(|f| &f.derived))
}

/// The name of the encoding that the value of a field is; empty if it is a number.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_encoding(field: Option<&isaglot_field>) -> isaglot_str {
    view(field.map(|f| &f.encoding))
}

/// How many fields that encoding has.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_field_count(field: Option<&isaglot_field>) -> usize {
    field.map_or(0, |f| f.nested.len())
}

/// A field of that encoding; NULL for an index that is too high.
#[unsafe(no_mangle)]
pub extern "C" fn isaglot_field_field(field: Option<&isaglot_field>, index: usize) -> Option<&isaglot_field> {
    field.and_then(|f| f.nested.get(index))
}
