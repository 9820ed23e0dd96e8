//! What the matcher runs: one program per form, a form being an encoding with the case whose template is read.
//!
//! A program is a template backwards: literal runs to find, fields to read into bits, alternatives, bits to set,
//! conditions to keep. It knows at every operation which bytes may come next, so that alternatives which cannot lead
//! anywhere are not tried.

use std::sync::Arc;

use isaglot_bits::limbs;
use isaglot_invariant::Impossible as _;
use isaglot_model::{BinaryOp, IntType, Name, UnaryOp};

use crate::trie::Trie;

/// An operation. Ranges index the table of their kind in [`Program`].
#[derive(Clone, Copy, Debug)]
pub(super) enum ReadOp {
    /// These bytes of [`Program::literals`].
    Literal { from: u32, len: u32 },
    /// Padding up to a column.
    Align(u32),
    /// One of [`Program::branches`]; which of them a byte allows is in the row `row` of [`Program::viable`].
    Alternatives { from: u32, to: u32, row: u32 },
    /// Go on elsewhere.
    Jump(u32),
    /// Bits of the word that must be so.
    Assign { lo: u32, width: u32, value: u64 },
    /// A condition on the word: an expression of [`Program::exprs`] that is, or is not, 0.
    Check { expr: u32, want: bool },
    /// These bits of the word must not all be so.
    Differ { lo: u32, width: u32, value: u64 },
    /// A field read by [`Program::fields`].
    Field(u32),
    /// A field of [`Program::fields`] that has its constant value unless something says otherwise.
    Prefer(u32),
    /// The text must end here.
    Accept,
}

/// An alternative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// Its first operation.
    pub(super) at: u32,
    /// Bytes of the literal that it begins with, if it does.
    pub(super) literal: (u32, u32),
}

/// A field that the text shows.
#[derive(Clone, Debug)]
pub(super) struct FieldOp {
    /// Its name.
    pub(super) name: Name,
    /// How it reads.
    pub(super) syntax: FieldSyntax,
    /// Where the value goes.
    pub(super) target: ValueTarget,
    /// Width of the value in bits.
    pub(super) width: u32,
    /// The bytes that can follow its text.
    pub(super) follow: Bytes,
}

/// How a field reads.
#[derive(Clone, Debug)]
pub(super) enum FieldSyntax {
    /// A number.
    Number(NumberStyle),
    /// A floating-point number of this width.
    Float,
    /// A text of a table, or a number that the table lacks: the number of a [`Program::tables`].
    Table(u32),
    /// A text that the caller has a name for.
    Custom(u32),
    /// Not in the text: always this.
    Constant(u64),
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberStyle {
    /// `0x` stands before it, and is part of it: where people may write numbers as they like, it is not demanded.
    pub(super) prefix: bool,
    /// Digits and sign.
    pub(super) digits: Digits,
    /// A code address, which may be a label.
    pub(super) branch: Option<BranchReach>,
}

/// The digits and sign of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digits {
    /// Decimal.
    Unsigned,
    /// Decimal with `-`.
    Signed,
    /// Hexadecimal.
    Hex,
    /// Nothing for 0, else decimal with `+` or `-`.
    Offset,
    /// Nothing for 0, else `+` and decimal.
    UnsignedOffset,
}

/// How a code address is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BranchReach {
    /// Not from the instruction.
    pub(super) absolute: bool,
    /// Bytes per unit; 0 for one instruction.
    pub(super) unit: u32,
}

/// Texts and their values.
#[derive(Clone, Debug)]
pub(super) struct TextTable {
    /// Texts to entries of `values`.
    pub(super) texts: Trie,
    /// The values, and whether their text is one that prints.
    pub(super) values: Vec<(u64, bool)>,
    /// The same without the mark before numbers that people may leave out, for texts that have it.
    pub(super) unmarked: Trie,
    /// There are such texts.
    pub(super) has_marks: bool,
    /// Entries whose texts have blanks or begin with a comma: people space them otherwise.
    pub(super) spaced: Vec<u32>,
    /// What prints, for messages and for the canonical text.
    pub(super) shown: Vec<Box<[u8]>>,
    /// Numbers that the table lacks are cut to this many bits when they print.
    pub(super) number_bits: u32,
    /// The texts are whole words: names of registers.
    pub(super) words: bool,
    /// Any number may stand for a text, where people write as they like.
    pub(super) numbers: bool,
    /// Short texts that are words, by their bytes, with their values: found without a walk.
    pub(super) short: ShortWords,
}

/// Words of up to eight bytes with a value each, in a table with open places.
#[derive(Clone, Debug, Default)]
pub(super) struct ShortWords {
    places: Vec<(u64, u64)>,
}

impl ShortWords {
    /// A table for these words.
    pub(super) fn new(words: &[(u64, u64)]) -> ShortWords {
        let mut made = ShortWords { places: vec![(0, 0); (2 * words.len() + 1).next_power_of_two()] };
        for &(word, value) in words.iter().filter(|(word, _)| *word != 0) {
            let mut at = made.place(word);
            while made.places.get(at).is_some_and(|place| place.0 != 0) {
                at = (at + 1) & (made.places.len() - 1);
            }
            if let Some(place) = made.places.get_mut(at) {
                *place = (word, value);
            }
        }
        made
    }

