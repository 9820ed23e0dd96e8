//! SPIR-V: the grammar as data, an assembler, a disassembler, exact round trips and a listing.
#![doc = include_str!("../README.md")]
//!
//! * [`asm`]: text → words in one pass, with the names of ids and the place of every instruction in the text.
//! * [`dis`]: words → text, with friendly names, comments, nesting and colour.
//! * [`exact`]: text from which the very same file is made again, whatever is in it.
//! * `list` (feature `listing`): the listing that all instruction sets share, with definitions and uses of ids.
//! * [`instructions`]: a zero-copy walk over the instructions.
//! * [`parts`]: the names of the grammar that each instruction uses.
//! * [`grammar`]: opcodes, enumerants and extended sets, embedded or read from Khronos files at run time.
//!
//! No function panics on any input, and memory stays in proportion to it; the bounds are in [`limits`].

pub mod asm;
pub mod dis;
pub mod exact;
mod flow;
pub mod grammar;
pub mod instructions;
pub mod limits;
#[cfg(feature = "listing")]
pub mod list;
mod meaning;
mod number;
#[cfg(feature = "oracle")]
pub mod oracle;
pub mod parts;
mod places;
mod sparse;

use isaglot_source::{Diagnostics, SourceMap};

/// Assembles a text into the words of a module.
///
/// Errors: what is wrong with the text, as diagnostics on a file that a caller adds first to its
/// [`SourceMap`]. [`asm::assemble`] gives more.
pub fn assemble(text: &[u8], options: &asm::Options<'_>) -> Result<Vec<u32>, Diagnostics> {
    let done = asm::assemble_words(text, options);
    if done.failures.is_empty() {
        return Ok(done.words);
    }
    let file = SourceMap::new().add("<text>", text);
    let mut problems = Diagnostics::new();
    done.failures.iter().for_each(|f| problems.push(f.diagnostic(file)));
    Err(problems)
}

/// Disassembles a module into text.
///
/// Errors: what is wrong with the module. [`dis::disassemble`] gives the text up to there as well.
pub fn disassemble(words: &[u32], options: &dis::Options<'_>) -> Result<Vec<u8>, Diagnostics> {
    let done = dis::disassemble(words, options);
    if done.failures.is_empty() {
        return Ok(done.text);
    }
    let mut problems = Diagnostics::new();
    done.failures.iter().for_each(|f| problems.push(f.diagnostic("<module>")));
    Err(problems)
}
