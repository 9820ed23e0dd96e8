//! Spaces, encodings and cases: what is matched, and what it means.

use std::cmp::Reverse;
use std::sync::Arc;

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_source::Span;

use crate::condition::Condition;
use crate::field::Field;
use crate::ids::{EncodingId, ExprId, SpaceId, TemplateId};
use crate::names::Name;
use crate::operand::{Flow, Operand};
use crate::semantics::Semantics;
use crate::shared::Shared;

/// A set of encodings among which a word is decided.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Space {
    /// Its name, as in the description.
    pub name: Name,
    /// Width in bits of a word of it; of the longest, where encodings differ in width.
    pub width: u32,
    /// The encodings in the order of the description; filled by the builder.
    pub encodings: Vec<EncodingId>,
    /// What happens when two match.
    pub overlap: Overlap,
    /// A word in whose text a field has a value that no encoding of this space has is not an instruction; otherwise its text has an error.
    pub refuses: bool,
    /// How a program's own data is packed into it: at most once per language.
    pub encode: Vec<EncodeRoot>,
    /// Whether unpackers into a program's own data are wanted.
    pub decode: bool,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// What happens when two encodings of a space match one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum Overlap {
    /// An error that names the first two, and no match.
    #[default]
    Conflict,
    /// The one of lower [`Encoding::rank`]; then the one with more fixed bits; of equal ones the earlier.
    MostSpecific,
}

/// Generations, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct GenRange {
    /// First.
    pub min: u32,
    /// Last.
    pub max: u32,
}

impl Default for GenRange {
    fn default() -> GenRange {
        GenRange::ALL
    }
}

impl GenRange {
    /// All.
    pub const ALL: GenRange = GenRange { min: 0, max: u32::MAX };

    /// Whether it holds this one.
    #[inline]
    pub fn contains(self, generation: u32) -> bool {
        self.min <= generation && generation <= self.max
    }

    /// What both hold; empty (`min > max`) if nothing.
    pub fn intersect(self, other: GenRange) -> GenRange {
        GenRange { min: self.min.max(other.min), max: self.max.min(other.max) }
    }
}

/// One leaf: a pattern and what words that match it mean.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Encoding {
    /// Its name in the description; variants for other gens share it.
    pub name: Name,
    /// The mnemonic: what `{NAME}` prints and messages say.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub display_name: Arc<str>,
    /// The space that it is decided in.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub space: SpaceId,
    /// Width in bits: that of the space, or less where lengths differ.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub width: u32,
    /// The bits that decide. `pattern.width()` is `width`.
    pub pattern: Pattern,
    /// Bits that the description marks as don't-care (`x`): not tested, reported when set. Disjoint from the care bits.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub dont_care: Word,
    /// Words that the pattern matches but that are not this encoding: operands that cannot be so. As wide as `pattern`.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub except: Shared<Pattern>,
    /// Where [`Overlap::MostSpecific`] decides: a lower rank is taken first, whatever the patterns. 0 where nothing says.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub rank: u32,
    /// The gens that have it.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub gens: GenRange,
    /// The range that the leaf itself states, without its ancestors'.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub own_gens: GenRange,
    /// The features that it needs.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub condition: Condition,
    /// Cases in the order of lookup: the leaf's overrides, its default, then each ancestor's.
    pub cases: Vec<Case>,
    /// Operands in the order of the text.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub operands: Shared<Operand>,
    /// Where control goes.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub flow: Flow,
    /// The contexts of the instructions after it, the next one first: expressions in its scope, each with the number of one of
    /// [`Isa::contexts`](crate::Isa::contexts), counted from 1, or 0 for none. At most [`MAX_OPENED`](crate::limits::MAX_OPENED). Where there
    /// are any, what an earlier instruction has said ends here.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub opens: Vec<ExprId>,
    /// What it does, if the description says.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub semantics: Option<Semantics>,
    /// How a program's data maps to fields, in the order of lookup: the first of a name counts.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub maps: Vec<Map>,
    /// Free attributes of the description, the leaf's own before its ancestors'.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub meta: Vec<(String, String)>,
    /// What the description says about it.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub doc: String,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

impl Encoding {
    /// Where [`Overlap::MostSpecific`] decides, the lesser is taken; of equal ones the earlier.
    pub fn precedence(&self) -> (u32, Reverse<u32>) {
        (self.rank, Reverse(self.pattern.care().count_ones()))
    }

    /// The names of its fields, each once, in the order of its cases.
    pub fn field_names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        for field in self.cases.iter().flat_map(|case| &case.fields) {
            if !names.contains(&field.name) {
                names.push(field.name);
            }
        }
        names
    }

    /// The words that it matches, as patterns without a common word.
    pub fn cubes(&self) -> Vec<Pattern> {
        self.except.iter().fold(vec![self.pattern.clone()], |left, except| {
            left.iter().flat_map(|cube| cube.subtract(except)).collect()
        })
    }
}

/// A set of definitions that hold under a condition.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Case {
    /// When it applies; `None` for always.
    pub guard: Option<ExprId>,
    /// The fields it defines; no name twice.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub fields: Shared<Field>,
    /// Bits that must have a value, checked when the text is chosen.
    pub asserts: Vec<Assert>,
    /// The text, if the case has one.
    pub template: Option<TemplateId>,
    /// The text is an alias, used only where aliases are wanted. Fields of the case are defined either way.
    pub alias: bool,
    /// The text is understood, but never printed; only where `alias` is set too.
    pub input_only: bool,
    /// The text is printed, but not understood: another encoding is meant by it.
    pub output_only: bool,
    /// The display name of the level of the hierarchy that the case belongs to, for messages.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub owner: Arc<str>,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// Bits that must have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Assert {
    /// Which.
    pub range: BitRange,
    /// The value; its width is that of the range.
    pub value: Word,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// How a space's words are packed from a program's own data (isaspec's `<encode>`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct EncodeRoot {
    /// The type of the data.
    pub ty: String,
    /// Prefix of the names by which the data says which leaf it is.
    pub case_prefix: Option<String>,
    /// The language of that program: `c` or `rust`.
    pub language: String,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// The expression, in the program's language, that a field is packed from (isaspec's `<map>`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Map {
    /// The field.
    pub name: Name,
    /// The expression.
    pub text: String,
    /// Packed even when no text shows the field.
    pub force: bool,
    /// The language: `c` or `rust`.
    pub language: String,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}
