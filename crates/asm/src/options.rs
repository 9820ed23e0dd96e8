//! What a caller can choose, and what it can hook into.

use isaglot_bits::Word;

/// Whose texts to print where decoders of different age differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// Mesa 24.3: floats as `%f`.
    #[default]
    Mesa24,
    /// Mesa 26: whole floats as `%.1f`, others with 5 or 9 significant digits.
    Mesa26,
}

/// A name for a place in a stream; needs [`Options::labels`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Where: an instruction number, or a byte offset where instructions differ in length.
    pub offset: u64,
    /// The name.
    pub name: Vec<u8>,
}

/// How a stream is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Show what is wrong with a word at the end of its line.
    pub show_errors: bool,
    /// Print labels and refer to them.
    pub labels: bool,
    /// Named places, in any order.
    pub entries: Vec<Entry>,
    /// Refer to a named place by its name, and not by the label that every target has. The reference does not do this.
    pub names: bool,
    /// Stop before an instruction that more than this many bad ones in a row precede; 0 for never.
    pub max_errors: u64,
    /// Whose texts to print.
    pub compat: Compat,
}

impl Default for Options {
    /// Errors shown, no labels: what the reference does unless told otherwise.
    fn default() -> Self {
        Self {
            show_errors: true,
            labels: false,
            entries: Vec::new(),
            names: false,
            max_errors: 0,
            compat: Compat::default(),
        }
    }
}

/// The value of a field as a hook sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'v> {
    /// The raw value.
    Number(&'v Word),
    /// The mnemonic, for `{NAME}`.
    Text(&'v str),
}

/// Where an embedding program takes part. Every method appends to the output and has a default.
///
/// What [`Hooks::field`], [`Hooks::before`] and [`Hooks::after`] write does not count as text of the line, so it moves
/// no column.
pub trait Hooks {
    /// Whether [`Hooks::field`] wants to be called: without it, printing takes faster ways.
    fn wants_fields(&self) -> bool {
        false
    }

    /// Whether [`Hooks::before`] and [`Hooks::after`] want to be called.
    fn wants_lines(&self) -> bool {
        true
    }

    /// Before a field is padded and printed: in an instruction's template and in those of nested fields, `NAME`
    /// included; not for padding alone, not for fields that only an expression reads. `reference` is as written between
    /// the braces.
    fn field(&mut self, reference: &str, value: Value<'_>, out: &mut Vec<u8>) {
        let _ = (reference, value, out);
    }

    /// Prints a field of type `custom`. It is called again for the same field where the line turns out to have errors.
    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        let _ = (reference, value, out);
    }

    /// Whether the text of a custom field depends on its reference and value alone, and stays the same while a stream is
    /// printed: it may then be kept instead of asked for again.
    fn custom_is_fixed(&self) -> bool {
        false
    }

    /// Before each line of an instruction, those of its labels included.
    fn before(&mut self, position: u64, word: &Word, out: &mut Vec<u8>) {
        let _ = (position, word, out);
    }

    /// At the end of an instruction's line.
    fn after(&mut self, position: u64, word: &Word, out: &mut Vec<u8>) {
        let _ = (position, word, out);
    }

    /// The whole line, with its end, for a word that is not a valid instruction.
    fn no_match(&mut self, word: &Word, out: &mut Vec<u8>) {
        out.extend_from_slice(b"no match: ");
        word.write_hex(out);
        out.push(b'\n');
    }
}

/// No hooks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Hooks for Plain {
    fn custom_is_fixed(&self) -> bool {
        true
    }

    fn wants_lines(&self) -> bool {
        false
    }
}
