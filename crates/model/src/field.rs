//! Fields: which bits, or which expression, and how the value reads.

use std::sync::Arc;

use isaglot_bits::{BitRange, limbs};
use isaglot_source::Span;

use crate::ids::{EnumId, ExprId, RegisterFileId, SpaceId};
use crate::limits::MAX_IMPLIED_BITS;
use crate::names::Name;

/// A named value of an encoding, as one case defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Field {
    /// Its name. Several cases may define one name differently.
    pub name: Name,
    /// Where the value comes from.
    pub source: FieldSource,
    /// Width of the value in bits, implied bits included.
    pub width: u32,
    /// How it prints and what it refers to.
    pub ty: FieldType,
    /// Fields of this scope that a sub-encoding may see; empty for other types.
    pub params: Vec<Param>,
    /// What the description says about it.
    pub doc: String,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// Where a field's value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldSource {
    /// Bits of the word and implied constant bits, **most significant piece first**.
    Bits(Vec<Piece>),
    /// Computed from other fields of the scope in which the field was found. Not a sub-encoding.
    Derived(ExprId),
}

impl FieldSource {
    /// The bits of the word that the value is made of, the most significant first; none for a derived field.
    pub fn ranges(&self) -> impl Iterator<Item = BitRange> + '_ {
        let pieces = match self {
            FieldSource::Bits(pieces) => pieces.as_slice(),
            FieldSource::Derived(_) => &[],
        };
        pieces.iter().filter_map(|piece| match piece {
            Piece::Bits(range) => Some(*range),
            Piece::Implied { .. } => None,
        })
    }
}

/// A part of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum Piece {
    /// Bits of the word.
    Bits(BitRange),
    /// Constant bits that are not in the word: the low zero of a branch offset, say.
    Implied {
        /// How many, up to [`MAX_IMPLIED_BITS`].
        width: u32,
        /// Their value.
        value: u64,
    },
}

impl Piece {
    /// Width in bits.
    #[inline]
    pub fn width(self) -> u32 {
        match self {
            Piece::Bits(range) => range.width,
            Piece::Implied { width, .. } => width,
        }
    }

    /// Zero bits, as many as wanted.
    pub fn zeros(width: u32) -> impl Iterator<Item = Piece> {
        let piece = move |at: u32| Piece::Implied { width: (width - at).min(MAX_IMPLIED_BITS), value: 0 };
        (0..width).step_by(MAX_IMPLIED_BITS as usize).map(piece)
    }

    /// Appends the bits `range` of the value that pieces make.
    ///
    /// Pieces stand with the most significant first: `[9..=10], [2..=4]` are 5 bits. Their low 4 are `[9..=9], [2..=4]`,
    /// and the 2 from bit 2 on are `[9..=9], [4..=4]`.
    pub fn slice(pieces: &[Piece], range: BitRange, out: &mut Vec<Piece>) {
        let mut top: u32 = pieces.iter().map(|piece| piece.width()).sum();
        for piece in pieces {
            let low = top - piece.width();
            let (from, to) = (range.lo.max(low), range.end().min(top));
            if from < to {
                out.push(match *piece {
                    Piece::Bits(bits) => Piece::Bits(BitRange::new(bits.lo + (from - low), to - from)),
                    Piece::Implied { value, .. } => {
                        let width = to - from;
                        Piece::Implied { width, value: (value >> (from - low)) & limbs::mask(width) }
                    }
                });
            }
            top = low;
        }
    }

    /// The low `width` bits of the value that pieces make, with zeros above where it has fewer.
    pub fn resized(pieces: &[Piece], width: u32) -> Vec<Piece> {
        let have: u32 = pieces.iter().map(|piece| piece.width()).sum();
        let mut out: Vec<Piece> = Piece::zeros(width.saturating_sub(have)).collect();
        Piece::slice(pieces, BitRange { lo: 0, width }, &mut out);
        out
    }
}

/// A field of the enclosing scope handed to a sub-encoding, under a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Param {
    /// The name in the enclosing scope.
    pub name: Name,
    /// The name inside.
    pub as_name: Name,
}

/// How a value reads. `value` below is the raw value, `signed` the value sign-extended from the field's width.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldType {
    /// With a text: the text if the value is not 0, else nothing. Without: the value in decimal.
    Bool(Option<String>),
    /// With a text: the text if the value is 0, else nothing. Without: 1 if the value is 0, else 0.
    BoolInv(Option<String>),
    /// Signed decimal.
    Int,
    /// Unsigned decimal.
    Uint,
    /// Lower-case hexadecimal, no prefix, no padding.
    Hex,
    /// Nothing if the raw value is 0, else signed decimal with its sign, also `+`.
    Offset,
    /// Nothing if 0, else `+` and unsigned decimal.
    Uoffset,
    /// An IEEE 754 number of 16, 32 or 64 bits.
    Float,
    /// A code address.
    Branch {
        /// The value itself is the target; otherwise it is added to the address of the instruction.
        absolute: bool,
        /// The jump comes back: the target is a function.
        call: bool,
        /// Bytes per unit of the value; 0 means one instruction of a fixed-width set (isaspec's unit).
        unit: u32,
    },
    /// Printed by the embedding program, by field name.
    Custom,
    /// The text of the first entry with this value, else the unsigned value.
    Enum(EnumId),
    /// A register: its name in the file, else the unsigned value.
    Register(RegisterFileId),
    /// Decided in another space.
    Sub(SpaceId),
}

/// A table of values with texts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct EnumType {
    /// Its name.
    pub name: String,
    /// Entries in order; of equal values the first is printed.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub values: Vec<EnumValue>,
    /// In what people write, a later entry with a value that another has will do, too.
    pub synonyms: bool,
    /// In what people write, a number will do for any value.
    pub numbers: bool,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// An entry of an [`EnumType`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// The value.
    pub value: u64,
    /// How it prints; may be empty.
    pub display: Arc<str>,
    /// A name for generated code.
    pub name: Option<String>,
    /// Where it is defined.
    pub span: Span,
}
