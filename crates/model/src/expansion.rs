//! Expansions: how a short form becomes an instruction of the long form, in part through tables; and tables.
//!
//! The steps run in order on a long word that starts as 0. A step's guard sees the long word *as built so far*, through
//! the fields of the long encoding; so what later steps depend on (whether an operand is an immediate, say) is simply
//! expanded first. The inverse takes the same steps, and its result is accepted only if expanding it gives the word again.

use std::sync::Arc;

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_source::Span;

use crate::encoding::GenRange;
use crate::ids::{ExprId, TableId};

/// A table of bit strings, reached by index: by steps of expansions, and by texts of semantics.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Width of a row in bits.
    pub width: u32,
    /// The rows; each of this width.
    pub rows: Arc<[Word]>,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// A short form. Encodings name it in their `compact` attribute ([`Encoding::meta`](crate::Encoding::meta)); variants
/// for other gens share the name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Expansion {
    /// Its name.
    pub name: String,
    /// Width of the short form in bits.
    pub width: u32,
    /// The bits that make a word a short form. Its width is `width`.
    pub pattern: Pattern,
    /// The gens that have it.
    pub gens: GenRange,
    /// What makes the long word, in order. A later step may replace what an earlier one has placed.
    pub steps: Vec<ExpandStep>,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// One part of a short form and what it becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct ExpandStep {
    /// When it applies, over the fields of the long word so far; `None` for always.
    pub guard: Option<ExprId>,
    /// Bits of the short form, most significant piece first; at most 64 bits.
    pub from: Vec<BitRange>,
    /// The value is the row with this number rather than the bits themselves. An index without a row is an error.
    pub table: Option<TableId>,
    /// Sign-extend the value to this many bits.
    pub extend: Option<u32>,
    /// Bits of the long form, most significant piece first: `copies` times the value, one after another.
    pub to: Vec<BitRange>,
    /// How often the value is placed.
    pub copies: u32,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

impl ExpandStep {
    /// Width in bits of the value that is placed.
    pub fn width(&self, tables: &[Table]) -> u32 {
        match (self.extend, self.table) {
            (Some(width), _) => width,
            (None, Some(table)) => tables.get(table.index()).map_or(0, |t| t.width),
            (None, None) => self.from.iter().map(|r| r.width).sum(),
        }
    }
}
