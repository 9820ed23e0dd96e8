//! The validated model itself. Its parts are plain data; it is immutable, so that they stay valid.

use std::ops::Index;

use isaglot_bits::{BitRange, Pattern};
use isaglot_source::Span;

use crate::condition::Condition;
use crate::encoding::{Encoding, Space};
use crate::expansion::{Expansion, Table};
use crate::expr::Expr;
use crate::field::EnumType;
use crate::ids::{EncodingId, EnumId, ExprId, FeatureId, RegisterFileId, SpaceId, TemplateId};
use crate::names::{Name, Names};
use crate::operand::RegisterFile;
use crate::semantics::{ExternFunction, Parameter};
use crate::template::Template;

/// The order of bytes in a parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum ByteOrder {
    /// Least significant byte first; of several parcels, the least significant parcel first.
    Little,
    /// Most significant byte first, and parcel.
    Big,
}

/// How instructions lie in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct WordFormat {
    /// The unit in which instructions are fetched and which holds the length rule, in bits: a multiple of 8.
    pub parcel_bits: u32,
    /// Width in bits of the longest instruction: a multiple of `parcel_bits`.
    pub max_bits: u32,
    /// The order of bytes.
    pub byte_order: ByteOrder,
    /// How the first bits tell the length, first match wins; empty where all instructions have `max_bits`. A first
    /// parcel that no rule matches starts no instruction, and one parcel is passed over.
    pub lengths: Vec<LengthRule>,
}

impl WordFormat {
    /// How many of the first bits the rules for lengths look at: a parcel, or more. Bits that are not there count as 0.
    #[must_use]
    pub fn start_bits(&self) -> u32 {
        self.lengths.iter().map(|rule| rule.pattern.width()).max().unwrap_or(0).max(self.parcel_bits)
    }
}

/// Instructions whose first bits match have this width.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct LengthRule {
    /// Over the first parcel, or in little-endian words over up to [`limits::MAX_START_BITS`](crate::limits::MAX_START_BITS) of the first bits.
    pub pattern: Pattern,
    /// Width in bits: a multiple of `parcel_bits`.
    pub bits: u32,
    /// The rule counts only where this holds.
    pub condition: Condition,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// Which bits of instructions of one width are called the major opcode: what the space of words is told by.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct OpcodeBits {
    /// Width of the instructions in bits.
    pub width: u32,
    /// The bits, most significant first.
    pub bits: Vec<BitRange>,
}

/// Something that an implementation has or has not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Feature {
    /// Its name: `zba`, `+m`.
    pub name: String,
    /// Features that come with it.
    pub implies: Vec<FeatureId>,
    /// What cannot hold where it is on; `None` if it goes with everything. Nothing in the model depends on it: the
    /// choice of features asks [`Isa::conflicts`].
    pub excludes: Option<Condition>,
    /// On unless said otherwise.
    pub default: bool,
    /// What it is.
    pub doc: String,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// A name for a gen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct GenName {
    /// The name.
    pub name: String,
    /// The gen.
    pub value: u32,
}

/// How sources may be written, beside what is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Spelling {
    /// As it prints.
    #[default]
    Printed,
    /// Mnemonics in either case, and numbers that begin with a zero are octal: as the assemblers of GNU and LLVM read.
    Mnemonics,
    /// The same, and the names of registers and all other words in either case, too.
    AnyCase,
}

/// A validated instruction set. Made by [`Builder::finish`](crate::Builder::finish) only.
///
/// Parts are reached by id: `isa[encoding_id]`. An id of another `Isa` may panic or give something else.
#[derive(Clone, Debug)]
pub struct Isa {
    pub(crate) name: String,
    pub(crate) names: Names,
    pub(crate) root: SpaceId,
    pub(crate) format: WordFormat,
    pub(crate) opcodes: Vec<OpcodeBits>,
    pub(crate) value_bits: u32,
    pub(crate) spaces: Vec<Space>,
    pub(crate) encodings: Vec<Encoding>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) templates: Vec<Template>,
    pub(crate) enums: Vec<EnumType>,
    pub(crate) register_files: Vec<RegisterFile>,
    pub(crate) features: Vec<Feature>,
    pub(crate) contexts: Vec<FeatureId>,
    pub(crate) number_mark: Option<u8>,
    pub(crate) spelling: Spelling,
    pub(crate) gens: Vec<GenName>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) externs: Vec<ExternFunction>,
    pub(crate) traps: Vec<String>,
    pub(crate) tables: Vec<Table>,
    pub(crate) expansions: Vec<Expansion>,
}

impl Isa {
    /// What stands before numbers in texts, and may be left out where people write them: `#`, say.
    #[must_use]
    pub fn number_mark(&self) -> Option<u8> {
        self.number_mark
    }

    /// How sources may be written.
    #[must_use]
    pub fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// What the description calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same under another name.
    #[must_use]
    pub fn named(self, name: String) -> Isa {
        Isa { name, ..self }
    }