    #[inline]
    fn place(&self, word: u64) -> usize {
        (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.places.len().wrapping_sub(1))
    }

    /// The value of a word.
    #[inline]
    pub(super) fn get(&self, word: u64) -> Option<u64> {
        let mut at = self.place(word);
        loop {
            let &(known, value) = self.places.get(at)?;
            if known == word {
                return Some(value);
            }
            if known == 0 {
                return None;
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }
}

/// Where a value goes.
#[derive(Clone, Debug)]
pub(super) enum ValueTarget {
    /// Into bits: [`Program::runs`] in this range. Of the value, the bits of `mask` count; those outside of `covered`
    /// must be `ones`.
    Bits { from: u32, to: u32, mask: u64, covered: u64, ones: u64 },
    /// This expression must have the value, in the bits of the mask.
    Expr { expr: u32, mask: u64 },
    /// Into more than 64 bits: [`Program::runs`] in this range.
    Wide { from: u32, to: u32 },
}

/// `width` (up to 64) bits of a value from `at` on are bits of the word from `lo` on, or their inverse.
#[derive(Clone, Copy, Debug)]
pub(super) struct BitRun {
    pub(super) at: u32,
    pub(super) lo: u32,
    pub(super) width: u32,
    pub(super) inverted: bool,
}

/// An expression, operands before operators; the last node is the value.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    /// The nodes.
    pub(super) nodes: Vec<ExprNode>,
    /// The bits of the word that it depends on, per limb.
    pub(super) support: Vec<u64>,
}

/// A node of an [`Expr`].
#[derive(Clone, Copy, Debug)]
pub(super) enum ExprNode {
    /// Bits of the word ([`Program::runs`]) and constant ones.
    Bits { from: u32, to: u32, ones: u64 },
    /// As in the model.
    Unary(UnaryOp, IntType, u32),
    /// As in the model.
    Binary(BinaryOp, IntType, u32, u32),
    /// As in the model.
    Select(u32, u32, u32),
    /// As in the model.
    Cast(IntType, u32),
    /// A value that is never known.
    Unknown,
}

/// A set of bytes, and the end of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bytes {
    pub(super) set: [u64; 4],
    pub(super) end: bool,
}

impl Bytes {
    /// Adds a byte.
    pub(super) fn add(&mut self, byte: u8) {
        if let Some(limb) = self.set.get_mut(byte as usize / 64) {
            *limb |= 1 << (byte % 64);
        }
    }

    /// Adds all of another set.
    pub(super) fn join(&mut self, other: &Bytes) {
        for (limb, more) in self.set.iter_mut().zip(other.set) {
            *limb |= more;
        }
        self.end |= other.end;
    }

    /// Whether the text may go on with this byte, or end.
    #[inline]
    pub(super) fn has(&self, next: Option<u8>) -> bool {
        match next {
            Some(byte) => self.set.get(byte as usize / 64).is_some_and(|limb| limb >> (byte % 64) & 1 != 0),
            None => self.end,
        }
    }
}

/// A compiled form.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) ops: Vec<ReadOp>,
    pub(super) literals: Vec<u8>,
    pub(super) branches: Vec<Branch>,
    pub(super) fields: Vec<FieldOp>,
    pub(super) tables: Vec<Arc<TextTable>>,
    pub(super) runs: Vec<BitRun>,
    pub(super) exprs: Vec<Expr>,
    /// Byte to class of bytes that all alternatives treat alike; the end of the text comes last.
    pub(super) classes: Vec<u8>,
    /// Rows of a bit set of branches per class; the first 64 branches of a row are in it.
    pub(super) viable: Vec<u64>,
    /// The number of classes.
    pub(super) class_count: u32,
    /// Bytes that every text of the form has.
    pub(super) needs: Bytes,
    /// How many commas a text of the form has: at least and at most.
    pub(super) commas: (u32, u32),
    /// The pattern: value and care.
    pub(super) value: Vec<u64>,
    pub(super) care: Vec<u64>,
    /// The form is an alias.
    pub(super) alias: bool,
    /// A field may end at several places, so that one text may be read in several ways.
    pub(super) glued: bool,
    /// A name may stand in it, beside other numbers.
    pub(super) exact_names: bool,
    /// `quick` can run it.
    pub(super) quick: bool,
}

impl Program {
    /// The bytes of a literal.
    #[inline]
    pub(super) fn literal(&self, from: u32, len: u32) -> &[u8] {
        self.literals.get(from as usize..(from + len) as usize).or_impossible(&[])
    }

    /// The branches of a row that this next byte allows, as a bit set.
    #[inline]
    pub(super) fn viable(&self, row: u32, next: Option<u8>) -> u64 {
        let class = self.classes.get(next.map_or(256, usize::from)).copied().or_impossible(0);
        self.viable.get((row * self.class_count) as usize + usize::from(class)).copied().or_impossible(u64::MAX)
    }

    /// A value of which `runs` are bits of the word.
    #[inline]
    pub(super) fn gather(&self, from: u32, to: u32, ones: u64, word: &[u64]) -> u64 {
        let mut value = ones;
        for run in self.runs.get(from as usize..to as usize).or_impossible(&[]) {
            let bits = limbs::extract(word, run.lo, run.width);
            let bits = if run.inverted { !bits & limbs::mask(run.width) } else { bits };
            value |= bits << run.at;
        }
        value
    }
}
