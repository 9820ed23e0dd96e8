//! Where an embedding program takes part in printing.

use super::out::Out;
use super::problem::hex;
use super::tables::Limbs;

/// The value of a field as a hook sees it.
#[derive(Clone, Copy, Debug)]
pub enum Value<'v> {
    /// The raw value.
    Number(&'v Limbs),
    /// The mnemonic.
    Text(&'v str),
}

/// Every method appends to the output and has a default.
pub trait Hooks {
    /// Whether [`Hooks::field`] wants to be called: without it, printing takes faster ways.
    fn wants_fields(&self) -> bool {
        false
    }

    /// Whether [`Hooks::before`] and [`Hooks::after`] want to be called.
    fn wants_lines(&self) -> bool {
        true
    }

    /// Before a field is padded and printed. What it writes counts for no column.
    fn field(&mut self, reference: &str, value: Value<'_>, out: &mut Out<'_>) {
        let _ = (reference, value, out);
    }

    /// Prints a field of type `custom`; `reference` is as written in the template. It is called again for the same
    /// field where the line turns out to have problems.
    fn custom(&mut self, reference: &str, value: u64, out: &mut Out<'_>) {
        let _ = (reference, value, out);
    }

    /// Reads a field of type `custom` from the beginning of a text: how much of it, and the value; ways are counted from
    /// 0. By default nothing is read, and the value is 0.
    fn parse_custom(&mut self, reference: &str, text: &[u8], way: usize) -> Option<(usize, u64)> {
        let _ = (reference, text);
        (way == 0).then_some((0, 0))
    }

    /// Before each line of an instruction, those of its labels included.
    fn before(&mut self, position: u64, word: &Limbs, bits: u32, out: &mut Out<'_>) {
        let _ = (position, word, bits, out);
    }

    /// At the end of an instruction's line.
    fn after(&mut self, position: u64, word: &Limbs, bits: u32, out: &mut Out<'_>) {
        let _ = (position, word, bits, out);
    }

    /// The whole line, with its end, for a word that is not a valid instruction.
    fn no_match(&mut self, word: &Limbs, bits: u32, out: &mut Out<'_>) {
        out.bytes(b"no match: ");
        hex(word, bits, out);
        out.byte(b'\n');
    }
}

/// No hooks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Hooks for Plain {
    fn wants_lines(&self) -> bool {
        false
    }
}