    /// Which features are on, by id, if these are: they and all that they imply.
    #[must_use]
    pub fn implied(&self, on: &[FeatureId]) -> Vec<bool> {
        let mut all = vec![false; self.features.len()];
        let mut work = on.to_vec();
        while let Some(feature) = work.pop() {
            if let (Some(flag), Some(known)) = (all.get_mut(feature.index()), self.features.get(feature.index()))
                && !std::mem::replace(flag, true)
            {
                work.extend(&known.implies);
            }
        }
        all
    }

    /// The features among these, and those that they imply, that cannot be on together: each with those it excludes.
    #[must_use]
    pub fn conflicts(&self, on: &[FeatureId]) -> Vec<(FeatureId, Vec<FeatureId>)> {
        let all = self.implied(on);
        let is_on = |id: FeatureId| all.get(id.index()).copied().unwrap_or(false);
        let ids = (0..self.features.len() as u32).map(FeatureId).filter(|&id| is_on(id));
        let conflict = |id: FeatureId| {
            let excluded = self[id].excludes.as_ref().filter(|condition| condition.holds(&is_on))?;
            let mut others = excluded.features();
            others.retain(|&other| is_on(other));
            Some((id, others))
        };
        ids.filter_map(conflict).collect()
    }

    /// The same with those encodings alone that a gen has, and that need nothing but some features; `None` for all. Ids stay
    /// what they are: what is left out is in no [`Space::encodings`] any more.
    #[must_use]
    pub fn restricted(mut self, generation: Option<u32>, features: Option<&[FeatureId]>) -> Isa {
        let on = features.map(|features| self.implied(features));
        let is_on = |feature: FeatureId| on.as_ref().and_then(|on| on.get(feature.index()).copied()).unwrap_or(false);
        let encodings = &self.encodings;
        let stays = |id: &EncodingId| {
            encodings.get(id.index()).is_some_and(|e| {
                generation.is_none_or(|generation| e.gens.contains(generation))
                    && (on.is_none() || e.condition.holds(&is_on))
            })
        };
        self.spaces.iter_mut().for_each(|space| space.encodings.retain(stays));
        self
    }

    /// The texts of names.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        self.names.text(name)
    }

    /// The text of the name of a field as people see it. Where one encoding reads the same bits in several ways, its fields are
    /// told apart by what follows an apostrophe: `rd`, `rd'2`.
    pub fn shown(&self, name: Name) -> &str {
        let text = self.names.text(name);
        text.split_once('\'').map_or(text, |(shown, _)| shown)
    }

    /// The space in which instructions are decided.
    #[inline]
    pub fn root(&self) -> SpaceId {
        self.root
    }

    /// How instructions lie in memory.
    #[inline]
    pub fn format(&self) -> &WordFormat {
        &self.format
    }

    /// Values read by displays and expressions are cut to this many bits: 64, or 32 on isaspec's 32-bit sets, where
    /// the reference keeps values in one 32-bit word.
    #[inline]
    pub fn value_bits(&self) -> u32 {
        self.value_bits
    }
}

macro_rules! lists {
    ($($(#[$doc:meta])* $field:ident: $part:ty;)*) => {
        impl Isa {$(
            $(#[$doc])*
            #[inline]
            pub fn $field(&self) -> &[$part] {
                &self.$field
            }
        )*}
    };
}

lists! {
    /// The major opcodes, where the description names any: at most one for each width.
    opcodes: OpcodeBits;
    /// All spaces.
    spaces: Space;
    /// All encodings, those of one space in its order.
    encodings: Encoding;
    /// All expressions.
    exprs: Expr;
    /// All templates.
    templates: Template;
    /// All enums.
    enums: EnumType;
    /// All register files.
    register_files: RegisterFile;
    /// All features.
    features: Feature;
    /// The features that an instruction can switch on for single ones after it ([`Encoding::opens`]): the context number `n`, from 1 on, is
    /// that the `n`-th of them is on. At most [`MAX_CONTEXTS`](crate::limits::MAX_CONTEXTS).
    contexts: FeatureId;
    /// Numbers that depend on the gen.
    parameters: Parameter;
    /// What semantics may call.
    externs: ExternFunction;
    /// The causes that semantics may trap with.
    traps: String;
    /// All tables of bit strings.
    tables: Table;
    /// All short forms.
    expansions: Expansion;
    /// Names of gens, if the description gives any.
    gens: GenName;
}

macro_rules! index {
    ($($id:ty => $field:ident: $part:ty;)*) => {$(
        impl Index<$id> for Isa {
            type Output = $part;
            #[inline]
            fn index(&self, id: $id) -> &$part {
                &self.$field[id.index()]
            }
        }
    )*};
}

index! {
    SpaceId => spaces: Space;
    EncodingId => encodings: Encoding;
    ExprId => exprs: Expr;
    TemplateId => templates: Template;
    EnumId => enums: EnumType;
    RegisterFileId => register_files: RegisterFile;
    FeatureId => features: Feature;
}
