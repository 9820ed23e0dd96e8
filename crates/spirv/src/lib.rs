//! SPIR-V: the grammar as data, an assembler, a disassembler, exact round trips and a listing.
#![doc = include_str!("../README.md")]
//!
//! * [`asm`]: text → words in one pass, with the names of ids and the place of every instruction in the text.
//! * [`dis`]: words → text, with friendly names, comments, nesting and colour.
//! * [`exact`]: text from which the very same file is made again, whatever is in it.
//! * `list` (feature `listing`): the listing that all instruction sets share, with definitions and uses of ids.
//! * [`module`]: a module taken apart: its header, and each instruction with names and operands.
//! * [`instructions`]: a zero-copy walk over the instructions, as words.
//! * [`parts`]: the names of the grammar that each instruction uses.
//! * [`grammar`]: opcodes, enumerants and extended sets, embedded or read from Khronos files at run time.
//!
//! No function panics on any input, and memory stays in proportion to it; the bounds are in [`limits`].

pub mod asm;
pub mod dis;
mod environment;
mod errors;
pub mod exact;
mod flow;
pub mod grammar;
pub mod instructions;
pub mod limits;
#[cfg(feature = "listing")]
pub mod list;
mod meaning;
pub mod module;
mod number;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
pub mod parts;
mod places;
mod sparse;

pub use environment::{Environment, UnknownEnvironment};
pub use errors::Errors;

/// Assembles a text into the words of a module, in the machine's byte order ([`asm::to_bytes`] makes a file of them).
///
/// # Errors
/// What is wrong with the text: one problem, or with [`keep_going`](asm::Options::keep_going) all of them.
/// [`asm::assemble`] gives the names of ids, places and the warnings as well.
///
/// ```
/// use isaglot_spirv::asm::{Options, Reason};
///
/// let wrong = isaglot_spirv::assemble(b"OpMemoryModel Logical GLSL\n", &Options::default()).unwrap_err();
/// assert_eq!((wrong[0].reason, wrong[0].line, wrong[0].column), (Reason::UnknownEnumerant, 1, 23));
/// assert!(wrong.to_string().starts_with("1:23: Invalid memory model 'GLSL'; expected one of"));
/// ```
pub fn assemble(text: &[u8], options: &asm::Options<'_>) -> Result<Vec<u32>, Errors<asm::Failure>> {
    let done = asm::assemble_words(text, options);
    Errors::check(done.failures).map(|()| done.words)
}

/// Disassembles a module, of either byte order, into text.
///
/// # Errors
/// What is wrong with the module. [`dis::disassemble`] gives the text up to there as well.
///
/// ```
/// use isaglot_spirv::dis::{Options, Reason};
///
/// let words = [0x0723_0203, 0x0001_0000, 0, 2, 0, 0x0001_ffff];
/// let wrong = isaglot_spirv::disassemble(&words, &Options::default()).unwrap_err();
/// assert_eq!((wrong[0].reason, wrong[0].word), (Reason::UnknownOpcode, 5));
/// assert_eq!(wrong.to_string(), "instruction 1, byte 0x14: Invalid opcode: 65535");
/// ```
pub fn disassemble(words: &[u32], options: &dis::Options<'_>) -> Result<Vec<u8>, Errors<dis::Failure>> {
    let done = dis::disassemble(words, options);
    Errors::check(done.failures).map(|()| done.text)
}
